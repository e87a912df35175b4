// SPDX-License-Identifier: Apache-2.0
#include "kernels/image_registry.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>

#include <pianola/runtime/images.hpp>

#include "support/log.hpp"

namespace pianola::runtime {

namespace {

using model::argument_use;
using model::index_factor;
using model::index_term;

// False for a kind that this library does not know.
bool translate(std::uint32_t encoded, index_factor& out) {
  out.where = encoded & PIANOLA_FACTOR_WHERE_MASK;
  switch (encoded >> PIANOLA_FACTOR_KIND_SHIFT) {
    case PIANOLA_FACTOR_U64:
      out.what = index_factor::kind::unsigned64;
      return true;
    case PIANOLA_FACTOR_S32:
      out.what = index_factor::kind::signed32;
      return true;
    case PIANOLA_FACTOR_U32:
      out.what = index_factor::kind::unsigned32;
      return true;
    case PIANOLA_FACTOR_ID:
      out.what = index_factor::kind::id;
      return out.where < 3;
    case PIANOLA_FACTOR_GLOBAL:
      out.what = index_factor::kind::global;
      return out.where < 3;
    case PIANOLA_FACTOR_OFFSET:
      out.what = index_factor::kind::offset;
      return out.where < 3;
    case PIANOLA_FACTOR_ONE:
      out = {};
      return true;
    default:
      return false;
  }
}

bool same_kernel(const pianola_kernel& a, const pianola_kernel& b) {
  return std::string_view(a.name) == b.name && a.kind == b.kind && a.dimensions == b.dimensions &&
         a.argument_bytes == b.argument_bytes && a.use_count == b.use_count;
}

}  // namespace

struct image_registry::entry {
  const pianola_image_set* set;
  const pianola_kernel* kernel;
  std::vector<index_term> terms;
  std::vector<argument_use> uses;
  model::kernel_facts facts;
  bool known = false;

  entry(const pianola_image_set* s, const pianola_kernel* k) : set(s), kernel(k) {
    known = (k->flags & PIANOLA_KERNEL_USES_KNOWN) != 0;
    if (!known) return;
    std::size_t count = 0;
    for (std::uint64_t i = 0; i < k->use_count; ++i) count += k->uses[i].term_count;
    terms.reserve(count);  // the views below stay valid
    for (std::uint64_t i = 0; i < k->use_count; ++i) uses.push_back(describe(k->uses[i]));
    facts.uses = {uses.data(), uses.size()};
    facts.only_uses = (k->flags & PIANOLA_KERNEL_USES_ONLY) != 0;
  }

  argument_use describe(const pianola_argument_use& from) {
    argument_use to;
    to.offset = from.offset;
    to.unknown = (from.flags & PIANOLA_USE_UNKNOWN) != 0;
    to.read = to.unknown || (from.flags & PIANOLA_USE_READ) != 0;
    to.written = to.unknown || (from.flags & PIANOLA_USE_WRITTEN) != 0;
    to.narrow = (from.flags & PIANOLA_USE_NARROW) != 0;
    if (to.unknown || (from.flags & PIANOLA_USE_ELEMENT_WISE) == 0) return to;
    const std::size_t first = terms.size();
    for (std::uint32_t i = 0; i < from.term_count; ++i) {
      index_term term;
      term.coefficient = from.terms[i].coefficient;
      for (int f = 0; f < PIANOLA_TERM_FACTORS; ++f)
        if (!translate(from.terms[i].factors[f], term.factors[f])) return to;
      terms.push_back(term);
    }
    to.element_wise = true;
    to.element_bytes = from.element_bytes;
    to.terms = {terms.data() + first, terms.size() - first};
    return to;
  }
};

static_assert(PIANOLA_TERM_FACTORS == index_term::max_factors);

image_registry::image_registry() = default;
image_registry::~image_registry() = default;

image_registry& image_registry::instance() noexcept {
  alignas(image_registry) static unsigned char storage[sizeof(image_registry)];
  static image_registry* const made = new (storage) image_registry;
  return *made;
}

void image_registry::add(const pianola_image_set* set) {
  if (set == nullptr) return;
  if (set->version != PIANOLA_IMAGE_SET_VERSION) {
    log_warn(
        "an object file carries kernels in format {}, this library reads format {}: its device "
        "code is not "
        "used; compile it with the pianolacc of this version of Pianola",
        set->version, PIANOLA_IMAGE_SET_VERSION);
    return;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (std::find(sets_.begin(), sets_.end(), set) != sets_.end()) return;
  sets_.push_back(set);
  generation_.fetch_add(1, std::memory_order_release);
  for (std::uint64_t i = 0; i < set->kernel_count; ++i) {
    const pianola_kernel& kernel = set->kernels[i];
    auto& same_id = kernels_[kernel.id];
    if (!same_id.empty()) {
      // One object file may be part of several libraries; different kernels must not share an id.
      if (same_kernel(*same_id.front()->kernel, kernel))
        log_info("kernel '{}' ({:016x}) is loaded more than once: the first one is used",
                 kernel.name, kernel.id);
      else
        log_warn(
            "kernels '{}' and '{}' have the same id {:016x}: the first one is used. Were two files "
            "of the "
            "same name and path compiled differently?",
            same_id.front()->kernel->name, kernel.name, kernel.id);
    }
    same_id.push_back(std::make_unique<entry>(set, &kernel));
  }
  log_trace("{} kernels and {} images registered", set->kernel_count, set->image_count);
}

bool image_registry::remove(const pianola_image_set* set) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto at = std::find(sets_.begin(), sets_.end(), set);
  if (at == sets_.end()) return false;
  sets_.erase(at);
  generation_.fetch_add(1, std::memory_order_release);
  for (std::uint64_t i = 0; i < set->kernel_count; ++i) {
    const auto found = kernels_.find(set->kernels[i].id);
    if (found == kernels_.end()) continue;
    auto& same_id = found->second;
    same_id.erase(std::remove_if(same_id.begin(), same_id.end(),
                                 [set](const auto& e) { return e->set == set; }),
                  same_id.end());
    if (same_id.empty()) kernels_.erase(found);
  }
  log_trace("{} kernels and {} images unregistered", set->kernel_count, set->image_count);
  return true;
}

const image_registry::entry* image_registry::find(model::kernel_id id) const noexcept {
  const auto found = kernels_.find(id.value());
  return found == kernels_.end() ? nullptr : found->second.front().get();
}

const pianola_kernel* image_registry::find_kernel(model::kernel_id id) const noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  const entry* e = find(id);
  return e == nullptr ? nullptr : e->kernel;
}

model::array_view<const pianola_image> image_registry::find_images(
    model::kernel_id id) const noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  const entry* e = find(id);
  if (e == nullptr) return {};
  return {e->set->images, e->set->image_count};
}

const model::kernel_facts* image_registry::find_facts(model::kernel_id id) const noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  const entry* e = find(id);
  return e == nullptr || !e->known ? nullptr : &e->facts;
}

std::size_t image_registry::size() const noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  return sets_.size();
}

const model::kernel_facts* find_kernel_facts(model::kernel_id id) noexcept {
  return image_registry::instance().find_facts(id);
}

}  // namespace pianola::runtime
