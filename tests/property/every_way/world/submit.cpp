// SPDX-License-Identifier: Apache-2.0
// Commands of a program, to queues that run them and to such that record.
#include "every_way/world.hpp"

namespace every_way {

void world::submit(const block& steps, target& t) {
  for (const step& s : steps) submit(s, t);
}

void world::submit(const step& s, target& t) {
  sycl::queue& q = t.queues[s.queue % t.queues.size()];
  switch (s.what) {
    case task::barrier:
      q.ext_oneapi_submit_barrier();
      return;
    case task::repeat:
    case task::loop:
    case task::branch:
      return t.graph == nullptr ? decide(s, t) : record_control(s, t, q);
    case task::scratch:
      return submit_scratch(s, t, q);
    case task::failing:
      return submit_failing(s, t, q);
    case task::sized:
      return submit_sized(s, t, q);
    case task::redirected:
      return submit_redirected(s, t, q);
    default:
      break;
  }
  const sycl::event e =
      with_salt(s, t, q, [&](sycl::handler& h, const auto& salt) { put(s, t, h, salt); });
  if (s.in_memory()) t.uses.note(s, e);
}

template <class Put>
sycl::event world::with_salt(const step& s, target& t, sycl::queue& q, const Put& f) {
  const word salt = s.salt(t.iteration);
  if (t.changes == nullptr || !s.varies || !has_kernel(s.what))
    return q.submit([&](sycl::handler& h) { f(h, salt); });
  graphs::dynamic_parameter<word> value(*t.graph, salt);
  const sycl::event e =
      q.submit([&](sycl::handler& h) { f(h, pia::dynamic_argument<word>(value)); });
  t.changes->push_back({[&s, value](std::size_t i) mutable { value.update(s.salt(i)); },
                        graphs::node::get_node_from_event(e), t.graph});
  return e;
}

template <class Salt>
void world::put(const step& s, const target& t, sycl::handler& h, const Salt& salt) {
  const std::size_t first = s.first, count = s.count, n = n_;
  if (s.in_memory()) return put_in_memory(s, t, h, salt);
  words &to = *t.at.data[s.to], &from = *t.at.data[s.from];
  const sycl::range<1> range(count);
  const sycl::id<1> offset(first);
  switch (s.what) {
    case task::update: {
      const sycl::accessor b(from, h, sycl::read_only);
      const sycl::accessor a(to, h, range, offset, sycl::read_write);
      return h.parallel_for(range, [=](sycl::id<1> i) {
        const std::size_t at = first + i[0];
        a[i] = 3 * a[i] + b[(at + 5) % n] + salt + static_cast<word>(at);
      });
    }
    case task::overwrite: {
      const sycl::accessor a(to, h, range, offset, sycl::write_only, sycl::no_init);
      return h.parallel_for(range,
                            [=](sycl::id<1> i) { a[i] = salt ^ static_cast<word>(first + i[0]); });
    }
    case task::part: {
      words of(to, offset, range);
      const sycl::accessor b(from, h, sycl::read_only);
      const sycl::accessor a(of, h, sycl::read_write);
      return h.parallel_for(range, [=](sycl::id<1> i) {
        const std::size_t at = first + i[0];
        a[i] = 3 * a[i] + b[(at + 5) % n] + salt + static_cast<word>(at);
      });
    }
    case task::square: {
      const std::size_t columns = 16;
      auto square = to.reinterpret<word, 2>(sycl::range<2>(n / columns, columns));
      const sycl::accessor b(from, h, sycl::read_only);
      const sycl::accessor a(square, h, sycl::read_write);
      return h.parallel_for(sycl::range<2>(n / columns, columns), [=](sycl::id<2> i) {
        const std::size_t at = i[0] * columns + i[1];
        a[i] = 3 * a[i] + b[(at + 5) % n] + salt + static_cast<word>(at);
      });
    }
    case task::pairs: {
      auto pairs = to.reinterpret<std::uint64_t, 1>(sycl::range<1>(n / 2));
      const sycl::accessor a(pairs, h, sycl::read_write);
      return h.parallel_for(n / 2,
                            [=](sycl::id<1> i) { a[i] = a[i] * 3 + static_cast<word>(salt); });
    }
    case task::groups: {
      const sycl::accessor b(from, h, sycl::read_only);
      const sycl::accessor a(to, h, sycl::read_write);
      const sycl::local_accessor<word, 1> near(sycl::range<1>(group), h);
      return h.parallel_for(sycl::nd_range<1>(n, group), [=](sycl::nd_item<1> i) {
        const std::size_t l = i.get_local_id(0), g = i.get_global_id(0);
        near[l] = a[g];
        sycl::group_barrier(i.get_group());
        a[g] = near[(l + 1) % group] * 5 + b[g] + salt;
      });
    }
    case task::copy: {
      const sycl::accessor b(from, h, range, offset, sycl::read_only);
      const sycl::accessor a(to, h, range, offset, sycl::write_only, sycl::no_init);
      return h.copy(b, a);
    }
    case task::fill: {
      const sycl::accessor a(to, h, range, offset, sycl::write_only, sycl::no_init);
      return h.fill(a, static_cast<word>(salt));
    }
    default: {
      const sycl::accessor b(from, h, sycl::read_only_host_task);
      const sycl::accessor a(to, h, range, offset, sycl::read_write_host_task);
      return h.host_task([=, salt = static_cast<word>(salt)] {
        for (std::size_t i = 0; i < count; ++i)
          a[i] = 3 * a[i] + b[(first + i + 5) % n] + salt + static_cast<word>(first + i);
      });
    }
  }
}

template <class Salt>
void world::put_in_memory(const step& s, const target& t, sycl::handler& h, const Salt& salt) {
  h.depends_on(t.uses.before(s));
  word* const to = t.at.memory[s.to] + s.first;
  const word* const from = t.at.memory[s.from] + s.first;
  const sycl::range<1> range(s.count);
  const sycl::id<1> offset(s.first);
  if (s.what == task::memory_fill) return h.fill(to, static_cast<word>(salt), s.count);
  if (s.what == task::memory_copy) return h.memcpy(to, from, s.count * sizeof(word));
  const sycl::accessor b(*t.at.data[s.data], h, range, offset, sycl::read_only);
  if (s.what == task::to_memory) return h.copy(b, to);
  h.parallel_for(range, [=](sycl::id<1> i) { to[i[0]] = 3 * to[i[0]] + from[i[0]] + b[i] + salt; });
}

void world::submit_scratch(const step& s, target& t, sycl::queue& q) {
  word* own = nullptr;
  const sycl::event made = q.submit([&](sycl::handler& h) {
    own = static_cast<word*>(graphs::async_malloc(h, sycl::usm::alloc::device, n_ * sizeof(word)));
  });
  const sycl::event filled = q.fill(own, s.seed, n_, made);
  const sycl::event added = with_salt(s, t, q, [&](sycl::handler& h, const auto& by) {
    h.depends_on(filled);
    const sycl::accessor a(*t.at.data[s.to], h, sycl::read_write);
    h.parallel_for(n_, [=](sycl::id<1> i) { a[i] += own[i[0]] + by; });
  });
  q.submit([&](sycl::handler& h) {
    h.depends_on(added);
    graphs::async_free(h, own);
  });
}

void world::submit_failing(const step& s, target& t, sycl::queue& q) {
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(victim_, h, sycl::write_only_host_task, sycl::no_init);
    h.host_task([a] {
      a[0] = 1;
      throw std::runtime_error("a host task gives up");
    });
  });
  with_salt(s, t, q, [&](sycl::handler& h, const auto& salt) {
    const sycl::accessor a(victim_, h, sycl::write_only, sycl::no_init);
    h.parallel_for(victim_.get_range(),
                   [=](sycl::id<1> i) { a[i] = salt + static_cast<word>(i[0]); });
  });
}

