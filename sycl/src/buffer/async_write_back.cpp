// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/buffer/async_write_back.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

void write_back_asynchronously(std::shared_ptr<pianola::runtime::queue> queue,
                               pianola::runtime::buffer_key buffer,
                               const pianola::model::extent3& range, std::uint64_t bytes,
                               pianola::runtime::write_back destination) {
  namespace runtime = pianola::runtime;
  static constexpr pianola::model::object_operations operations{&write_back_task::copy,
                                                                &write_back_task::destroy};
  if (queue == nullptr || runtime::is_recording(*queue)) {
    runtime::queue_description d;
    d.device = runtime::default_device();
    queue = runtime::create_queue(std::move(d));
  }
  runtime::submission s;
  runtime::accessor_request whole;
  whole.buffer = buffer;
  whole.mode = pianola::model::access_mode::read;
  whole.elements = pianola::model::box::of(range);
  s.accessors.push_back(whole);
  const write_back_task task{runtime::host_storage(buffer), bytes, std::move(destination)};
  s.arguments.store(&task, sizeof(task), alignof(write_back_task), &operations);
  pianola::model::host_task_command command;
  command.invoke = &write_back_task::run;
  s.payload = command;
  s.has_payload = true;
  s.label = "write-back";
  runtime::submit(*queue, s);
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
