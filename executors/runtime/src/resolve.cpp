// SPDX-License-Identifier: Apache-2.0
// From commands of the model to steps with addresses.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>

#include <pianola/host/thread_storage.hpp>
#include <pianola/model/aspects.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/texture.hpp>

#include "submit.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Storage that is used again by every submission of a thread.
struct slot_storage {
  std::vector<model::argument_slot> buffers;
  std::vector<model::argument_slot> local;
  std::vector<model::argument_slot> textures;
};

std::string text(const model::point3& p, unsigned dimensions) {
  std::string s = "(";
  for (unsigned d = 3 - dimensions; d < 3; ++d)
    s += (d == 3 - dimensions ? "" : ", ") + std::to_string(p.c[d]);
  return s + ")";
}

struct place {
  unsigned char* base;
  model::memory_id memory;
};

place place_of(const model::memory_operand& o, const address_book& book) {
  if (o.requirement == model::memory_operand::no_requirement)
    return {static_cast<unsigned char*>(o.pointer) + o.byte_offset, o.memory};
  return {static_cast<unsigned char*>(book.address(o.requirement)) + o.byte_offset,
          book.memory(o.requirement)};
}

// Whether the word is the last one of an accessor that knows its buffer.
bool ends_accessor(std::uint64_t word, bool placeholder) noexcept {
  return word >> 40 == (std::uint64_t{accessor_mark} << 8 | (placeholder ? 1U : 0U));
}

// What is left in a std::optional without a value looks like an accessor, with a zero behind it.
bool is_in_use(const unsigned char* bytes, std::size_t size, std::size_t end) noexcept {
  return end == size || bytes[end] != 0;
}

// Whether the bytes behind a cookie are the rest of an accessor that knows its buffer, one that `accepts` its key and
// where it ends.
template <class F>
bool whole_accessor_before(const unsigned char* bytes, std::size_t size, bool placeholder,
                           F&& accepts) {
  std::uint64_t words[2];
  for (std::size_t at = 0; at <= most_shape_bytes && at + sizeof words <= size;
       at += sizeof *words) {
    std::memcpy(words, bytes + at, sizeof words);
    // What follows belongs to another one.
    if (is_cookie(cookie_prefix, words[0]) || is_cookie(placeholder_cookie_prefix, words[0]))
      return false;
    if (ends_accessor(words[1], placeholder)) return accepts(words[0], at + sizeof words);
  }
  return false;
}

// A cookie that the command group does not know: an accessor of another one, if that is certain enough. What is left in
// padding is no whole accessor; what is left in a std::optional without a value is one, with a zero behind it. Raw
// accessors, and those that do not know their buffer, cannot be told.
bool is_foreign_accessor(const unsigned char* behind, std::size_t size) {
  return whole_accessor_before(behind, size, false, [&](std::uint64_t key, std::size_t end) {
    return buffer_key(key).valid() && is_in_use(behind, size, end);
  });
}

// Likewise a local accessor whose memory begins behind all that the command group has, but for one of no dimensions: its
// extent follows.
bool is_foreign_local_accessor(const submission& s, std::uint64_t cookie,
                               const unsigned char* behind, std::size_t size) {
  std::uint64_t extent = 0;
  if (local_cookie_offset(cookie) < s.local_memory_bytes || size < sizeof extent) return false;
  std::memcpy(&extent, behind, sizeof extent);
  return extent != 0 && extent <= std::uint64_t{1} << 36 && is_in_use(behind, size, sizeof extent);
}

[[noreturn]] void refuse_foreign_accessor(const char* whose, const char* what) {
  throw user_error(
      error_code::kernel_argument,
      std::string(whose) + " captures " + what +
          " that was made in another command group, and is of no use in this one: make " + what +
          " in each command group, or an accessor without a handler that each of them requires");
}

// Accessors of host tasks have an address where those of kernels have a cookie: nothing faults, the task would see what
// happens to be there. Known by their end, as others are.
void check_accessors_of_host_task(const submission& s) {
  const model::argument_block& block = s.arguments.block();
  const auto* bytes = static_cast<const unsigned char*>(block.bytes);
  std::uint64_t words[2];
  for (std::size_t at = 0; at + sizeof words <= block.size; at += sizeof *words) {
    std::memcpy(words, bytes + at, sizeof words);
    const buffer_key key(words[0]);
    if (!ends_accessor(words[1], false) || !key.valid() ||
        !is_in_use(bytes, block.size, at + sizeof words))
      continue;
    const auto is_of = [&](const accessor_request& a) { return a.buffer == key; };
    if (std::none_of(s.accessors.begin(), s.accessors.end(), is_of))
      refuse_foreign_accessor("the host task", "an accessor");
  }
}

