// SPDX-License-Identifier: Apache-2.0
// Buffers of many pages, used in blocks of pages: cost must follow the blocks.
#include <memory>
#include <sycl/sycl.hpp>
#include <vector>

#include "comparison.hpp"

namespace bench {

namespace {

// A buffer of `pages` pages of four floats, written to in `blocks` blocks in turn, one command each.
subject in_blocks(std::size_t pages, std::size_t blocks) {
  constexpr std::size_t page_elements = 4;
  struct state {
    state(std::size_t elements, std::size_t n)
        : buffer(sycl::range<1>(elements),
                 sycl::property_list{sycl::property::buffer::AdaptiveCpp_page_size<1>(
                     sycl::range<1>(page_elements))}),
          block(elements / n),
          blocks(n) {
      sycl::host_accessor a{buffer, sycl::write_only, sycl::no_init};
      for (std::size_t i = 0; i < elements; ++i) a[i] = 0;
    }
    sycl::queue queue;
    sycl::buffer<float, 1> buffer;
    std::size_t block, blocks, next = 0;
  };
  auto s = std::make_shared<state>(pages * page_elements, blocks);
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) {
                s->queue.submit([&](sycl::handler& h) {
                  sycl::accessor a{s->buffer, h, sycl::range<1>(s->block),
                                   sycl::id<1>(s->next * s->block), sycl::read_write};
                  h.single_task([=] { a[0] += 1.0F; });
                });
                if (++s->next == s->blocks) s->next = 0;
              }
              s->queue.wait();
            });
          },
          [s] {
            sycl::host_accessor a{s->buffer, sycl::read_only};
            double sum = 0;
            for (std::size_t i = 0; i < s->blocks; ++i) sum += a[i * s->block];
            return sum;
          }};
}

constexpr std::size_t transform_elements = std::size_t{1} << 22, transform_block = 256;

inline float transformed(float x) { return 0.5F * x + 1.0F; }

// A unit of work is a pass over all elements; page and block are the same.
subject transform_in_blocks() {
  struct state {
    sycl::queue queue;
    sycl::buffer<float, 1> buffer{
        sycl::range<1>(transform_elements),
        sycl::property_list{
            sycl::property::buffer::AdaptiveCpp_page_size<1>(sycl::range<1>(transform_block))}};
  };
  auto s = std::make_shared<state>();
  {
    sycl::host_accessor a{s->buffer, sycl::write_only, sycl::no_init};
    for (std::size_t i = 0; i < transform_elements; ++i) a[i] = 0;
  }
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t u = 0; u < units; ++u) {
                for (std::size_t first = 0; first < transform_elements; first += transform_block)
                  s->queue.submit([&](sycl::handler& h) {
                    sycl::accessor a{s->buffer, h, sycl::range<1>(transform_block),
                                     sycl::id<1>(first), sycl::read_write};
                    h.parallel_for(sycl::range<1>(transform_block),
                                   [=](sycl::id<1> i) { a[i] = transformed(a[i]); });
                  });
                s->queue.wait();
              }
            });
          },
          [s] {
            sycl::host_accessor a{s->buffer, sycl::read_only};
            double sum = 0;
            for (std::size_t i = 0; i < transform_elements; ++i) sum += a[i];
            return sum;
          }};
}

subject transform_as_tasks() {
  auto values = std::make_shared<std::vector<float>>(transform_elements);
  return {[values](std::uint64_t units) {
            float* v = values->data();
            return nanoseconds_of([&] {
              for (std::uint64_t u = 0; u < units; ++u) {
#pragma omp parallel
#pragma omp single
                for (std::size_t first = 0; first < transform_elements; first += transform_block) {
#pragma omp task firstprivate(first, v)
                  for (std::size_t i = first; i < first + transform_block; ++i)
                    v[i] = transformed(v[i]);
                }
              }
            });
          },
          [values] {
            double sum = 0;
            for (const float x : *values) sum += x;
            return sum;
          }};
}

}  // namespace

void add_pages(std::vector<comparison>& all) {
  comparison c;
  c.unit = "us/command";
  c.units = 10'000;
  c.warm_up = 10'000;
  c.goal = ratio_at_most(1.2);
  c.name = "pages/1000000_pages_in_100_blocks";
  c.ours = [] { return in_blocks(1'000'000, 100); };
  c.reference_name = "100 pages in 100 blocks";
  c.reference = [] { return in_blocks(100, 100); };
  all.push_back(c);
  c.name = "pages/1000000_pages_in_10000_blocks";
  c.ours = [] { return in_blocks(1'000'000, 10'000); };
  c.reference_name = "10000 pages in 10000 blocks";
  c.reference = [] { return in_blocks(10'000, 10'000); };
  all.push_back(c);

  comparison t;
  t.name = "pages/transform_4194304_elements_by_256";
  t.unit = "ms/pass";
  t.per_nanosecond = 1e-6;
  t.rounds = 11;
  t.warm_up = 1;
  t.ours = transform_in_blocks;
  t.reference = transform_as_tasks;
  t.reference_name = "OpenMP tasks without dependences";
  t.published = "AdaptiveCpp: not done in 60 s";
  t.goal = ours_at_most(1000);
  all.push_back(t);
}

}  // namespace bench
