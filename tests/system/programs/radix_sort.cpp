// SPDX-License-Identifier: Apache-2.0
// Radix sort of keys of several types: histograms per work-group, a joint scan, a stable scatter by group scans; and
// bitonic sort in local memory.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

using namespace sycl;

constexpr int bits = 4;
constexpr size_t digits = size_t{1} << bits;
constexpr size_t group_size = 64;

template <class Key>
using ordered = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;

/// Unsigned numbers in the keys' order.
template <class Key>
ordered<Key> order(Key key) {
  using U = ordered<Key>;
  const U raw = sycl::bit_cast<U>(key);
  constexpr U sign = U{1} << (sizeof(U) * 8 - 1);
  if constexpr (std::is_floating_point_v<Key>)
    return raw & sign ? ~raw : raw | sign;
  else if constexpr (std::is_signed_v<Key>)
    return raw ^ sign;
  else
    return raw;
}

template <class Key>
size_t digit(Key key, int shift) {
  return static_cast<size_t>(order(key) >> shift) & (digits - 1);
}

template <class Key>
class count_kernel;
template <class Key>
class scatter_kernel;

template <class Key>
event radix_sort(queue& q, Key* keys, Key* other, size_t n) {
  const size_t groups = (n + group_size - 1) / group_size;
  unsigned* counts = malloc_device<unsigned>(groups * digits, q);
  event last;
  for (int shift = 0; shift < static_cast<int>(sizeof(Key) * 8); shift += bits) {
    auto counted = q.submit([&](handler& cgh) {
      cgh.depends_on(last);
      local_accessor<unsigned, 1> local(digits, cgh);
      cgh.parallel_for<count_kernel<Key>>(
          nd_range<1>(groups * group_size, group_size), [=](nd_item<1> it) {
            const size_t me = it.get_local_id(0);
            if (me < digits) local[me] = 0;
            group_barrier(it.get_group());
            if (it.get_global_id(0) < n) {
              atomic_ref<unsigned, memory_order::relaxed, memory_scope::work_group,
                         access::address_space::local_space>
                  count(local[digit(keys[it.get_global_id(0)], shift)]);
              ++count;
            }
            it.barrier(access::fence_space::local_space);
            if (me < digits) counts[me * groups + it.get_group_linear_id()] = local[me];
          });
    });
    auto scanned = q.submit([&](handler& cgh) {
      cgh.depends_on(counted);
      cgh.parallel_for(nd_range<1>(group_size, group_size), [=](nd_item<1> it) {
        joint_exclusive_scan(it.get_group(), counts, counts + groups * digits, counts, 0u,
                             plus<>());
      });
    });
    last = q.submit([&](handler& cgh) {
      cgh.depends_on({scanned});
      cgh.parallel_for<scatter_kernel<Key>>(
          nd_range<1>(groups * group_size, group_size), [=](nd_item<1> it) {
            const size_t at = it.get_global_linear_id();
            const Key key = at < n ? keys[at] : Key{};
            const size_t mine = at < n ? digit(key, shift) : digits;
            for (size_t d = 0; d < digits; ++d) {
              const unsigned before =
                  exclusive_scan_over_group(it.get_group(), mine == d ? 1u : 0u, plus<unsigned>());
              if (mine == d) other[counts[d * groups + it.get_group(0)] + before] = key;
            }
          });
    });
    std::swap(keys, other);
  }
  last.wait();
  sycl::free(counts, q);
  return last;
}

template <class Key>
std::vector<Key> random_keys(size_t n) {
  std::mt19937_64 bits_of(7);
  std::vector<Key> keys(n);
  for (auto& key : keys) {
    if constexpr (std::is_floating_point_v<Key>)
      key = static_cast<Key>(static_cast<std::int64_t>(bits_of()) >> 20) / 3;
    else
      key = static_cast<Key>(bits_of());
  }
  return keys;
}

template <class Key>
bool check_radix(queue& q, const char* name) {
  const size_t n = 3001;
  std::vector<Key> keys = random_keys<Key>(n);
  auto* a = malloc_device<Key>(n, q);
  auto* b = malloc_device<Key>(n, q);
  q.copy(keys.data(), a, n).wait();
  radix_sort(q, a, b, n);
  std::vector<Key> sorted(n);
  q.memcpy(sorted.data(), a, n * sizeof(Key)).wait();
  free(a, q);
  free(b, q);
  std::sort(keys.begin(), keys.end());
  if (keys == sorted) return true;
  std::printf("radix_sort of %s: wrong order\n", name);
  return false;
}

bool check_bitonic(queue& q) {
  constexpr size_t n = 256;
  std::vector<int> keys = random_keys<int>(n), expected = keys;
  std::sort(expected.begin(), expected.end(), std::greater<>());
  {
    buffer<int> data(keys.begin(), keys.end());
    data.set_final_data(keys.begin());
    q.submit([&](handler& cgh) {
      accessor<int, 1, access_mode::read_write> global(data, cgh);
      local_accessor<int> local(range{n}, cgh);
      cgh.parallel_for(nd_range(range(n), range(n)), [=](nd_item<1> it) {
        const size_t me = it.get_local_linear_id();
        local[me] = global[me];
        for (size_t k = 2; k <= n; k *= 2)
          for (size_t j = k / 2; j > 0; j /= 2) {
            group_barrier(it.get_group());
            const size_t partner = me ^ j;
            if (partner > me) {
              const bool down = (me & k) == 0;
              int x = local[me], y = local[partner];
              if ((x < y) == down) std::swap(x, y);
              local[me] = x;
              local[partner] = y;
            }
          }
        group_barrier(it.get_group());
        global[me] = local[me];
      });
    });
  }
  if (keys == expected) return true;
  std::puts("bitonic sort: wrong order");
  return false;
}

int main() {
  queue q{default_selector_v};
  bool right = check_radix<std::uint32_t>(q, "uint32_t");
  right &= check_radix<int>(q, "int");
  right &= check_radix<float>(q, "float");
  if (q.get_device().has(aspect::fp64)) right &= check_radix<double>(q, "double");
  right &= check_bitonic(q);
  return right ? 0 : 1;
}