// The placeholder accessors that command groups required last, and their buffers. Right programs leave the cookie of one
// of them behind in the padding of their kernels: in a command group that does not require it, it counts only as part
// of a whole accessor.
class required_placeholders {
 public:
  void add(std::uint64_t cookie, buffer_key buffer) noexcept {
    entry& e = last_[cookie % last_.size()];
    if (e.cookie.load(std::memory_order_relaxed) == cookie) return;
    e.cookie.store(0, std::memory_order_relaxed);
    e.buffer.store(buffer.value(), std::memory_order_release);
    e.cookie.store(cookie, std::memory_order_release);
  }
  // `bytes` are those behind the cookie.
  bool are_stray_bytes(std::uint64_t cookie, const unsigned char* bytes,
                       std::size_t size) noexcept {
    const entry& e = last_[cookie % last_.size()];
    if (e.cookie.load(std::memory_order_acquire) != cookie) return false;
    const std::uint64_t buffer = e.buffer.load(std::memory_order_acquire);
    if (e.cookie.load(std::memory_order_relaxed) != cookie) return true;
    return !whole_accessor_before(bytes, size, true,
                                  [&](std::uint64_t b, std::size_t) { return b == buffer; });
  }

 private:
  struct entry {
    std::atomic<std::uint64_t> cookie{0};
    std::atomic<std::uint64_t> buffer{0};
  };
  std::array<entry, 4096> last_{};
};
required_placeholders required_before;

// The accessor that the texture is of is in the submission, or these are stray bytes. Textures are known, and end, by the
// address of their allocation: none for texels that begin elsewhere in it (an image's bytes are a buffer of its own).
void find_texture(const submission& s, std::uint32_t at, std::vector<model::argument_slot>& out) {
  const model::argument_block& block = s.arguments.block();
  if (block.size - at < sizeof(model::texture_argument)) return;
  model::texture_argument asked;
  std::memcpy(&asked, static_cast<const unsigned char*>(block.bytes) + at, sizeof asked);
  const auto cookie = reinterpret_cast<std::uint64_t>(asked.texels);
  for (std::uint32_t i = 0; i < s.accessors.size(); ++i)
    if (cookie != 0 && s.accessors[i].cookie == cookie) {
      if (s.accessors[i].byte_offset == 0)
        out.push_back({at, model::argument_slot::kind::texture, i, 0});
      return;
    }
}

}  // namespace

found_slots find_slots(const submission& s) {
  slot_storage& found_here = host::thread_storage<slot_storage>::get();
  found_here.buffers.clear();
  found_here.local.clear();
  found_here.textures.clear();
  const model::argument_block& block = s.arguments.block();
  const auto* bytes = static_cast<const unsigned char*>(block.bytes);
  bool dynamic_memory = false;
  const bool kernel = std::holds_alternative<model::kernel_command>(s.payload);
  if (std::holds_alternative<model::host_task_command>(s.payload)) check_accessors_of_host_task(s);
  for (std::uint32_t at = 0; at + 8 <= block.size; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + at, 8);
    const bool placeholder = is_cookie(placeholder_cookie_prefix, word);
    if (placeholder || is_cookie(cookie_prefix, word)) {
      std::uint32_t found = 0;
      const auto count = static_cast<std::uint32_t>(s.accessors.size());
      while (found < count && s.accessors[found].cookie != word) ++found;
      if (found == count && !placeholder) {
        if (kernel && is_foreign_accessor(bytes + at + 8, block.size - at - 8))
          refuse_foreign_accessor("the kernel", "an accessor or stream");
        continue;
      }
      if (found == count &&
          required_before.are_stray_bytes(word, bytes + at + 8, block.size - at - 8))
        continue;
      if (found == count)
        throw user_error(
            error_code::kernel_argument,
            "the kernel captures a placeholder accessor that its command group does not "
            "require: call handler::require for it");
      if (placeholder) required_before.add(word, s.accessors[found].buffer);
      found_here.buffers.push_back(
          {at, model::argument_slot::kind::buffer, found, s.accessors[found].byte_offset});
    } else if (is_cookie(local_cookie_prefix, word)) {
      if (kernel && is_foreign_local_accessor(s, word, bytes + at + 8, block.size - at - 8))
          [[unlikely]]
        refuse_foreign_accessor("the kernel", "a local accessor");
      found_here.local.push_back(
          {at, model::argument_slot::kind::local_memory, 0, local_cookie_offset(word)});
    } else if (word == texture_cookie) {
      find_texture(s, at, found_here.textures);
    } else if (is_cookie(dynamic_memory_cookie_prefix, word)) [[unlikely]] {
      dynamic_memory = true;
    }
  }
  return {found_here.buffers, found_here.local, found_here.textures, dynamic_memory};
}

