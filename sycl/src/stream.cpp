// SPDX-License-Identifier: Apache-2.0
#include <sycl/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <pianola/model/command.hpp>
#include <pianola/runtime/buffers.hpp>
#include <pianola/runtime/cookie.hpp>
#include <pianola/runtime/streams.hpp>
#include <pianola/runtime/submission.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
namespace {

/// Lives until its command group is submitted; the runtime keeps storage for as long as commands need it.
class stream_memory {
 public:
  stream_memory(std::size_t units) : units_(units) {
    pianola::runtime::stream_header empty;
    pianola::runtime::buffer_description d;
    d.info.grid = pianola::model::page_grid(pianola::model::extent3{{1, 1, 1}});
    d.info.element_size = sizeof(empty);
    d.host_data = &empty;
    d.use = pianola::runtime::host_data_use::copied;
    d.label = "stream";
    header_ = translate([&] { return pianola::runtime::create_buffer(d); });
    pianola::runtime::buffer_description r;
    r.info.grid = pianola::model::page_grid(pianola::model::extent3{{1, 1, units}});
    r.info.element_size = pianola::runtime::stream_unit;
    r.label = "stream";
    try {
      records_ = translate([&] { return pianola::runtime::create_buffer(r); });
    } catch (...) {
      pianola::runtime::destroy_buffer(header_, false);
      throw;
    }
  }
  stream_memory(const stream_memory&) = delete;
  stream_memory& operator=(const stream_memory&) = delete;
  ~stream_memory() {
    pianola::runtime::destroy_buffer(records_, false);
    pianola::runtime::destroy_buffer(header_, false);
  }

  pianola::runtime::buffer_key key() const noexcept { return records_; }

  /// What stands for the addresses in the function object of that submission's command.
  pianola::runtime::stream_header* bind_header(pianola::runtime::submission& s) const {
    return reinterpret_cast<pianola::runtime::stream_header*>(bind(s, header_, 1));
  }
  pianola::runtime::stream_record* bind_records(pianola::runtime::submission& s) const {
    return reinterpret_cast<pianola::runtime::stream_record*>(bind(s, records_, units_));
  }

 private:
  static std::uint64_t bind(pianola::runtime::submission& s, pianola::runtime::buffer_key key,
                            std::size_t elements) {
    pianola::runtime::accessor_request r;
    r.buffer = key;
    r.elements.hi = {{1, 1, elements}};
    r.cookie = pianola::runtime::next_accessor_cookie();
    s.accessors.push_back(r);
    return r.cookie;
  }

  pianola::runtime::buffer_key header_;
  pianola::runtime::buffer_key records_;
  std::size_t units_;
};

struct print_task {
  pianola::runtime::stream_header* header;
  const pianola::runtime::stream_record* records;
  std::size_t units;
  std::size_t characters;

  static void run(void* self) {
    const auto& task = *static_cast<const print_task*>(self);
    pianola::runtime::print_stream(*task.header, task.records, task.units, task.characters);
  }
};

/// Behind all that follows the command already.
void print_afterwards(pianola::runtime::submission& first, const stream_memory& memory,
                      std::size_t units, std::size_t characters) {
  auto next = std::make_unique<pianola::runtime::submission>();
  next->payload.emplace<pianola::model::host_task_command>().invoke = &print_task::run;
  next->has_payload = true;
  next->label = "print stream";
  const print_task task{memory.bind_header(*next), memory.bind_records(*next), units, characters};
  next->arguments.store(&task, sizeof(task), alignof(print_task), nullptr);
  std::unique_ptr<pianola::runtime::submission>* end = &first.next;
  while (*end != nullptr) end = &(*end)->next;
  *end = std::move(next);
}

}  // namespace
}  // namespace detail

stream::stream(std::size_t total_buffer_size, std::size_t work_item_buffer_size, handler& group,
               const property_list&)
    : total_(total_buffer_size), per_item_(work_item_buffer_size) {
  if (per_item_ > total_)
    detail::throw_error(errc::invalid,
                        "stream: the buffer of a work-item is larger than the buffer of all");
  // A value takes a unit, also where only a single character is printed. One more, for there are no empty buffers.
  if (total_ >= 0xffffffffU)
    detail::throw_error(errc::memory_allocation, "stream: more than 4 GiB of buffer");
  units_ = total_ + 1;
  const auto memory = std::make_shared<detail::stream_memory>(units_);
  pianola::runtime::submission& submission = detail::handler_access::submission_of(group);
  submission.kept_alive.push_back(memory);
  header_ = memory->bind_header(submission);
  records_ = memory->bind_records(submission);
  identity_.key = memory->key();
  detail::print_afterwards(submission, *memory, units_, total_);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
