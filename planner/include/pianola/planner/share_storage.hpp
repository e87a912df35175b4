// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/saturating.hpp>

namespace pianola::planner {

// Slots of shared storage begin at multiples of this, in bytes: what a vector or a DMA engine asks for at most.
inline constexpr std::uint64_t slot_alignment = 256;

// What `bytes` take in shared storage; at least one unit.
[[nodiscard]] constexpr std::uint64_t slot_bytes(std::uint64_t bytes) noexcept {
  return model::saturating_round_up(bytes == 0 ? 1 : bytes, slot_alignment);
}

// Memory that a recorded graph owns: from one of its commands to another.
struct storage_request {
  static constexpr std::uint32_t never = 0xffffffffU;
  static constexpr std::uint64_t anywhere = ~std::uint64_t{0};  // has no place so far
  std::uint64_t bytes = 0;
  std::uint32_t born = 0;      // the command from which on it is there
  std::uint32_t died = never;  // the command after which nobody uses it
};

struct storage_layout {
  std::vector<std::uint64_t> offsets;  // index: request; multiples of the alignment
  // Of one allocation that holds them all; without an end (2^64 - 1) if 64 bits cannot count them.
  std::uint64_t bytes = 0;
  std::uint64_t looked_at = 0;  // places of others, to find these
};

// Places all requests in one allocation. Two share bytes only if one has died before the other is born in whatever
// order commands may run that `edges` allow. Edges are pairs (earlier, later) of numbers of commands, sorted, and
// always point from a smaller number to a larger one (command_edges). `fixed`: offsets that requests have and keep, by
// request, or storage_request::anywhere; none at all is the same as anywhere for all.
[[nodiscard]] storage_layout share_storage(
    model::array_view<const storage_request> requests,
    model::array_view<const std::pair<std::uint32_t, std::uint32_t>> edges,
    std::uint64_t alignment = slot_alignment, model::array_view<const std::uint64_t> fixed = {});

// A request by points on lines of time, such as positions in the lanes of a plan.
struct timed_request {
  struct span {
    std::uint32_t line = 0;
    std::uint32_t first = 0;  // points
    std::uint32_t last = 0;
  };
  std::uint64_t bytes = 0;
  std::vector<span> takes;   // when the bytes are taken
  std::vector<span> avoids;  // when the bytes of others would be in the way
};

// The same for requests in the order in which they come to be needed. Two share bytes only if none of the one's spans to
// avoid meets any that the other takes, and the other way round: each pair has to say so on both sides or on neither.
[[nodiscard]] storage_layout share_storage(model::array_view<const timed_request> requests,
                                           std::uint64_t alignment = slot_alignment);

// The same for memory whose addresses must be known while commands are still being recorded: each request gets its place
// when it comes, for good. What the graph owns grows in place, or, where memory cannot, by whole blocks, in which places
// are shared; a request that fits into no block makes one of its own size. All blocks together never hold more than all
// requests.
class growing_storage {
 public:
  enum class growth : std::uint8_t { by_blocks, in_place };
  struct place {
    std::uint32_t block = 0;
    std::uint64_t offset = 0;  // in the block; a multiple of the alignment
    bool new_block = false;
    std::uint64_t block_bytes =
        0;  // of the block, with this place; more than before where it grows in place
    std::uint64_t looked_at = 0;  // places of others, to find this
  };
  explicit growing_storage(growth how = growth::by_blocks, std::uint64_t alignment = slot_alignment)
      : growth_(how), alignment_(alignment) {}

  // Where a request can go. `gone[i]` is not 0 if the request that was the i-th to be added has died before this one is
  // born, in whatever order commands may run.
  [[nodiscard]] place find(std::uint64_t bytes, const std::vector<char>& gone) const;
  // The request takes this place, which was found with nothing added since.
  void add(std::uint64_t bytes, const place& where);

  [[nodiscard]] std::uint64_t bytes() const noexcept;
  // Bytes of the blocks before this one.
  [[nodiscard]] std::uint64_t start_of(std::uint32_t block) const noexcept;

 private:
  struct taken {
    std::size_t request;
    std::uint64_t from, to;
  };
  struct block {
    std::uint64_t bytes;
    std::vector<taken> placed;
  };
  [[nodiscard]] std::uint64_t space(std::uint64_t bytes) const noexcept;
  // The lowest offset in a block that so many bytes can have.
  static std::uint64_t gap_in(const block& b, std::uint64_t bytes, const std::vector<char>& gone);

  growth growth_;
  std::uint64_t alignment_;
  std::vector<block> blocks_;
  std::size_t requests_ = 0;
};

}  // namespace pianola::planner
