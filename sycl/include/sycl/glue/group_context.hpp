// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pianola::glue {

/// Number of work-items of a sub-group on the host, in both compile modes, for a kernel that requires no
/// other. The last sub-group of a work-group may be smaller. The macro, the same in all files of a program, chooses
/// another size; pianolacc defines it for --pianola-sub-group-size.
#if defined(PIANOLA_SUB_GROUP_SIZE)
#define PIANOLA_HAS_CHOSEN_SUB_GROUP_SIZE 1
inline constexpr std::uint32_t sub_group_size = PIANOLA_SUB_GROUP_SIZE;
static_assert(sub_group_size == 8 || sub_group_size == 16 || sub_group_size == 32 ||
                  sub_group_size == 64,
              "PIANOLA_SUB_GROUP_SIZE takes 8, 16, 32 or 64");
#else
#define PIANOLA_HAS_CHOSEN_SUB_GROUP_SIZE 0
inline constexpr std::uint32_t sub_group_size = 8;
#endif
/// 0 if the program leaves it to us.
inline constexpr std::uint32_t chosen_sub_group_size =
    PIANOLA_HAS_CHOSEN_SUB_GROUP_SIZE ? sub_group_size : 0;
#undef PIANOLA_HAS_CHOSEN_SUB_GROUP_SIZE

/// What a running work-group lends to the index-space classes (sycl::group, sycl::nd_item,
/// sycl::sub_group) so that they can reach a barrier. The launcher fills one in per running
/// work-group and keeps it alive, at the same address, until the last work-item of the group has
/// returned.
///
/// A null pointer to a context is valid: it says that the work-group needs no scheduling (one
/// work-item, or the group scope of a hierarchical kernel), and barriers are then no-ops.
struct group_context {
  /// Returns once every work-item of the work-group has called it or has left. Called from inside a work-item.
  void (*barrier)(const group_context&);
  /// Returns once every work-item of the calling work-item's sub-group has called it or has left.
  void (*sub_group_barrier)(const group_context&);
  /// Two pointers per work-item of the work-group, by local linear id, for group algorithms. The first is where the
  /// work-item leaves the address of its operand for the others: null while it has none, and once it has left. The
  /// second is the first present work-item's to write between two barriers.
  void** (*slots)(const group_context&);
  /// Belongs to the launcher; the index-space classes never look at it.
  void* scheduler;
  /// Work-items of a sub-group.
  std::uint32_t sub_group_size;
  /// Called when a work-item asks for its sub-group: others may meet in theirs although this one does not. Null:
  /// nobody needs to know.
  void (*expect_sub_groups)(const group_context&) = nullptr;
  /// Returns once all of `members`, a bit for each work-item of the calling work-item's sub-group, have left or called
  /// it with the same members.
  void (*members_barrier)(const group_context&, std::uint64_t members) = nullptr;
  /// Returns once nobody in the work-group can go on otherwise: the members of the sub-group that called it with the
  /// same place.
  std::uint64_t (*meet_at)(const group_context&, std::uint64_t place) = nullptr;
  /// Whether work-items of the work-group have left. Null: none has.
  bool (*some_have_left)(const group_context&) = nullptr;
};

}  // namespace pianola::glue
