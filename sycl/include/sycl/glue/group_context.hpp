// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pianola::glue {

/// Number of work-items of a sub-group on the host, in both compile modes, for a kernel that requires no
/// other. The last sub-group of a work-group may be smaller. A program whose kernels require a size by an attribute,
/// which only pianolacc sees, may define the macro for other compilers.
#if defined(PIANOLA_SUB_GROUP_SIZE) && !defined(__PIANOLACC__)
inline constexpr std::uint32_t sub_group_size = PIANOLA_SUB_GROUP_SIZE;
static_assert(sub_group_size == 8 || sub_group_size == 16 || sub_group_size == 32 ||
                  sub_group_size == 64,
              "PIANOLA_SUB_GROUP_SIZE takes 8, 16, 32 or 64");
#else
inline constexpr std::uint32_t sub_group_size = 8;
#endif

/// What a running work-group lends to the index-space classes (sycl::group, sycl::nd_item,
/// sycl::sub_group) so that they can reach a barrier. The launcher fills one in per running
/// work-group and keeps it alive, at the same address, until the last work-item of the group has
/// returned.
///
/// A null pointer to a context is valid: it says that the work-group needs no scheduling (one
/// work-item, or the group scope of a hierarchical kernel), and barriers are then no-ops.
struct group_context {
  /// Returns once every work-item of the work-group has called it. Called from inside a work-item.
  void (*barrier)(const group_context&);
  /// Returns once every work-item of the calling work-item's sub-group has called it.
  void (*sub_group_barrier)(const group_context&);
  /// One pointer per work-item of the work-group, by local linear id, for group algorithms to leave
  /// addresses of their operands for each other. Everybody's to write between two barriers.
  void** (*slots)(const group_context&);
  /// Belongs to the launcher; the index-space classes never look at it.
  void* scheduler;
  /// Work-items of a sub-group.
  std::uint32_t sub_group_size;
  /// Called when a work-item asks for its sub-group: others may meet in theirs although this one does not. Null:
  /// nobody needs to know.
  void (*expect_sub_groups)(const group_context&) = nullptr;
  /// Returns once all of `members`, a bit for each work-item of the calling work-item's sub-group, have called it with
  /// the same members. Null: sub_group_barrier tells why it cannot be.
  void (*members_barrier)(const group_context&, std::uint64_t members) = nullptr;
  /// Returns once nobody in the work-group can go on otherwise: the members of the sub-group that called it with the
  /// same place. Null as well.
  std::uint64_t (*meet_at)(const group_context&, std::uint64_t place) = nullptr;
};

}  // namespace pianola::glue
