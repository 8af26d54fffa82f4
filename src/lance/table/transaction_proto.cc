#include "lance/table/transaction_proto.h"

#include <utility>

#include "google/protobuf/unknown_field_set.h"
#include "lance/base/status_detail.h"
#include "lance/table/operation_proto.h"
#include "lance/table/row_operation_proto.h"
#include "lance/table/schema_operation_proto.h"
#include "lance/table/wire_proto.h"

namespace lance::table {
namespace {

using TransactionMessage = lance_pb::table::Transaction;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

// Numbers that the published schema keeps for operations (table-format 2.8).
constexpr int kFirstOperation = 100;
constexpr int kLastOperation = 199;

bool IsOperation(const UnknownField& field) {
  return field.type() == UnknownField::TYPE_LENGTH_DELIMITED && field.number() >= kFirstOperation &&
         field.number() <= kLastOperation;
}

/// Find the operation among the fields that our schema does not name, and take it out of them.
arrow::Result<ForeignOperation> TakeForeignOperation(TransactionMessage* message) {
  UnknownFieldSet* unknown = message->GetReflection()->MutableUnknownFields(message);
  int found = -1;  // of several the last counts, as for every oneof
  for (int i = 0; i < unknown->field_count(); ++i) {
    if (IsOperation(unknown->field(i))) found = i;
  }
  if (found < 0) return ForeignOperation{.name = "unknown"};
  const auto number = static_cast<uint32_t>(unknown->field(found).number());
  std::string bytes = unknown->field(found).length_delimited();
  unknown->DeleteSubrange(found, 1);
  return ParseForeignOperation(number, std::move(bytes));
}

arrow::Result<Operation> ParseOperation(TransactionMessage* message) {
  switch (message->operation_case()) {
    case TransactionMessage::kAppend:
      return ParseAppend(message->append());
    case TransactionMessage::kOverwrite:
      return ParseOverwrite(message->overwrite());
    case TransactionMessage::kCreateIndex:
      return ParseCreateIndex(message->create_index());
    case TransactionMessage::kRewrite:
      return ParseRewrite(message->rewrite());
    case TransactionMessage::kReserveFragments:
      return ReserveFragments{message->reserve_fragments().num_fragments()};
    case TransactionMessage::kUpdateConfig:
      return ParseUpdateConfig(message->update_config());
    case TransactionMessage::kDelete:
      return ParseDelete(message->delete_());
    case TransactionMessage::kUpdate:
      return ParseUpdate(message->update());
    case TransactionMessage::kMerge:
      return ParseMerge(message->merge());
    case TransactionMessage::kProject:
      return ParseProject(message->project());
    case TransactionMessage::kRestore:
      return ParseRestore(message->restore());
    case TransactionMessage::kDataReplacement:
      return ParseDataReplacement(message->data_replacement());
    case TransactionMessage::kUpdateBases:
      return ParseUpdateBases(message->update_bases());
    case TransactionMessage::OPERATION_NOT_SET:
      break;
  }
  return TakeForeignOperation(message);
}

}  // namespace

arrow::Result<Transaction> ParseTransaction(std::string_view bytes) {
  TransactionMessage message;
  ARROW_RETURN_NOT_OK(ParseMessage(bytes, "transaction", &message));
  ARROW_RETURN_NOT_OK(CheckText(message.uuid(), "transaction uuid"));
  ARROW_RETURN_NOT_OK(CheckText(message.tag(), "transaction tag"));
  Transaction transaction;
  transaction.read_version = message.read_version();
  transaction.uuid = message.uuid();
  transaction.tag = message.tag();
  ARROW_ASSIGN_OR_RAISE(transaction.properties,
                        ParseTextMap(message.transaction_properties(), "transaction properties"));
  auto operation = ParseOperation(&message);
  if (!operation.ok()) return WithContext(operation.status(), "transaction " + message.uuid());
  transaction.operation = *std::move(operation);
  transaction.unknown_fields = TakeUnknownFields(message);
  return transaction;
}

arrow::Result<std::string> SerializeTransaction(const Transaction& transaction) {
  TransactionMessage message;
  message.set_read_version(transaction.read_version);
  message.set_uuid(transaction.uuid);
  message.set_tag(transaction.tag);
  WriteTextMap(transaction.properties, message.mutable_transaction_properties());
  WriteOperation(transaction.operation, &message);
  if (!transaction.unknown_fields.empty()) {
    UnknownFieldSet rest;
    (void)rest.ParseFromString(transaction.unknown_fields);  // our own serialization
    message.GetReflection()->MutableUnknownFields(&message)->MergeFrom(rest);
  }
  return SerializeMessage(message, "transaction");
}

}  // namespace lance::table
