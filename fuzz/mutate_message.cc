#include "fuzz/mutate_message.h"

#include <limits>
#include <memory>
#include <vector>

#include "fuzz/input.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/stubs/logging.h"

namespace lance::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using testing::SeededRandom;

// Below this a message is left alone; parsers refuse what is that deep.
constexpr int kMaxDepth = 40;

/// A field of a message somewhere in the tree.
struct Place {
  Message* message;
  const FieldDescriptor* field;
};

/// List all fields of a message and of all that it holds.
void ListPlaces(Message* message, int depth, std::vector<Place>* places) {
  const auto* descriptor = message->GetDescriptor();
  const auto* reflection = message->GetReflection();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    places->push_back({message, field});
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || depth >= kMaxDepth) continue;
    if (!field->is_repeated()) {
      if (!reflection->HasField(*message, field)) continue;
      // What is there counts twice: most fields of most messages are not set.
      places->push_back({message, field});
      ListPlaces(reflection->MutableMessage(message, field), depth + 1, places);
      continue;
    }
    for (int k = 0; k < reflection->FieldSize(*message, field); ++k) {
      ListPlaces(reflection->MutableRepeatedMessage(message, field, k), depth + 1, places);
    }
  }
}

/// Changes one field. Borrows everything.
class FieldMutator {
 public:
  FieldMutator(const Place& place, const Message& whole, SeededRandom* random,
               const ByteMutator& mutate_bytes)
      : message_(place.message),
        field_(place.field),
        whole_(whole),
        reflection_(*place.message->GetReflection()),
        random_(random),
        mutate_bytes_(mutate_bytes) {}

  void Mutate() {
    if (field_->is_repeated()) return MutateRepeated();
    if (random_->OneIn(8)) return reflection_.ClearField(message_, field_);
    if (field_->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) return MutatePart();
    SetScalar();
  }

 private:
  /// A message of the field's type from elsewhere in the whole; null when there is none.
  std::unique_ptr<Message> FindOther() {
    std::unique_ptr<Message> copy(whole_.New());
    copy->CopyFrom(whole_);
    std::vector<Place> places;
    ListPlaces(copy.get(), 0, &places);
    std::vector<const Message*> found;
    for (const Place& place : places) {
      if (place.message->GetDescriptor() == field_->message_type()) found.push_back(place.message);
    }
    if (found.empty()) return nullptr;
    const Message& chosen = *found[random_->Below(found.size())];
    std::unique_ptr<Message> other(chosen.New());
    other->CopyFrom(chosen);
    return other;
  }

  void MutatePart() {
    const auto other = random_->OneIn(2) ? FindOther() : nullptr;
    Message* part = reflection_.MutableMessage(message_, field_);
    if (other != nullptr) {
      part->CopyFrom(*other);
    } else if (random_->OneIn(4)) {
      part->Clear();
    }
  }

  void MutateRepeated() {
    const int size = reflection_.FieldSize(*message_, field_);
    switch (random_->Below(4)) {
      case 0:
        return Add(size);
      case 1:
        if (size > 0) reflection_.RemoveLast(message_, field_);
        return;
      case 2:
        if (size > 1) {
          reflection_.SwapElements(message_, field_, Any(size), Any(size));
        }
        return;
      default:
        if (size == 0) return Add(size);
        if (field_->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) SetRepeated(Any(size));
        return;
    }
  }

  int Any(int size) { return static_cast<int>(random_->Below(static_cast<uint64_t>(size))); }

