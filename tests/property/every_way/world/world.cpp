// SPDX-License-Identifier: Apache-2.0
#include "every_way/world.hpp"

#include <algorithm>
#include <iterator>

#include <rapidcheck.h>

namespace every_way {

world::world(std::uint64_t seed) : random_(seed) {
  constexpr std::size_t lengths[] = {64, 96, 1024, 4096, 24576};
  n_ = lengths[below(std::size(lengths))];
  is_.length = n_;
  const std::size_t page = below(3) == 0 ? n_ : 16 * (1 + below(n_ / 16));
  using pia::property::buffer::page_size;
  paged_ = {page_size<1>(sycl::range<1>(page))};
  for (std::size_t b = 0; b < buffers; ++b) {
    is_.buffer.push_back(random_numbers());
    kept_.push_back(is_.buffer.back());
  }
  // Some on the host's own data, which is written back.
  for (std::size_t b = 0; b < buffers; ++b) {
    if (below(2) == 0) {
      buffers_.emplace_back(kept_[b].data(), sycl::range<1>(n_), paged_);
    } else {
      buffers_.emplace_back(sycl::range<1>(n_), paged_);
      sycl::host_accessor a(buffers_.back(), sycl::write_only, sycl::no_init);
      std::copy(kept_[b].begin(), kept_[b].end(), a.begin());
    }
  }
  is_.victim.resize(16);
  sycl::host_accessor{victim_, sycl::write_only, sycl::no_init}[0] = 0;
  for (std::size_t m = 0; m < memories; ++m) {
    is_.memory.push_back(random_numbers());
    memory_.push_back(sycl::malloc<word>(n_, home_, kind_));
    home_.memcpy(memory_[m], is_.memory[m].data(), n_ * sizeof(word)).wait();
  }
  for (std::size_t q = 0; q < 2; ++q) queues_.push_back(some_queue(false));
}

world::~world() {
  for (sycl::queue& q : queues_) q.wait();
  home_.wait();
  for (word* m : memory_) sycl::free(m, home_);
}

void world::act(std::uint64_t seed) {
  random_.seed(seed);
  how_ = static_cast<way>(below(static_cast<std::size_t>(way::count)));
  const std::size_t iterations = 1 + below(how_ == way::captured ? 12 : 5);
  std::vector<leg> legs(1 + below(3));
  for (leg& l : legs) {
    l.steps = some_steps(5, 2);
    l.after = {below(buffers), below(n_), next()};
  }
  RC_LOG() << ways[static_cast<std::size_t>(how_)] << ", " << iterations << " times\n";
  for (const leg& l : legs) {
    for (const step& s : l.steps) RC_LOG() << "  " << s << '\n';
    RC_LOG() << "  host: " << l.after.buffer << '[' << l.after.element << "]\n";
  }
  switch (how_) {
    case way::eager:
    case way::captured:
      return run_by_commands(legs, iterations);
    case way::cut:
      return run_cut(legs, iterations);
    default:
      return run_as_graphs(legs, iterations);
  }
}

void world::check() {
  for (sycl::queue& q : queues_) q.wait_and_throw();
  for (std::size_t b = 0; b < buffers; ++b) {
    const sycl::host_accessor a(buffers_[b], sycl::read_only);
    for (std::size_t i = 0; i < n_; ++i) same("buffer", b, i, a[i], is_.buffer[b][i]);
  }
  if (is_.errors != 0) {
    const sycl::host_accessor a(victim_, sycl::read_only);
    for (std::size_t i = 0; i < is_.victim.size(); ++i) same("victim", 0, i, a[i], is_.victim[i]);
  }
  wait_for_memory();
  numbers got(n_);
  for (std::size_t m = 0; m < memories; ++m) {
    home_.memcpy(got.data(), memory_[m], n_ * sizeof(word)).wait();
    for (std::size_t i = 0; i < n_; ++i) same("memory", m, i, got[i], is_.memory[m][i]);
  }
  if (errors_ != is_.errors)
    throw std::runtime_error(std::to_string(errors_) + " errors instead of " +
                             std::to_string(is_.errors));
}

sycl::queue world::some_queue(bool captures) {
  const auto count = [this](const sycl::exception_list& list) { errors_ += list.size(); };
  const pia::property::queue::auto_capture capture(captures);
  using order = sycl::property::queue::in_order;
  return sycl::queue(
      home_.get_context(), home_.get_device(), count,
      below(2) == 0 ? sycl::property_list{capture, order{}} : sycl::property_list{capture});
}

block world::some_steps(std::size_t most, int depth) {
  block all(1 + below(most));
  for (step& s : all) {
    s.what =
        static_cast<task>(below(static_cast<std::size_t>(depth > 0 ? task::count : task::repeat)));
    // Iterations end with one that fails, all of a graph's memory is in it itself, and nodes of bodies keep their data.
    if (depth < 2 &&
        (s.what == task::failing || s.what == task::scratch || s.what == task::redirected))
      s.what = task::update;
    const std::size_t places = s.in_memory() ? memories : buffers;
    s.to = below(places);
    s.from = (s.to + 1 + below(places - 1)) % places;
    s.data = below(buffers);
    s.first = below(n_);
    s.count = 1 + below(n_ - s.first);
    if (s.what == task::part) s.first = below(n_ / 16) * 16, s.count = 16;
    if (s.what == task::square || below(3) == 0) s.first = 0, s.count = n_;
    s.seed = next();
    s.varies = below(2) == 0 && how_ != way::cut && how_ != way::rebound &&
               (how_ != way::updated || has_kernel(s.what));
    s.queue = below(4) == 0 ? 1 : 0;
    if (s.is_control()) {
      s.inner = some_steps(3, depth - 1);
      s.varies = false;
    }
  }
  return all;
}

void world::do_share(const share& s) {
  sycl::host_accessor a(buffers_[s.buffer]);
  same("the host's look at buffer", s.buffer, s.element, a[s.element],
       is_.buffer[s.buffer][s.element]);
  a[s.element] += s.add;
  is_.buffer[s.buffer][s.element] += s.add;
}

void world::disturb() {
  switch (below(8)) {
    case 0: {
      const std::size_t to = below(buffers);
      const word salt = next();
      sycl::queue other(pianola::testing::drawn_device(random_));
      other.submit([&](sycl::handler& h) {
        const sycl::accessor a(buffers_[to], h);
        h.parallel_for(n_, [=](sycl::id<1> i) { a[i] = a[i] * 7 + salt; });
      });
      for (word& w : is_.buffer[to]) w = w * 7 + salt;
      return;
    }
    case 1:
      return queues_[below(queues_.size())].wait();
    case 2:
      return do_share({below(buffers), below(n_), next()});
    default:
      return;
  }
}

void world::make_parameters() {
  for (std::size_t i = 0; i < in_parameters; ++i) {
    data_parameters_.emplace_back(sycl::range<1>(n_), paged_);
    memory_parameters_.emplace_back(n_, home_, kind_);
  }
}

}  // namespace every_way
