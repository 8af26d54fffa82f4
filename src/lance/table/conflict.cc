#include "lance/table/conflict.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "lance/table/conflict_rules.h"

namespace lance::table {
namespace {

/// Kinds of operation, in the order of the rows and columns below.
enum Kind {
  kAppend,
  kDelete,
  kUpdate,
  kOverwrite,
  kCreateIndex,
  kRewrite,
  kMerge,
  kProject,
  kRestore,
  kReserve,
  kUpdateConfig,
  kDataReplacement,
  kMemWal,
  kClone,
  kUpdateBases,
  kOverlay,
  kNumKnownKinds,
};

// The cells: letters and notes of table-format 4.5.
constexpr ConflictRule kOk = RulePass;
constexpr ConflictRule kR = RuleRetry;
constexpr ConflictRule kX = RuleFail;
constexpr ConflictRule kF = RuleF;
constexpr ConflictRule kA = RuleA;
constexpr ConflictRule kAK2 = RuleAK2;
constexpr ConflictRule kK1 = RuleK1;
constexpr ConflictRule kN1 = RuleN1;
constexpr ConflictRule kN1K3 = RuleN1K3;
constexpr ConflictRule kD1 = RuleD1;
constexpr ConflictRule kD2 = RuleD2;
constexpr ConflictRule kD3 = RuleD3;
constexpr ConflictRule kD4 = RuleD4;
constexpr ConflictRule kB1 = RuleB1;
constexpr ConflictRule kO1 = RuleO1;
constexpr ConflictRule kO2 = RuleO2;
constexpr ConflictRule kO3 = RuleO3;
constexpr ConflictRule kW = RuleW;
constexpr ConflictRule kM1 = RuleM1;
constexpr ConflictRule kM2 = RuleM2;
constexpr ConflictRule kC1 = RuleC1;
constexpr ConflictRule kC2 = RuleC2;
constexpr ConflictRule kC3 = RuleC3;
constexpr ConflictRule kC4 = RuleC4;
constexpr ConflictRule kC5 = RuleC5;
constexpr ConflictRule kC6 = RuleC6;
constexpr ConflictRule kI1 = RuleI1;
constexpr ConflictRule kI2 = RuleI2;
constexpr ConflictRule kI3 = RuleI3;
constexpr ConflictRule kI4 = RuleI4;
constexpr ConflictRule kP = RuleP;

/// One row of the table: an operation of ours against each of theirs.
struct OperationRow {
  Kind ours;
  std::array<ConflictRule, kNumKnownKinds> theirs;
};

// clang-format off
constexpr OperationRow kRows[] = {
    //                   Append  Delete  Update  Overwr  Index   Rewr.   Merge   Projec  Restor  Reserv  Config  DataRe  MemWal  Clone   Bases   Overla
    {kAppend,          {kOk   , kOk   , kOk   , kX    , kOk   , kOk   , kN1   , kN1   , kX    , kOk   , kOk   , kOk   , kX    , kOk   , kOk   , kOk}},
    {kDelete,          {kOk   , kA    , kA    , kX    , kOk   , kF    , kR    , kOk   , kX    , kOk   , kOk   , kF    , kX    , kOk   , kOk   , kOk}},
    {kUpdate,          {kK1   , kAK2  , kAK2  , kX    , kOk   , kF    , kR    , kN1K3 , kX    , kOk   , kOk   , kF    , kW    , kOk   , kOk   , kO1}},
    {kOverwrite,       {kOk   , kOk   , kOk   , kC1   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kC2   , kOk   , kX    , kOk   , kOk   , kOk}},
    {kCreateIndex,     {kOk   , kOk   , kP    , kX    , kI1   , kI2   , kM1   , kOk   , kX    , kOk   , kOk   , kI3   , kM2   , kOk   , kOk   , kOk}},
    {kRewrite,         {kOk   , kF    , kF    , kX    , kI4   , kF    , kR    , kOk   , kX    , kOk   , kOk   , kF    , kOk   , kOk   , kOk   , kF}},
    {kMerge,           {kR    , kR    , kR    , kX    , kM1   , kR    , kR    , kX    , kX    , kOk   , kC3   , kR    , kX    , kOk   , kOk   , kR}},
    {kProject,         {kN1   , kOk   , kN1   , kX    , kOk   , kOk   , kR    , kR    , kX    , kOk   , kOk   , kN1   , kX    , kOk   , kOk   , kN1}},
    {kRestore,         {kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kC6   , kOk   , kX    , kOk   , kOk   , kOk}},
    {kReserve,         {kOk   , kOk   , kOk   , kX    , kOk   , kOk   , kOk   , kOk   , kX    , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk}},
    {kUpdateConfig,    {kOk   , kOk   , kOk   , kC4   , kOk   , kOk   , kC3   , kOk   , kC6   , kOk   , kC5   , kOk   , kOk   , kOk   , kOk   , kOk}},
    {kDataReplacement, {kOk   , kD1   , kD2   , kX    , kI3   , kF    , kR    , kD3   , kX    , kOk   , kOk   , kD4   , kX    , kOk   , kOk   , kOk}},
    {kMemWal,          {kX    , kX    , kW    , kX    , kM2   , kOk   , kX    , kX    , kX    , kOk   , kOk   , kX    , kW    , kX    , kOk   , kX}},
    {kClone,           {kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk}},
    {kUpdateBases,     {kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kOk   , kB1   , kOk}},
    {kOverlay,         {kOk   , kO2   , kO3   , kX    , kOk   , kF    , kR    , kN1   , kX    , kOk   , kOk   , kOk   , kX    , kOk   , kOk   , kOk}},
};
// clang-format on

static_assert(std::size(kRows) == kNumKnownKinds);

/// Kinds of foreign operations by their number in the Transaction message.
struct ForeignColumn {
  uint32_t field_number;
  Kind kind;
};

constexpr ForeignColumn kForeignColumns[] = {{112, kMemWal}, {113, kClone}, {115, kOverlay}};

/// The row or column of an operation; kNumKnownKinds: nobody knows it.
struct KindOf {
  Kind operator()(const Append&) const { return kAppend; }
  Kind operator()(const Delete&) const { return kDelete; }
  Kind operator()(const Update&) const { return kUpdate; }
  Kind operator()(const Overwrite&) const { return kOverwrite; }
  Kind operator()(const CreateIndex&) const { return kCreateIndex; }
  Kind operator()(const Rewrite&) const { return kRewrite; }
  Kind operator()(const Merge&) const { return kMerge; }
  Kind operator()(const Project&) const { return kProject; }
  Kind operator()(const Restore&) const { return kRestore; }
  Kind operator()(const ReserveFragments&) const { return kReserve; }
  Kind operator()(const UpdateConfig&) const { return kUpdateConfig; }
  Kind operator()(const DataReplacement&) const { return kDataReplacement; }
  Kind operator()(const UpdateBases&) const { return kUpdateBases; }
  Kind operator()(const ForeignOperation& foreign) const {
    const auto found =
        std::ranges::find(kForeignColumns, foreign.field_number, &ForeignColumn::field_number);
    return found == std::end(kForeignColumns) ? kNumKnownKinds : found->kind;
  }
};

}  // namespace

arrow::Result<ConflictVerdict> CheckConflict(const Operation& ours, const Operation& theirs) {
  const Kind row = std::visit(KindOf{}, ours);
  const Kind column = std::visit(KindOf{}, theirs);
  if (row == kNumKnownKinds) return Incompatible("nobody knows our operation");
  if (column == kNumKnownKinds) {
    const bool passes_all = row == kClone || row == kUpdateBases;
    return IncompatibleIf(!passes_all, "its operation is not known");
  }
  return kRows[row].theirs[column](ours, theirs);
}

}  // namespace lance::table
