// SPDX-License-Identifier: Apache-2.0
#include "calibration/probe.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

namespace pianola::tool {

namespace {

struct empty_kernel {
  void operator()(std::size_t, std::size_t) const {}
};

struct stream_kernel {
  double* a;
  const double* b;
  const double* c;
  void operator()(std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) a[i] = b[i] + 3.0 * c[i];
  }
};

// Sixteen sums that do not wait for each other, so that what counts is how much is done at a time.
struct multiply_add_kernel {
  double* out;
  void operator()(std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) {
      double sums[16];
      for (int k = 0; k < 16; ++k) sums[k] = static_cast<double>(i) + k;
      for (int step = 0; step < 4096; ++step)
        for (double& s : sums) s = s * 0.999 + 0.001;
      double total = 0;
      for (const double s : sums) total += s;
      out[i] = total;
    }
  }
};

template <class Kernel>
void run_part(const void* arguments, const model::launch_geometry&, const model::box& part,
              model::array_view<const model::argument_slot>, const model::group_resources&) {
  (*static_cast<const Kernel*>(arguments))(part.lo.c[2], part.hi.c[2]);
}

// These are no kernels of any program; their ids only have to differ.
template <class Kernel>
constexpr std::uint64_t number = 0;
template <>
constexpr std::uint64_t number<empty_kernel> = 1;
template <>
constexpr std::uint64_t number<stream_kernel> = 2;
template <>
constexpr std::uint64_t number<multiply_add_kernel> = 3;

template <class Kernel>
const model::kernel_descriptor& descriptor_of() {
  static model::kernel_statistics statistics;
  static const model::kernel_descriptor descriptor{model::kernel_id(number<Kernel>),
                                                   "calibration",
                                                   &run_part<Kernel>,
                                                   sizeof(Kernel),
                                                   alignof(Kernel),
                                                   nullptr,
                                                   &statistics};
  return descriptor;
}

}  // namespace

probe_memory::probe_memory(runtime::usm_kind kind, std::size_t bytes, model::device_id device)
    : pointer_(runtime::usm_allocate(kind, bytes, 64, device)) {
  if (pointer_ == nullptr)
    throw model::user_error(model::error_code::memory_allocation,
                            fmt::format("no {} of memory for measurements on device {}",
                                        formats::bytes(bytes), device.value()));
}
probe_memory::~probe_memory() { runtime::usm_free(pointer_); }

probe::probe(model::device_id device)
    : errors_(std::make_shared<std::vector<std::exception_ptr>>()) {
  runtime::queue_description d;
  d.device = device;
  d.in_order = true;
  d.on_errors = [all = errors_](std::vector<std::exception_ptr> found) {
    all->insert(all->end(), found.begin(), found.end());
  };
  queue_ = runtime::create_queue(std::move(d));
}

void probe::copy(void* to, void* from, std::size_t bytes) {
  runtime::submission s;
  s.has_payload = true;
  auto& c = s.payload.emplace<model::copy_command>();
  c.source.pointer = from;
  c.destination.pointer = to;
  c.width = bytes;
  static_cast<void>(runtime::submit(*queue_, s));
}

void probe::fill(void* to, std::size_t bytes) {
  runtime::submission s;
  s.has_payload = true;
  auto& f = s.payload.emplace<model::fill_command>();
  f.destination.pointer = to;
  f.width = bytes;
  static_cast<void>(runtime::submit(*queue_, s));
}

template <class Kernel>
void probe::launch(const Kernel& kernel, std::size_t items) {
  runtime::submission s;
  s.has_payload = true;
  auto& k = s.payload.emplace<model::kernel_command>();
  k.kernel = &descriptor_of<Kernel>();
  k.id = k.kernel->id;
  k.geometry.global = {{1, 1, items}};
  s.arguments.store(&kernel, sizeof kernel, alignof(Kernel), nullptr);
  static_cast<void>(runtime::submit(*queue_, s));
}

void probe::nothing() { launch(empty_kernel(), 1); }
void probe::stream(double* a, const double* b, const double* c, std::size_t count) {
  launch(stream_kernel{a, b, c}, count);
}
void probe::multiply_add(double* out, std::size_t items) {
  launch(multiply_add_kernel{out}, items);
}

void probe::host_task() {
  runtime::submission s;
  s.has_payload = true;
  auto& t = s.payload.emplace<model::host_task_command>();
  t.invoke = [](void*) {};
  const char nothing = 0;
  s.arguments.store(&nothing, 1, 1, nullptr);
  static_cast<void>(runtime::submit(*queue_, s));
}

void probe::wait() {
  runtime::wait(*queue_);
  runtime::throw_asynchronous(*queue_);
  if (!errors_->empty()) std::rethrow_exception(errors_->front());
}

}  // namespace pianola::tool