void check_request(const accessor_request& r, const buffer_entry& b) {
  const model::extent3 range = b.info.grid.range();
  if (!contains(model::box::of(range), r.elements)) {
    const unsigned n = b.info.dimensions;
    throw user_error(error_code::invalid,
                     "an accessor asks for elements " + text(r.elements.lo, n) + " to " +
                         text(r.elements.hi, n) + " of a buffer of range " + text(range, n) +
                         "; offset plus range must stay within the buffer");
  }
}

void check_aspects(const model::kernel_descriptor& kernel, const model::device_properties& device) {
  if (kernel.requirements.aspects == 0) return;
  const std::uint64_t missing = kernel.requirements.aspects & ~model::aspects_of(device);
  if (missing == 0) return;
  std::string names;
  for (unsigned i = 0; i < model::aspect_count; ++i)
    if ((missing >> i & 1) != 0)
      names +=
          (names.empty() ? "" : ", ") + std::string(model::name_of(static_cast<model::aspect>(i)));
  throw user_error(error_code::kernel_not_supported,
                   "kernel '" + std::string(kernel.name) + "' requires a device with the aspects " +
                       names + " (device_has), which '" + device.name + "' lacks");
}

// Whether the product of the volumes is at most 2^63 - 1: no kernel comes to the end of more, and a program that asks for
// it has got a number wrong (-1, say).
static bool volume_fits(const model::extent3& e, std::uint64_t times = 1) noexcept {
  bool fits = true;
  for (const std::uint64_t n : e.c) {
    if (n == 0) return true;
    fits = !__builtin_mul_overflow(times, n, &times) && fits;
  }
  return fits && times <= ~std::uint64_t{0} / 2;
}

bool can_run_group(const model::extent3& size, const model::device_properties& device) noexcept {
  for (int d = 0; d < 3; ++d)
    if (size.c[d] > device.max_work_item_sizes[d]) return false;
  return volume_fits(size) && volume(size) <= device.max_work_group_size;
}

static std::string largest_group(const model::device_properties& device, int dimensions) {
  const auto& most = device.max_work_item_sizes;
  return "work-groups of " + std::to_string(device.max_work_group_size) +
         " work-items, in each dimension up to " + text({{most[0], most[1], most[2]}}, dimensions);
}

static bool is_hierarchical(const model::kernel_command& k) noexcept {
  return k.logical_group.c[2] != 0;
}

// Only groups have sub-groups and a size: other launches meet every such requirement.
void check_requirements(const model::kernel_command& k, const model::device_properties& device) {
  const model::kernel_requirements& wanted = k.kernel->requirements;
  if (!can_run_group(wanted.work_group_size, device))
    throw user_error(error_code::kernel_not_supported,
                     "kernel '" + std::string(k.kernel->name) + "' requires work-groups of " +
                         text(wanted.work_group_size, k.geometry.dimensions) + ", '" + device.name +
                         "' can run " + largest_group(device, k.geometry.dimensions));
  const model::extent3& group = is_hierarchical(k) ? k.logical_group : k.geometry.local;
  if (wanted.work_group_size.c[2] != 0 && !(wanted.work_group_size == group))
    throw user_error(error_code::nd_range, "kernel '" + std::string(k.kernel->name) +
                                               "' requires work-groups of " +
                                               text(wanted.work_group_size, k.geometry.dimensions) +
                                               ", not of " + text(group, k.geometry.dimensions));
  if (wanted.sub_group_size == 0) return;
  std::string sizes;
  for (const std::uint64_t size : device.sub_group_sizes) {
    if (size == wanted.sub_group_size) return;
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  }
  throw user_error(error_code::kernel_not_supported,
                   "kernel '" + std::string(k.kernel->name) + "' requires sub-groups of " +
                       std::to_string(wanted.sub_group_size) + " work-items; '" + device.name +
                       "' has sub-groups of " + sizes);
}

