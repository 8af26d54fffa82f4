// Reads mutants of data files and checks that none breaks a promise:
//
//   lance_read_mutants [--seed S] [--first N] [--count N] [--save FILE] FILE.lance ...
//
// Prints what came of them. With --save the last mutant is written to a file; a single one is made
// again by its number: --first 4711 --count 1 --save FILE.

#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/mutants.h"

namespace lance::fuzz {
namespace {

volatile std::sig_atomic_t current_mutant = 0;

/// Name the mutant that the program dies of.
void NameMutant(int signal) {
  std::fprintf(stderr, "signal %d in mutant %lld\n", signal,
               static_cast<long long>(current_mutant));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Arguments {
  uint64_t seed = 1;
  uint64_t first = 0;
  uint64_t count = 1000;
  std::string save;
  std::vector<std::string> paths;
};

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name.rfind("--", 0) != 0) {
      arguments.paths.push_back(name);
      continue;
    }
    const std::string value = i + 1 < argc ? argv[++i] : "";
    if (name == "--seed") arguments.seed = std::stoull(value);
    if (name == "--first") arguments.first = std::stoull(value);
    if (name == "--count") arguments.count = std::stoull(value);
    if (name == "--save") arguments.save = value;
  }
  return arguments;
}

int Run(const Arguments& arguments) {
  MutantSources sources;
  for (const std::string& path : arguments.paths) {
    std::ifstream file(path, std::ios::binary);
    sources.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  if (sources.empty()) {
    std::fprintf(stderr, "usage: lance_read_mutants [--seed S] [--first N] [--count N] FILE ...\n");
    return 2;
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, &NameMutant);
  }
  MutantStatistics statistics;
  int num_defects = 0;
  for (uint64_t i = arguments.first; i < arguments.first + arguments.count; ++i) {
    current_mutant = static_cast<std::sig_atomic_t>(i);
    if (!arguments.save.empty()) {
      std::ofstream(arguments.save, std::ios::binary) << MakeMutant(sources, arguments.seed, i);
    }
    const std::string defect = ReadMutant(sources, arguments.seed, i, &statistics);
    if (defect.empty()) continue;
    std::fprintf(stderr, "mutant %llu: %s\n", static_cast<unsigned long long>(i), defect.c_str());
    ++num_defects;
  }
  std::printf(
      "%llu mutants of %zu files: %llu opened, %llu read whole, %d defects; "
      "peak %.1f MiB (mutant %llu), longest %.2f s (mutant %llu)\n",
      static_cast<unsigned long long>(statistics.num_read), sources.size(),
      static_cast<unsigned long long>(statistics.num_open),
      static_cast<unsigned long long>(statistics.num_whole), num_defects,
      static_cast<double>(statistics.peak_bytes) / (1 << 20),
      static_cast<unsigned long long>(statistics.peak_mutant), statistics.longest_seconds,
      static_cast<unsigned long long>(statistics.longest_mutant));
  return num_defects == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lance::fuzz

int main(int argc, char** argv) { return lance::fuzz::Run(lance::fuzz::Parse(argc, argv)); }
