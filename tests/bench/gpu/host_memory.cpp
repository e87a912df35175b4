// SPDX-License-Identifier: Apache-2.0
// A buffer's data to the device and back: from memory that the driver copies in pieces through its own, or from memory
// that it was told to lock.
#include <memory>
#include <optional>
#include <vector>

#include <pianola/runtime/host_storage.hpp>
#include <sycl/sycl.hpp>

#include "programs.hpp"

namespace bench::gpu::ours {

namespace {

struct round_trips {
  round_trips(std::size_t bytes, bool lock, bool each)
      : registered(lock), fresh(each), values(bytes / sizeof(float), 1.0F) {}
  void step() {
    using pianola::runtime::host_storage_mode;
    if (!data) {
      pianola::runtime::set_host_storage_mode(registered ? host_storage_mode::registered
                                                         : host_storage_mode::pageable);
      data.emplace(values.data(), values.size());
    }
    {
      const sycl::host_accessor out(*data, sycl::read_write);
      out[0] += 1.0F;
    }
    queue.submit([&](sycl::handler& h) {
      const sycl::accessor x(*data, h, sycl::read_write);
      h.parallel_for(data->get_range(), [=](sycl::id<1> i) { x[i] = 0.5F * x[i] + 1.0F; });
    });
    {
      const sycl::host_accessor in(*data, sycl::read_only);
      sum += static_cast<double>(in[0]) + static_cast<double>(in[values.size() - 1]);
    }
    if (fresh) data.reset();
  }
  sycl::queue queue{sycl::property::queue::in_order{}};
  bool registered, fresh;
  std::vector<float> values;
  std::optional<sycl::buffer<float, 1>> data;
  double sum = 0;
};

}  // namespace

subject host_round_trip(std::size_t bytes, bool registered, bool fresh) {
  auto r = std::make_shared<round_trips>(bytes, registered, fresh);
  return {[r](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) r->step();
            });
          },
          [r] { return r->sum; }};
}

}  // namespace bench::gpu::ours