  void Add(int size) {
    switch (field_->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        Message* added = reflection_.AddMessage(message_, field_);
        if (size > 0 && !field_->is_map()) {
          added->CopyFrom(reflection_.GetRepeatedMessage(*message_, field_, Any(size)));
        }
        return;
      }
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection_.AddUInt64(message_, field_, MutateNumber(0, random_));
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection_.AddEnumValue(message_, field_, Any(8));
      default:
        return;  // our messages repeat nothing else
    }
  }

  void SetRepeated(int i) {
    if (field_->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      return reflection_.SetRepeatedEnumValue(message_, field_, i, Any(8));
    }
    if (field_->cpp_type() != FieldDescriptor::CPPTYPE_UINT64) return;
    const uint64_t old = reflection_.GetRepeatedUInt64(*message_, field_, i);
    reflection_.SetRepeatedUInt64(message_, field_, i, MutateNumber(old, random_));
  }

  void SetScalar() {
    switch (field_->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection_.SetInt32(
            message_, field_,
            static_cast<int32_t>(Changed(reflection_.GetInt32(*message_, field_))));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection_.SetInt64(
            message_, field_,
            static_cast<int64_t>(Changed(reflection_.GetInt64(*message_, field_))));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection_.SetUInt32(
            message_, field_,
            static_cast<uint32_t>(Changed(reflection_.GetUInt32(*message_, field_))));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection_.SetUInt64(message_, field_,
                                     Changed(reflection_.GetUInt64(*message_, field_)));
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection_.SetBool(message_, field_, !reflection_.GetBool(*message_, field_));
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection_.SetEnumValue(message_, field_, Any(8));
      case FieldDescriptor::CPPTYPE_STRING: {
        std::string bytes = reflection_.GetString(*message_, field_);
        mutate_bytes_(&bytes, bytes.size() + 16);
        return reflection_.SetString(message_, field_, std::move(bytes));
      }
      default:
        return;  // our messages have no other types
    }
  }

  template <typename T>
  uint64_t Changed(T number) {
    return MutateNumber(static_cast<uint64_t>(number), random_);
  }

  Message* message_;
  const FieldDescriptor* field_;
  const Message& whole_;
  const google::protobuf::Reflection& reflection_;
  SeededRandom* random_;
  const ByteMutator& mutate_bytes_;
};

}  // namespace

uint64_t MutateNumber(uint64_t number, SeededRandom* random) {
  switch (random->Below(8)) {
    case 0:
      return number + 1;
    case 1:
      return number - 1;
    case 2:
      return number * 2;
    case 3:
      return number ^ uint64_t { 1 } << random->Below(64);
    case 4:
      return random->Below(40);
    case 5:
      return (uint64_t{1} << random->Below(64)) - random->Below(2);
    case 6:
      return std::numeric_limits<uint64_t>::max() - random->Below(2);
    default:
      return number + random->Below(64) - 32;
  }
}

void MutateMessage(Message* message, SeededRandom* random, const ByteMutator& mutate_bytes) {
  std::vector<Place> places;
  ListPlaces(message, 0, &places);
  if (places.empty()) return;
  FieldMutator(places[random->Below(places.size())], *message, random, mutate_bytes).Mutate();
}

void MutateSerialized(const Message& prototype, size_t max_size, SeededRandom* random,
                      const ByteMutator& mutate_bytes, std::string* bytes) {
  const google::protobuf::LogSilencer silencer;
  std::unique_ptr<Message> message(prototype.New());
  if (random->OneIn(10) || !message->ParseFromString(*bytes)) {
    return mutate_bytes(bytes, max_size);
  }
  do {
    MutateMessage(message.get(), random, mutate_bytes);
  } while (random->OneIn(4));
  if (message->ByteSizeLong() <= max_size) *bytes = message->SerializePartialAsString();
}

void MutateSections(size_t message_section, const Message& prototype, std::string* input,
                    size_t max_size, uint64_t seed, const ByteMutator& mutate_bytes) {
  SeededRandom random(seed);
  std::vector<std::string> sections;
  for (const ExactBytes& section : SplitSections(AsBytes(*input))) {
    sections.emplace_back(reinterpret_cast<const char*>(section.data()), section.size());
  }
  const size_t room = input->size() < max_size ? max_size - input->size() : 0;
  if (sections.size() <= message_section || random.OneIn(30)) {
    sections.emplace_back();
  } else if (random.OneIn(30)) {
    sections.pop_back();
  } else if (random.OneIn(20)) {
    std::swap(sections[random.Below(sections.size())], sections.back());
  }
  const bool wants_message = message_section < sections.size() && random.OneIn(3);
  const size_t i = wants_message ? message_section : random.Below(sections.size());
  if (i == message_section) {
    MutateSerialized(prototype, sections[i].size() + room, &random, mutate_bytes, &sections[i]);
  } else {
    mutate_bytes(&sections[i], sections[i].size() + room);
  }
  *input = JoinSections(sections);
}

}  // namespace lance::fuzz
