// SPDX-License-Identifier: Apache-2.0
// Random accesses through pointers into buffers of random shape, of which accessors name random boxes. The oracle asks of
// every byte whether its element is in the box.
#include <cstdlib>
#include <random>
#include <vector>

#include "expect.hpp"

namespace {

template <int Dimensions>
void try_one(std::mt19937_64& random, int& beyond) {
  const auto number = [&](std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random);
  };
  struct element {
    unsigned char bytes[3];
  };
  sycl::range<3> whole(1, 1, 1), part(1, 1, 1);
  sycl::id<3> offset(0, 0, 0);
  for (int d = 3 - Dimensions; d < 3; ++d) {
    whole[d] = number(1, 6);
    part[d] = number(1, whole[d]);
    offset[d] = number(0, whole[d] - part[d]);
    if (number(0, 2) == 0) {
      part[d] = whole[d];
      offset[d] = 0;
    }
  }
  const std::size_t bytes = whole.size() * sizeof(element);
  const std::size_t begin = number(0, bytes - 1);
  const std::size_t count = number(0, 1) == 0 ? 1 : number(1, bytes - begin);
  std::vector<char> named(bytes);
  for (std::size_t at = 0; at < bytes; ++at) {
    const std::size_t i = at / sizeof(element);
    const std::size_t point[3] = {i / whole[2] / whole[1], i / whole[2] % whole[1], i % whole[2]};
    named[at] = 1;
    for (int d = 0; d < 3; ++d)
      if (point[d] < offset[d] || point[d] >= offset[d] + part[d]) named[at] = 0;
  }
  bool inside = true;
  for (std::size_t at = begin; at < begin + count; ++at) inside = inside && named[at] != 0;
  // What is beside may have been touched before: then more is known.
  const bool after_others = number(0, 1) == 0;
  sycl::range<Dimensions> own_whole = sycl::range<Dimensions>(sycl::id<Dimensions>()),
                          own_part = own_whole;
  sycl::id<Dimensions> own_offset;
  for (int d = 0; d < Dimensions; ++d) {
    own_whole[d] = whole[3 - Dimensions + d];
    own_part[d] = part[3 - Dimensions + d];
    own_offset[d] = offset[3 - Dimensions + d];
  }
  const std::string text = told([&](sycl::queue& q) {
    sycl::buffer<element, Dimensions> b(own_whole);
    const char* const flags = named.data();
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, own_part, own_offset);
      h.single_task([=] {
        // To the start of the buffer, whatever the accessor names.
        auto* const pointer = reinterpret_cast<unsigned char*>(
            a.template get_multi_ptr<sycl::access::decorated::no>().get());
        if (after_others)
          for (std::size_t at = 0; at < bytes; ++at)
            if (flags[at] != 0) *static_cast<volatile unsigned char*>(pointer + at) = 2;
        __builtin_memset(pointer + begin, 1, count);
      });
    });
  });
  beyond += inside ? 0 : 1;
  expect("an access", text.empty() == inside, text);
}

}  // namespace

int main() {
  const char* const given = std::getenv("PIANOLA_TEST_SEED");
  const std::uint64_t seed =
      given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
  std::printf("PIANOLA_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  int beyond = 0;
  for (int i = 0; i < 300 && failures == 0; ++i) {
    try_one<1>(random, beyond);
    try_one<2>(random, beyond);
    try_one<3>(random, beyond);
  }
  std::printf("%d of 900 accesses are beyond\n", beyond);
  return failures == 0 && beyond > 100 && beyond < 800 ? 0 : 1;
}
