// SPDX-License-Identifier: Apache-2.0
#include "kernels/image_registry.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>

#include <pianola/model/arena.hpp>
#include <pianola/model/footprint.hpp>
#include <pianola/runtime/images.hpp>

#include "support/log.hpp"

namespace pianola::runtime {

namespace {

using model::access_condition;
using model::argument_use;
using model::counted_access;
using model::counted_operations;
using model::index_factor;
using model::index_term;

// Of what is made of one kernel's facts.
constexpr std::size_t small_blocks = 1024;

// False for a kind that this library does not know.
bool factor_of(std::uint32_t encoded, index_factor& out) {
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
    case PIANOLA_FACTOR_GROUP:
      out.what = index_factor::kind::group;
      return out.where < 3;
    case PIANOLA_FACTOR_LOCAL_SIZE:
      out.what = index_factor::kind::local_size;
      return out.where < 3;
    case PIANOLA_FACTOR_GROUPS:
      out.what = index_factor::kind::groups;
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
  model::arena storage{small_blocks};
  std::vector<argument_use> uses;
  model::kernel_facts facts;
  bool known = false;

  entry(const pianola_image_set* s, const pianola_kernel* k) : set(s), kernel(k) {
    known = (k->flags & PIANOLA_KERNEL_USES_KNOWN) != 0;
    if (!known) return;
    for (std::uint64_t i = 0; i < k->use_count; ++i) uses.push_back(describe(k->uses[i]));
    facts.uses = {uses.data(), uses.size()};
    facts.only_uses = (k->flags & PIANOLA_KERNEL_USES_ONLY) != 0;
    if ((k->flags & PIANOLA_KERNEL_OPERATIONS_KNOWN) != 0)
      facts.operations_known = count(*k, facts.operations);
  }

  argument_use describe(const pianola_argument_use& from) {
    argument_use to;
    to.offset = from.offset;
    to.unknown = (from.flags & PIANOLA_USE_UNKNOWN) != 0;
    to.read = to.unknown || (from.flags & PIANOLA_USE_READ) != 0;
    to.written = to.unknown || (from.flags & PIANOLA_USE_WRITTEN) != 0;
    to.narrow = (from.flags & PIANOLA_USE_NARROW) != 0;
    if (to.unknown) return to;
    if ((from.flags & PIANOLA_USE_ELEMENT_WISE) != 0 &&
        translate({from.term_count, from.terms}, to.terms)) {
      to.element_wise = true;
      to.element_bytes = from.element_bytes;
    }
    if ((from.flags & PIANOLA_USE_LISTED) != 0) to.listed = list(from, to.accesses);
    return to;
  }

  bool list(const pianola_argument_use& from, model::array_view<const counted_access>& to) {
    std::vector<counted_access> all(from.access_count);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!translate(from.accesses[i], all[i])) return false;
    to = storage.copy(model::array_view<const counted_access>(all));
    return true;
  }

  bool count(const pianola_kernel& from, model::array_view<const counted_operations>& to) {
    std::vector<counted_operations> all(from.operation_count);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const pianola_operations& o = from.operations[i];
      all[i].simple = o.simple;
      all[i].divisions = o.divisions;
      all[i].functions = o.functions;
      all[i].narrow = (o.flags & PIANOLA_OPERATIONS_NARROW) != 0;
      if (!translate({o.loops, o.loop_count}, all[i].loops) ||
          !translate({o.conditions, o.condition_count}, all[i].conditions))
        return false;
    }
    to = storage.copy(model::array_view<const counted_operations>(all));
    return true;
  }

  bool translate(const pianola_access& from, counted_access& to) {
    to.read = (from.flags & PIANOLA_ACCESS_READ) != 0;
    to.written = (from.flags & PIANOLA_ACCESS_WRITTEN) != 0;
    to.certain = (from.flags & PIANOLA_ACCESS_CERTAIN) != 0;
    to.narrow = (from.flags & PIANOLA_ACCESS_NARROW) != 0;
    to.length = from.bytes;
    return translate(from.flags >> PIANOLA_ACCESS_REDUCTION_SHIFT & PIANOLA_ACCESS_REDUCTION_MASK,
                     to.reduction) &&
           translate({from.loops, from.loop_count}, to.loops) &&
           translate({from.conditions, from.condition_count}, to.conditions) &&
           translate(from.start, to.start);
  }

  bool translate(const model::array_view<const pianola_access_loop>& from,
                 model::array_view<const model::counted_loop>& to) {
    std::vector<model::counted_loop> loops(from.size());
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const pianola_access_loop& l = from[i];
      if (l.divisor == 0 || !translate(l.stride, loops[i].stride) ||
          !translate(l.count, loops[i].count))
        return false;
      loops[i].least = l.least;
      loops[i].plus = l.plus;
      loops[i].divisor = l.divisor;
      loops[i].extra = l.extra;
      loops[i].is_unsigned = (l.flags & PIANOLA_LOOP_UNSIGNED) != 0;
    }
    to = storage.copy(model::array_view<const model::counted_loop>(loops));
    return true;
  }

  bool translate(const model::array_view<const pianola_access_condition>& from,
                 model::array_view<const access_condition>& to) {
    std::vector<access_condition> conditions(from.size());
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      const pianola_access_condition& c = from[i];
      if (!translate(c.kind, conditions[i].what) || !translate(c.a, conditions[i].a) ||
          !translate(c.b, conditions[i].b))
        return false;
    }
    to = storage.copy(model::array_view<const access_condition>(conditions));
    return true;
  }

  // The numbers are those of the table.
  static bool translate(std::uint32_t by, model::reduction_operation& to) {
    to = static_cast<model::reduction_operation>(by);
    return by < model::word_count<model::reduction_operation>;
  }

  static bool translate(std::uint64_t kind, access_condition::kind& to) {
    switch (kind) {
      case PIANOLA_CONDITION_AT_LEAST:
        to = access_condition::kind::at_least;
        return true;
      case PIANOLA_CONDITION_GREATER:
        to = access_condition::kind::greater;
        return true;
      case PIANOLA_CONDITION_BELOW:
        to = access_condition::kind::below;
        return true;
      case PIANOLA_CONDITION_NOT_BELOW:
        to = access_condition::kind::not_below;
        return true;
      case PIANOLA_CONDITION_DIFFERENT:
        to = access_condition::kind::different;
        return true;
      default:
        return false;
    }
  }

  bool translate(const pianola_index_sum& from, model::index_sum& to) {
    std::vector<index_term> terms(from.term_count);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      terms[i].coefficient = from.terms[i].coefficient;
      for (int f = 0; f < PIANOLA_TERM_FACTORS; ++f)
        if (!factor_of(from.terms[i].factors[f], terms[i].factors[f])) return false;
    }
    to = storage.copy(model::array_view<const index_term>(terms));
    return true;
  }
};

static_assert(PIANOLA_TERM_FACTORS == index_term::max_factors);
static_assert(PIANOLA_ACCESS_LOOPS == model::affine_access::max_loops);
static_assert(static_cast<int>(model::reduction_operation::bit_xor) == PIANOLA_REDUCTION_XOR &&
              static_cast<int>(model::reduction_operation::unsigned_maximum) ==
                  PIANOLA_REDUCTION_UNSIGNED_MAXIMUM &&
              static_cast<int>(model::reduction_operation::float_maximum) ==
                  PIANOLA_REDUCTION_FLOAT_MAXIMUM);

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

model::array_view<const pianola_variable> image_registry::find_variables(
    model::kernel_id id) const noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  const entry* e = find(id);
  if (e == nullptr) return {};
  return {e->set->variables, e->set->variable_count};
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