void world::submit_redirected(const step& s, target& t, sycl::queue& q) {
  const word seed = s.seed;
  words& now = *t.at.data[s.place(t.iteration)];
  if (t.changes == nullptr || !s.varies) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(now, h, sycl::read_write);
      h.parallel_for(n_, [=](sycl::id<1> i) { a[i] = a[i] * 5 + seed; });
    });
    return;
  }
  graphs::dynamic_parameter where(*t.graph, sycl::accessor(now, sycl::read_write));
  const sycl::event e = q.submit([&](sycl::handler& h) {
    h.require(where);
    const pia::dynamic_argument a(where);
    h.parallel_for(n_, [=](sycl::id<1> i) { a.get()[i] = a.get()[i] * 5 + seed; });
  });
  t.changes->push_back({[this, &s, where](std::size_t i) mutable {
                          where.update(sycl::accessor(buffers_[s.place(i)], sycl::read_write));
                        },
                        graphs::node::get_node_from_event(e), t.graph});
}

void world::submit_sized(const step& s, target& t, sycl::queue& q) {
  sycl::buffer<int>& size = sizes_.emplace_back(sycl::range<1>(1));
  const word seed = s.seed, most = static_cast<word>(s.count + 1);
  const std::size_t first = s.first;
  q.submit([&](sycl::handler& h) {
    const sycl::accessor b(*t.at.data[s.from], h, sycl::read_only);
    const sycl::accessor k(size, h, sycl::write_only, sycl::no_init);
    h.single_task([=] { k[0] = static_cast<int>((b[first] ^ seed) % most); });
  });
  const sycl::range<1> count(s.count);
  with_salt(s, t, q, [&](sycl::handler& h, const auto& salt) {
    const sycl::accessor k(size, h, sycl::read_only);
    const sycl::accessor a(*t.at.data[s.to], h, count, sycl::id<1>(first), sycl::read_write);
    pia::parallel_for(h, pia::indirect_range(k, count),
                      [=](sycl::id<1> i) { a[i] = 3 * a[i] + salt; });
  });
}

