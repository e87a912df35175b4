// SPDX-License-Identifier: Apache-2.0
#include <sycl/ext/pianola/executable_files.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

namespace executable_files {

std::vector<::pianola::runtime::binding> to_runtime(const std::vector<binding>& bindings) {
  std::vector<::pianola::runtime::binding> all;
  for (const binding& b : bindings) all.push_back(b.get());
  return all;
}

}  // namespace executable_files

void save(const executable_graph& graph, const std::string& path, const std::vector<binding>& names,
          const property_list& properties) {
  const bool any = properties.has_property<property::executable::any_arguments>();
  sycl::detail::translate([&] {
    ::pianola::runtime::save(*sycl::detail::graph_access::handle(graph), path,
                             executable_files::to_runtime(names), any);
  });
}

executable_graph load(const std::string& path, const queue& q, const std::vector<binding>& bindings,
                      const property_list& properties) {
  return load(path, q.get_context(), q.get_device(), bindings, properties);
}

executable_graph load(const std::string& path, const context& c, const device& d,
                      const std::vector<binding>& bindings, const property_list& properties) {
  if (!sycl::detail::context_access::contains(c, d))
    sycl::detail::throw_error(errc::invalid, "load: the device is not one of the context's");
  const bool verify = properties.has_property<property::executable::verify>();
  auto loaded = sycl::detail::translate([&] {
    return ::pianola::runtime::load(path, sycl::detail::device_access::id(d),
                                    executable_files::to_runtime(bindings), verify);
  });
  return sycl::detail::graph_access::make_executable(
      std::move(loaded),
      properties.has_property<oneapi::experimental::property::graph::updatable>());
}

void update(executable_graph& graph, const std::vector<binding>& parameters) {
  if (!sycl::detail::graph_access::is_updatable(graph))
    sycl::detail::throw_error(errc::invalid,
                              "update: the graph was loaded without property::graph::updatable");
  sycl::detail::translate([&] {
    return ::pianola::runtime::set_parameters(*sycl::detail::graph_access::handle(graph),
                                              executable_files::to_runtime(parameters));
  });
}

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
