// SPDX-License-Identifier: Apache-2.0
// Instantiates what programs use of the headers, for the tests that include them behind a program's own names. Everything
// is qualified, and what is declared here begins with `uses_` or is local.
#include <sycl/sycl.hpp>

namespace uses_of_everything {

namespace graphs = sycl::ext::oneapi::experimental;

inline const sycl::specialization_id<int> constant{3};

inline void commands() {
  sycl::queue q{sycl::property::queue::in_order{}};
  sycl::buffer<float, 2> b{sycl::range<2>{8, 8}};
  sycl::buffer<int> c{sycl::range<1>{8}};
  sycl::buffer<int> part{c, sycl::id<1>{2}, sycl::range<1>{2}};
  auto bytes = c.reinterpret<unsigned char>(sycl::range<1>{32});
  int* const u = sycl::malloc_shared<int>(8, q);
  sycl::usm_allocator<int, sycl::usm::alloc::shared> allocator{q};
  sycl::event e = q.submit([&](sycl::handler& h) {
    sycl::accessor x{b, h, sycl::read_only};
    sycl::accessor y{b, h, sycl::write_only, sycl::no_init};
    sycl::local_accessor<int, 1> l{sycl::range<1>{4}, h};
    sycl::stream out{64, 16, h};
    h.set_specialization_constant<constant>(4);
    h.parallel_for(
        sycl::nd_range<2>{{8, 8}, {2, 2}}, [=](sycl::nd_item<2> i, sycl::kernel_handler k) {
          const auto g = i.get_group();
          const auto s = i.get_sub_group();
          l[0] = k.get_specialization_constant<constant>();
          sycl::group_barrier(g);
          const int sum = sycl::reduce_over_group(g, 1, sycl::plus<>());
          const int upto = sycl::inclusive_scan_over_group(s, 1, sycl::plus<>());
          sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> a{l[0]};
          a.fetch_add(sum + upto);
          y[i.get_global_id()] = sycl::sin(x[i.get_global_id()]);
          out << sum << sycl::endl;
        });
  });
  q.submit([&](sycl::handler& h) {
    h.depends_on(e);
    sycl::accessor x{c, h};
    auto total = sycl::reduction(u, sycl::plus<>());
    auto most = sycl::reduction(part, h, sycl::maximum<>());
    h.parallel_for(sycl::range<1>{8}, total, most, [=](sycl::id<1> i, auto& t, auto& m) {
      t += x[i];
      m.combine(x[i]);
    });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor x{c, h};
    sycl::accessor y{bytes, h, sycl::read_only};
    h.parallel_for_work_group(sycl::range<1>{2}, sycl::range<1>{4}, [=](sycl::group<1> g) {
      sycl::private_memory<int> p{g};
      g.parallel_for_work_item([&](sycl::h_item<1> i) {
        p(i) = x[i.get_global_id()] + y[0];
        x[i.get_global_id()] = p(i);
      });
    });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor x{c, h, sycl::read_write_host_task};
    h.host_task([=](sycl::interop_handle) { x[0] = 1; });
  });
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor{c, h, sycl::write_only}, 1); });
  q.submit([&](sycl::handler& h) { h.copy(sycl::accessor{c, h, sycl::read_only}, u); });
  q.copy(u, u + 4, 4).wait();
  q.fill(u, 0, 8);
  q.prefetch(u, 32);
  q.wait_and_throw();
  allocator.deallocate(allocator.allocate(1), 1);
  const sycl::host_accessor there{c};
  for (int& v : there) v = allocator == allocator ? 1 : 0;
  sycl::free(u, q);
}

inline void images() {
  sycl::queue q;
  sycl::sampled_image<2> from{
      nullptr,
      sycl::image_format::r32g32b32a32_sfloat,
      {sycl::addressing_mode::none, sycl::coordinate_normalization_mode::unnormalized,
       sycl::filtering_mode::nearest},
      sycl::range<2>{2, 2}};
  sycl::unsampled_image<2> to{sycl::image_format::r32g32b32a32_sfloat, sycl::range<2>{2, 2}};
  q.submit([&](sycl::handler& h) {
    sycl::sampled_image_accessor<sycl::float4, 2> x{from, h};
    sycl::unsampled_image_accessor<sycl::float4, 2, sycl::access_mode::write> y{to, h};
    h.parallel_for(sycl::range<2>{2, 2}, [=](sycl::item<2> i) {
      const sycl::int2 at{static_cast<int>(i[0]), static_cast<int>(i[1])};
      y.write(at, x.read(at));
    });
  });
}

inline void recorded() {
  sycl::queue q;
  int* const u = sycl::malloc_device<int>(8, q);
  graphs::command_graph g{q, {graphs::property::graph::assume_buffer_outlives_graph{}}};
  graphs::dynamic_parameter parameter{g, u};
  g.begin_recording(q);
  const sycl::event e = q.single_task([=] { u[0] = 1; });
  g.end_recording(q);
  graphs::node n = g.add([&](sycl::handler& h) { h.memset(u, 0, 4); },
                         {graphs::property::node::depends_on_all_leaves{}});
  graphs::node first = graphs::node::get_node_from_event(e);
  g.make_edge(first, n);
  graphs::dynamic_command_group group{g, {[=](sycl::handler& h) { h.single_task([=] {}); }}};
  g.add(group);
  auto executable = g.finalize(graphs::property::graph::updatable{});
  parameter.update(u);
  executable.update(n);
  q.ext_oneapi_graph(executable).wait();
  sycl::free(u, q);
}

inline void values() {
  sycl::float4 v{1.0f, 2.0f, 3.0f, 4.0f};
  v.swizzle<0, 1>() = v.swizzle<3, 2>() * 2.0f;
  v = sycl::clamp(sycl::fma(v, v, v), 0.0f, sycl::length(v));
  const sycl::int4 rounded = v.convert<int, sycl::rounding_mode::rte>();
  const sycl::marray<sycl::half, 3> m{sycl::half{1.0f}};
  const auto bits = sycl::bit_cast<unsigned>(sycl::select(v, v, rounded)[0]);
  const std::hash<sycl::queue> hash;
  static_cast<void>(sycl::sqrt(m)[0] + sycl::popcount(bits) + hash(sycl::queue{}));
}

inline void machine() {
  const auto devices = sycl::device::get_devices(sycl::info::device_type::cpu);
  const sycl::device d{sycl::aspect_selector(sycl::aspect::cpu)};
  static_cast<void>(d.get_info<sycl::info::device::name>());
  static_cast<void>(d.create_sub_devices<sycl::info::partition_property::partition_equally>(1));
  const sycl::context context{devices};
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(context);
  static_cast<void>(bundle.get_kernel_ids());
  try {
    throw sycl::exception{sycl::errc::invalid, "none"};
  } catch (const sycl::exception& e) {
    static_cast<void>(e.code() == sycl::errc::invalid);
  }
}

}  // namespace uses_of_everything
