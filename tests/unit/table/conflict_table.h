#pragma once

#include <string_view>

namespace lance::table {

// The conflict rules of table-format 4.5 as data: its table word for word, and what each of its
// notes says of two samples of operations.

/// Rows: ours. Columns: theirs.
inline constexpr std::string_view kConflictTable =
    R"(| ours \ theirs | Append | Delete | Update | Overwrite | CreateIndex | Rewrite | Merge | Project | Restore | Reserve | UpdConfig | DataRepl | MemWal | Clone | UpdBases | Overlay |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
| Append | . | . | . | X | . | . | n1 | n1 | X | . | . | . | X | . | . | . |
| Delete | . | a | a | X | . | f | R | . | X | . | . | f | X | . | . | . |
| Update | k1 | a,k2 | a,k2 | X | . | f | R | n1,k3 | X | . | . | f | w | . | . | o1 |
| Overwrite | . | . | . | c1 | . | . | . | . | . | . | c2 | . | X | . | . | . |
| CreateIndex | . | . | p | X | i1 | i2 | m1 | . | X | . | . | i3 | m2 | . | . | . |
| Rewrite | . | f | f | X | i4 | f,r1 | R | . | X | . | . | f | . | . | . | f |
| Merge | R | R | R | X | m1 | R | R | X | X | . | c3 | R | X | . | . | R |
| Project | n1 | . | n1 | X | . | . | R | R | X | . | . | n1 | X | . | . | n1 |
| Restore | . | . | . | . | . | . | . | . | . | . | c6 | . | X | . | . | . |
| Reserve | . | . | . | X | . | . | . | . | X | . | . | . | . | . | . | . |
| UpdConfig | . | . | . | c4 | . | . | c3 | . | c6 | . | c5 | . | . | . | . | . |
| DataRepl | . | d1 | d2 | X | i3 | f | R | d3 | X | . | . | d4 | X | . | . | . |
| MemWal | X | X | w | X | m2 | . | X | X | X | . | . | X | w | X | . | X |
| Clone | . | . | . | . | . | . | . | . | . | . | . | . | . | . | . | . |
| UpdBases | . | . | . | . | . | . | . | . | . | . | . | . | . | . | b1 | . |
| Overlay | . | o2 | o3 | X | . | f | R | n1 | X | . | . | . | X | . | . | . |
)";

/// What a note gives for two operations that have nothing in common, and for two that collide in
/// everything: fragment 1, fields, keys, index names, shards, paths; where theirs removes fragment
/// 9 that ours replaces or overlays, too. 'B': rebase.
struct ConflictNote {
  std::string_view note;
  char apart;
  char colliding;
};

inline constexpr ConflictNote kConflictNotes[] = {
    {".", '.', '.'},
    {"R", 'R', 'R'},
    {"X", 'X', 'X'},
    {"f", '.', 'R'},
    {"a", '.', 'B'},
    {"n1", '.', 'R'},
    {"k1", '.', '.'},  // the sample inserts no keys; with keys: ConflictNoteTest
    {"k2", '.', '.'},  // the same
    {"k3", '.', 'R'},
    {"c1", 'R', 'X'},
    {"c2", '.', 'X'},
    {"c3", '.', 'R'},
    {"c4", '.', 'X'},
    {"c5", '.', 'X'},
    {"c6", '.', 'X'},
    {"i1", '.', 'R'},
    {"i2", '.', 'R'},
    {"i3", '.', 'R'},
    {"i4", '.', 'R'},
    {"r1", '.', 'R'},
    {"p", '.', 'R'},  // stricter than the text, which takes
                      // the fragment out of the coverage
    {"m1", '.', 'R'},
    {"m2", 'X', 'R'},   // ours CreateIndex: stricter than the text, which merges
                        // both states
    {"m2t", '.', 'X'},  // theirs CreateIndex, which the text gives in the same note
    {"w", '.', 'X'},
    {"d1", '.', 'X'},
    {"d2", '.', 'X'},
    {"d3", '.', 'X'},
    {"d4", '.', 'R'},
    {"b1", '.', 'X'},
    {"o1", '.', 'R'},
    {"o2", '.', 'R'},
    {"o3", '.', 'R'},
};

}  // namespace lance::table