void check_launch(const model::kernel_command& k, const model::device_properties& device) {
  const auto& g = k.geometry;
  check_aspects(*k.kernel, device);
  if (g.grouped) check_requirements(k, device);
  const auto overflows = [&](int d) { return g.global.c[d] > ~std::uint64_t{0} - g.offset.c[d]; };
  if (!volume_fits(g.global) || overflows(0) || overflows(1) || overflows(2))
    throw user_error(error_code::nd_range,
                     "a kernel over the range " + text(g.global, g.dimensions) + " from " +
                         text(g.offset, g.dimensions) +
                         " has more than 2^63 - 1 work-items, or ids of more than 64 bits");
  if (is_hierarchical(k) && volume(g.global) != 0 &&
      !(volume_fits(k.logical_group) && volume_fits(g.global, volume(k.logical_group))))
    throw user_error(error_code::nd_range, text(g.global, g.dimensions) + " work-groups of " +
                                               text(k.logical_group, g.dimensions) +
                                               " work-items are more than 2^63 - 1 work-items");
  if (g.grouped) {
    for (int d = 0; d < 3; ++d) {
      if (g.local.c[d] == 0)
        throw user_error(error_code::nd_range, "a work-group has no work-items in dimension " +
                                                   std::to_string(d - (3 - g.dimensions)) +
                                                   "; local ranges must be at least 1");
      if (g.global.c[d] % g.local.c[d] != 0)
        throw user_error(error_code::nd_range, "global range " + text(g.global, g.dimensions) +
                                                   " is not a multiple of the local range " +
                                                   text(g.local, g.dimensions) +
                                                   " in every dimension");
    }
    if (!can_run_group(g.local, device))
      throw user_error(error_code::nd_range,
                       "a work-group of " + text(g.local, g.dimensions) +
                           " work-items is too large; '" + device.name + "' can run " +
                           largest_group(device, g.dimensions) + "; use a smaller local range");
  }
  if (k.local_memory_bytes > device.local_memory_bytes)
    throw user_error(error_code::memory_allocation,
                     "a work-group needs " + std::to_string(k.local_memory_bytes) +
                         " bytes of local memory, '" + device.name + "' has " +
                         std::to_string(device.local_memory_bytes));
}

executors::resolved_copy resolve_copy(const model::copy_command& c, const address_book& book) {
  const place from = place_of(c.source, book), to = place_of(c.destination, book);
  executors::resolved_copy r;
  r.source = from.base;
  r.destination = to.base;
  r.from = from.memory;
  r.to = to.memory;
  r.width = c.width;
  r.height = c.height;
  r.depth = c.depth;
  r.source_row_pitch = c.source.row_pitch;
  r.source_slice_pitch = c.source.slice_pitch;
  r.destination_row_pitch = c.destination.row_pitch;
  r.destination_slice_pitch = c.destination.slice_pitch;
  return r;
}

executors::resolved_fill resolve_fill(const model::fill_command& f, const address_book& book) {
  const place to = place_of(f.destination, book);
  executors::resolved_fill r;
  r.destination = to.base;
  r.memory = to.memory;
  r.width = f.width;
  r.height = f.height;
  r.depth = f.depth;
  r.row_pitch = f.destination.row_pitch;
  r.slice_pitch = f.destination.slice_pitch;
  r.pattern_bytes = f.pattern_bytes;
  std::memcpy(r.pattern, f.pattern, sizeof r.pattern);
  r.large_pattern = f.large_pattern;
  return r;
}

bool zeroes(const model::command_payload& payload, executors::resolved_fill& fill) {
  const auto* a = std::get_if<model::allocate_command>(&payload);
  if (a == nullptr || !a->zero) return false;
  fill = {};
  fill.destination = a->pointer;
  fill.memory = a->memory;
  fill.width = a->bytes;
  fill.height = fill.depth = 1;
  fill.pattern_bytes = 1;
  return true;
}

