#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// How a fuzz target is written:
//
//     LANCE_FUZZ_TARGET(chunk_table) { use(input); }
//
// Built for libFuzzer this is LLVMFuzzerTestOneInput. With LANCE_FUZZ_REPLAY the targets are linked
// into one program, which hands them the files that once broke them.

namespace lance::fuzz {

/// What a target does with an input: any status is fine; a crash, a hang and a broken promise are
/// not.
using Target = void (*)(std::span<const std::byte> input);

/// Changes some bytes at will; they may grow up to a size.
using ByteMutator = std::function<void(std::string* bytes, size_t max_size)>;

/// Changes an input so that its structure survives.
using InputMutator = void (*)(std::string* input, size_t max_size, uint64_t seed,
                              const ByteMutator& mutate_bytes);

/// Puts parts of a second input into an input.
using InputCrossover = void (*)(std::string* input, std::span<const std::byte> other,
                                uint64_t seed);

/// A target of the replay program.
struct RegisteredTarget {
  std::string_view name;
  Target run;
};

/// All targets of the replay program.
inline std::vector<RegisteredTarget>& RegisteredTargets() {
  static std::vector<RegisteredTarget> targets;
  return targets;
}

/// Adds a target to the replay program.
struct TargetRegistration {
  TargetRegistration(std::string_view name, Target run) {
    RegisteredTargets().push_back({name, run});
  }
};

/// End the program: a promise is broken.
[[noreturn]] inline void Fail(const char* file, int line, std::string_view what) {
  std::fprintf(stderr, "%s:%d: broken promise: %.*s\n", file, line, static_cast<int>(what.size()),
               what.data());
  std::abort();
}

}  // namespace lance::fuzz

/// Ends the program unless a promise holds.
#define LANCE_FUZZ_CHECK(condition, what) \
  ((condition) ? static_cast<void>(0) : ::lance::fuzz::Fail(__FILE__, __LINE__, (what)))

#ifdef LANCE_FUZZ_REPLAY

#define LANCE_FUZZ_TARGET(name)                                                          \
  static void RunTarget(std::span<const std::byte> input);                               \
  static const ::lance::fuzz::TargetRegistration target_registration(#name, &RunTarget); \
  static void RunTarget(std::span<const std::byte> input)

#define LANCE_FUZZ_MUTATOR(function) \
  [[maybe_unused]] static constexpr ::lance::fuzz::InputMutator kInputMutator = function

#define LANCE_FUZZ_CROSSOVER(function) \
  [[maybe_unused]] static constexpr ::lance::fuzz::InputCrossover kInputCrossover = function

#else

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

#define LANCE_FUZZ_TARGET(name)                                             \
  static void RunTarget(std::span<const std::byte> input);                  \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) { \
    RunTarget(std::as_bytes(std::span(data, size)));                        \
    return 0;                                                               \
  }                                                                         \
  static void RunTarget(std::span<const std::byte> input)

namespace lance::fuzz {

/// Changes bytes as libFuzzer does.
inline void MutateLikeLibFuzzer(std::string* bytes, size_t max_size) {
  const size_t size = bytes->size();
  bytes->resize(max_size < size ? size : max_size);
  bytes->resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes->data()), size, bytes->size()));
}

/// Runs a mutator for libFuzzer. \return the new size; when the result is too long, that of bytes
/// that libFuzzer changed alone
inline size_t MutateInPlace(InputMutator mutate, uint8_t* data, size_t size, size_t max_size,
                            unsigned int seed) {
  std::string input(reinterpret_cast<const char*>(data), size);
  mutate(&input, max_size, seed, &MutateLikeLibFuzzer);
  if (input.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  if (!input.empty()) std::memcpy(data, input.data(), input.size());
  return input.size();
}

/// Runs a crossover for libFuzzer. \return the new size; 0 when the result is too long
inline size_t CrossInputs(InputCrossover cross, std::span<const uint8_t> input,
                          std::span<const uint8_t> other, std::span<uint8_t> out,
                          unsigned int seed) {
  std::string crossed(reinterpret_cast<const char*>(input.data()), input.size());
  cross(&crossed, std::as_bytes(other), seed);
  if (crossed.size() > out.size()) return 0;
  if (!crossed.empty()) std::memcpy(out.data(), crossed.data(), crossed.size());
  return crossed.size();
}

}  // namespace lance::fuzz

#define LANCE_FUZZ_MUTATOR(function)                                                     \
  extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, \
                                            unsigned int seed) {                         \
    return ::lance::fuzz::MutateInPlace(function, data, size, max_size, seed);           \
  }                                                                                      \
  static_assert(true)

#define LANCE_FUZZ_CROSSOVER(function)                                                            \
  extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data, size_t size,                   \
                                              const uint8_t* other, size_t other_size,            \
                                              uint8_t* out, size_t max_size, unsigned int seed) { \
    return ::lance::fuzz::CrossInputs(function, std::span(data, size),                            \
                                      std::span(other, other_size), std::span(out, max_size),     \
                                      seed);                                                      \
  }                                                                                               \
  static_assert(true)

#endif