void world::decide(const step& s, target& t) {
  word times = s.seed % 4;
  if (s.what != task::repeat) {
    const sycl::host_accessor b(*t.at.data[s.from], sycl::read_only);
    times = (b[s.first] ^ s.seed) % (s.what == task::loop ? 4 : 2);
  }
  for (; times > 0; --times) submit(s.inner, t);
}

void world::record_control(const step& s, target& t, sycl::queue& q) {
  // Nodes are known as long as their graph lives.
  modifiable& body = bodies_.emplace_back(home_.get_context(), home_.get_device());
  sycl::buffer<int>& left = sizes_.emplace_back(sycl::range<1>(1));
  // The others record into the outer graph.
  std::vector<sycl::queue> inside;
  for (std::size_t k = 0; k < 2; ++k) inside.push_back(some_queue(false));
  target of_body{inside, t.at, {}, &body, t.changes, t.iteration};
  body.begin_recording(inside);
  submit(s.inner, of_body);
  if (s.what == task::loop)
    inside[0].submit([&](sycl::handler& h) {
      const sycl::accessor l(left, h, sycl::read_write);
      h.single_task([=] { l[0] -= 1; });
    });
  body.end_recording();
  const executable made = body.finalize();
  const word seed = s.seed, choices = s.what == task::loop ? 4 : 2;
  const std::size_t first = s.first;
  if (s.what != task::repeat)
    q.submit([&](sycl::handler& h) {
      const sycl::accessor b(*t.at.data[s.from], h, sycl::read_only);
      const sycl::accessor l(left, h, sycl::write_only, sycl::no_init);
      h.single_task([=] { l[0] = static_cast<int>((b[first] ^ seed) % choices); });
    });
  const std::vector<sycl::event> before = t.uses.all();
  const sycl::event done = q.submit([&](sycl::handler& h) {
    h.depends_on(before);
    if (s.what == task::repeat) return pia::add_repeat(h, seed % 4, made);
    if (s.what == task::loop) return pia::add_while(h, left, made);
    pia::add_if(h, left, made);
  });
  t.uses.note_all(done);
}

}  // namespace every_way