void locate_pointers(const core& c, model::command_payload& payload) {
  const auto locate = [&](model::memory_operand& o) {
    if (o.requirement != model::memory_operand::no_requirement) return;
    const pointer_query q = query_pointer(o.pointer);
    o.memory = q.kind == usm_kind::device && q.device.valid() ? c.topology.memory_of(q.device)
                                                              : model::host_memory;
  };
  if (auto* copy = std::get_if<model::copy_command>(&payload)) {
    locate(copy->source);
    locate(copy->destination);
  } else if (auto* fill = std::get_if<model::fill_command>(&payload)) {
    locate(fill->destination);
  }
}

placement place_command(const core& c, const model::command_payload& payload,
                        model::device_id device) {
  const model::memory_id memory = c.topology.memory_of(device);
  if (const auto* task = std::get_if<model::host_task_command>(&payload)) {
    const model::device_id runs = task->enqueues || c.runs_on_team(device) ? device : c.host_device;
    return {runs, model::host_memory, task->works_with_device() ? memory : model::memory_id()};
  }
  const auto* acquire = std::get_if<model::acquire_command>(&payload);
  if (acquire != nullptr && !acquire->on_device)
    return {c.runs_on_team(device) ? device : c.host_device, model::host_memory, {}};
  // A device that reaches the memory of every plain pointer; data of accessors meets it in the host's memory if the
  // queue's own device does not.
  const auto choose = [&](const model::memory_operand& a,
                          const model::memory_operand& b) -> placement {
    const auto is_pointer = [](const model::memory_operand& o) {
      return o.requirement == model::memory_operand::no_requirement;
    };
    const auto reached_by = [&](model::device_id d) {
      return (!is_pointer(a) || c.reaches(d, a.memory)) &&
             (!is_pointer(b) || c.reaches(d, b.memory));
    };
    if (reached_by(device)) return {device, memory, {}};
    for (const model::memory_operand* o : {&a, &b})
      if (is_pointer(*o) && reached_by(c.device_with(o->memory)))
        return {c.device_with(o->memory), model::host_memory, {}};
    return {{}, model::host_memory, {}};
  };
  if (const auto* copy = std::get_if<model::copy_command>(&payload))
    return choose(copy->source, copy->destination);
  if (const auto* fill = std::get_if<model::fill_command>(&payload)) {
    const model::memory_operand& to = fill->destination;
    if (to.requirement == model::memory_operand::no_requirement &&
        to.memory == model::host_memory && memory != model::host_memory &&
        !c.runs_on_team(device)) {
      // Drivers fill only memory of the host that they have allocated.
      const model::device_id owner = query_pointer(to.pointer).device;
      if (!owner.valid() || c.devices[owner.value()].domain != c.devices[device.value()].domain)
        return {c.host_device, model::host_memory, {}};
    }
    return choose(to, to);
  }
  return {device, memory, {}};
}

const char* kind_name(const model::command_payload& p) noexcept {
  struct namer {
    const char* operator()(const model::empty_command&) const { return "empty"; }
    const char* operator()(const model::kernel_command&) const { return "kernel"; }
    const char* operator()(const model::copy_command&) const { return "memcpy"; }
    const char* operator()(const model::fill_command& f) const {
      return f.pattern_bytes == 1 ? "memset" : "fill";
    }
    const char* operator()(const model::host_task_command&) const { return "host_task"; }
    const char* operator()(const model::barrier_command&) const { return "barrier"; }
    const char* operator()(const model::prefetch_command&) const { return "prefetch"; }
    const char* operator()(const model::advise_command&) const { return "memadvise"; }
    const char* operator()(const model::host_access_command&) const { return "host_access"; }
    const char* operator()(const model::acquire_command&) const { return "update"; }
    const char* operator()(const model::subgraph_command&) const { return "subgraph"; }
    const char* operator()(const model::allocate_command&) const { return "async_malloc"; }
    const char* operator()(const model::free_command&) const { return "async_free"; }
  };
  return std::visit(namer{}, p);
}

const char* display_name(const model::command& c) noexcept {
  if (*c.label != '\0') return c.label;
  const auto* k = std::get_if<model::kernel_command>(&c.payload);
  if (k != nullptr && k->kernel != nullptr) return k->kernel->name;
  return kind_name(c.payload);
}

}  // namespace pianola::runtime
