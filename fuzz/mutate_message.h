#pragma once

#include <string>

#include "fuzz/target.h"
#include "lance/testing/seeded_random.h"

namespace google::protobuf {
class Message;
}

namespace lance::fuzz {

/// Change one thing anywhere in a message: a number, some bytes, a part that comes, goes or is
/// replaced by another one of its type.
void MutateMessage(google::protobuf::Message* message, testing::SeededRandom* random,
                   const ByteMutator& mutate_bytes);

/// Change a serialized message once or a few times; bytes that are no such message are changed as
/// bytes.
///
/// \param prototype gives the type
void MutateSerialized(const google::protobuf::Message& prototype, size_t max_size,
                      testing::SeededRandom* random, const ByteMutator& mutate_bytes,
                      std::string* bytes);

/// Replace a number by one that breaks things: off by one, a power of two, all bits.
uint64_t MutateNumber(uint64_t number, testing::SeededRandom* random);

/// Change the sections of an input (SplitSections): one of them, or how many there are.
///
/// \param message_section the section that is a serialized message
/// \param prototype gives its type
void MutateSections(size_t message_section, const google::protobuf::Message& prototype,
                    std::string* input, size_t max_size, uint64_t seed,
                    const ByteMutator& mutate_bytes);

}  // namespace lance::fuzz
