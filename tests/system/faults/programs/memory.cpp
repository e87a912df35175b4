// SPDX-License-Identifier: Apache-2.0
// Recorded graphs whose memory does not fit the device, alone or beside what else lies there: what it holds before that
// is kept, smaller graphs work.
#include <cstdio>
#include <vector>

#include <sycl/sycl.hpp>

namespace experimental = sycl::ext::oneapi::experimental;

namespace {

constexpr std::size_t mebibyte = (1 << 20) / sizeof(int);

void add_one(sycl::queue& q, sycl::buffer<int>& from, sycl::buffer<int>& to) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a{from, h, sycl::read_only};
    sycl::accessor b{to, h, sycl::write_only, sycl::no_init};
    h.parallel_for(from.get_range(), [=](sycl::id<1> i) { b[i] = a[i] + 1; });
  });
}

// Six buffers of `mebibytes`, each made from the one before it.
int chain(sycl::queue& q, sycl::buffer<int>& start, std::size_t mebibytes) {
  const sycl::range<1> size(mebibytes * mebibyte);
  std::vector<sycl::buffer<int>> steps;
  for (int i = 0; i < 6; ++i) steps.emplace_back(size);
  experimental::command_graph g(q.get_context(), q.get_device());
  g.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a{start, h, sycl::read_only};
    sycl::accessor b{steps[0], h, sycl::write_only, sycl::no_init};
    h.parallel_for(size, [=](sycl::id<1> i) { b[i] = a[i[0] % 64]; });
  });
  for (int i = 1; i < 6; ++i) add_one(q, steps[i - 1], steps[i]);
  g.end_recording(q);
  auto replay = g.finalize();
  q.ext_oneapi_graph(replay);
  q.wait_and_throw();
  sycl::host_accessor last{steps[5], sycl::read_only};
  return last[size[0] - 1];
}

}  // namespace

int main() {
  sycl::queue q(sycl::gpu_selector_v, [](const sycl::exception_list& list) {
    for (const std::exception_ptr& e : list) std::rethrow_exception(e);
  });
  std::vector<int> data(64, 7);
  sycl::buffer<int> start(data.data(), sycl::range<1>(64));
  const auto is_refused = [&](const char* what, std::size_t mebibytes) {
    try {
      std::printf("%s: %d\n", what, chain(q, start, mebibytes));
      return false;
    } catch (const sycl::exception& e) {
      std::printf("%s: %s, %s\n", what,
                  e.code() == sycl::errc::memory_allocation ? "memory_allocation" : "another code",
                  e.what());
      return true;
    }
  };
  if (!is_refused("large", 16)) return 1;
  int* const beside = sycl::malloc_device<int>(20 * mebibyte, q);
  if (beside == nullptr || !is_refused("beside", 5)) return 1;
  sycl::free(beside, q);
  std::printf("small: %d\n", chain(q, start, 1));
  sycl::host_accessor kept{start, sycl::read_only};
  std::printf("kept: %d\n", kept[63]);
}
