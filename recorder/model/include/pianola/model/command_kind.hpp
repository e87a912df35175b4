// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "vocabulary.hpp"

namespace pianola::model {

// The payload of a command of kind `copy` is the struct copy_command. Files name kinds by these words, and hashes number
// them: new ones come last.
// clang-format off
#define PIANOLA_COMMAND_KINDS(WORD) \
  WORD(empty) \
  WORD(kernel) \
  WORD(copy) \
  WORD(fill) \
  WORD(host_task) \
  WORD(barrier) \
  WORD(prefetch) \
  WORD(advise) \
  WORD(host_access) \
  WORD(acquire) \
  WORD(subgraph) \
  WORD(allocate) \
  WORD(free)
// clang-format on

enum class command_kind : std::uint8_t { PIANOLA_COMMAND_KINDS(PIANOLA_ENUMERATOR) };
PIANOLA_VOCABULARY(command_kind, PIANOLA_COMMAND_KINDS)

// What programs call a command: messages and the nodes of graphs use these words.
// clang-format off
#define PIANOLA_NODE_KINDS(WORD) \
  WORD(empty) \
  WORD(kernel) \
  WORD(memcpy) \
  WORD(memset) \
  WORD(fill) \
  WORD(host_task) \
  WORD(barrier) \
  WORD(prefetch) \
  WORD(memadvise) \
  WORD(host_access) \
  WORD(update) \
  WORD(subgraph) \
  WORD(async_malloc) \
  WORD(async_free)
// clang-format on

enum class node_kind : std::uint8_t { PIANOLA_NODE_KINDS(PIANOLA_ENUMERATOR) };
PIANOLA_VOCABULARY(node_kind, PIANOLA_NODE_KINDS)

}  // namespace pianola::model
