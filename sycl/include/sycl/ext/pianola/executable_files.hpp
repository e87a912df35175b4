// SPDX-License-Identifier: Apache-2.0
// Executable graphs as files: saved by a program that has recorded and planned, loaded by one that does neither. See
// docs/plans-as-files.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pianola/runtime/executables.hpp>

#include <sycl/buffer.hpp>
#include <sycl/command_graph.hpp>
#include <sycl/context.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/device.hpp>
#include <sycl/dynamic_parameter.hpp>
#include <sycl/ext/pianola/graph_files.hpp>
#include <sycl/image/image_base.hpp>
#include <sycl/property_list.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::pianola::property::executable {

/// For save: what looks like an address in the bytes of a kernel's arguments, and is in no USM allocation, is a number that
/// happens to look like one. Without it save refuses such a kernel.
class any_arguments {};

/// For load: the plan in the file is checked, independently of how it was made, as `pianola verify` does. It takes longer
/// than all the rest.
class verify {};

}  // namespace ext::pianola::property::executable

template <>
struct is_property<ext::pianola::property::executable::any_arguments>
    : detail::known_property<detail::property_key(
          "ext::pianola::property::executable::any_arguments")> {};
template <>
struct is_property<ext::pianola::property::executable::verify>
    : detail::known_property<detail::property_key("ext::pianola::property::executable::verify")> {};

namespace ext::pianola {

/// A buffer, an image, memory that USM functions gave, or a dynamic_parameter with the value that it has now, under a name; or by its
/// number, counted from 0 in order of first use in the graph, buffers and memory each for themselves, parameters in the
/// order in which `save` was given them. Keeps nothing alive.
class binding {
 public:
  template <class T, int Dimensions, class AllocatorT>
  binding(std::string name, const buffer<T, Dimensions, AllocatorT>& b) : binding(b) {
    runtime_.name = std::move(name);
  }
  template <class T, int Dimensions, class AllocatorT>
  binding(std::size_t number, const buffer<T, Dimensions, AllocatorT>& b) : binding(b) {
    runtime_.number = number;
  }
  /// The texels are a buffer of bytes, among whose numbers the image has one. The one that is bound has the range, format,
  /// pitches and sampler of the one that was saved: kernels were recorded with these.
  template <int Dimensions, class AllocatorT>
  binding(std::string name, const sycl::detail::image_base<Dimensions, AllocatorT>& image)
      : binding(std::move(name), sycl::detail::image_access::bytes(image)) {}
  template <int Dimensions, class AllocatorT>
  binding(std::size_t number, const sycl::detail::image_base<Dimensions, AllocatorT>& image)
      : binding(number, sycl::detail::image_access::bytes(image)) {}
  binding(std::string name, const void* memory) {
    runtime_.name = std::move(name);
    runtime_.pointer = memory;
  }
  binding(std::size_t number, const void* memory) {
    runtime_.number = number;
    runtime_.pointer = memory;
  }
  template <class T>
  binding(std::string name, const oneapi::experimental::dynamic_parameter<T>& p) : binding(p) {
    runtime_.name = std::move(name);
  }
  template <class T>
  binding(std::size_t number, const oneapi::experimental::dynamic_parameter<T>& p) : binding(p) {
    runtime_.number = number;
  }

  const ::pianola::runtime::binding& get() const noexcept { return runtime_; }

 private:
  template <class T, int Dimensions, class AllocatorT>
  explicit binding(const buffer<T, Dimensions, AllocatorT>& b) {
    if (b.is_sub_buffer())
      sycl::detail::throw_error(errc::invalid,
                                "binding: a sub-buffer cannot be bound; bind the buffer that it "
                                "is a part of");
    runtime_.buffer = sycl::detail::buffer_access::state(b)->key();
  }
  template <class T>
  explicit binding(const oneapi::experimental::dynamic_parameter<T>& p) {
    static_assert(!sycl::detail::is_accessor<T>,
                  "a file binds buffers, not accessors: bind the buffer");
    // As kernels capture it: the cookie is right in front of the value.
    const dynamic_argument<T> captured(p);
    const auto* const value = reinterpret_cast<const std::byte*>(&captured.get());
    std::memcpy(&runtime_.parameter, value - sizeof runtime_.parameter, sizeof runtime_.parameter);
    runtime_.value_offset = static_cast<std::uint32_t>(sizeof runtime_.parameter);
    runtime_.value.assign(value, value + sizeof(T));
  }

  ::pianola::runtime::binding runtime_;
};

/// Writes all that replays need: commands with their arguments, the plan, and by which names kernels, buffers and memory
/// are found again. Buffers and memory are called as `names` says, else "buffer N" and "memory N", their numbers. A
/// dynamic_parameter that `names` names stays one, of which the graph that is loaded can be given other values; any other is
/// saved as the value that it has. Throws
/// exception: errc::feature_not_supported for a graph with something that means nothing in another process (host tasks,
/// function objects that are not trivially copyable, pointers that no USM function gave, memory that the graph
/// allocates), which names the command; errc::invalid for wrong names, or if the file cannot be written.
void save(const executable_graph& graph, const std::string& path,
          const std::vector<binding>& names = {}, const property_list& properties = {});

/// The graph that was saved, on buffers and memory of this program, which have the shapes, element sizes and page sizes of
/// those that it was saved with, and all differ from each other; with the values of the parameters that are bound, else those
/// that it was saved with. It can be updated if the properties have property::graph::updatable. Nothing is recorded, and nothing planned. The file must
/// come from a program built from the same sources, for the same devices. It is trusted as a program is: a damaged one is
/// refused, but nobody can see what a kernel makes of its arguments. Throws exception: errc::invalid, with the path, for
/// a file that is not sound and for bindings that do not fit; errc::kernel_not_supported for a kernel that the program
/// has not.
executable_graph load(const std::string& path, const queue& q,
                      const std::vector<binding>& bindings = {},
                      const property_list& properties = {});
executable_graph load(const std::string& path, const context& c, const device& d,
                      const std::vector<binding>& bindings = {},
                      const property_list& properties = {});

/// From now on replays of a graph that was loaded do their work with the values that these parameters have now. Nothing is
/// recorded or planned, and only the kernels that use one are exchanged. Replays under way go on as they are. Throws exception:
/// errc::invalid for what is no parameter of the graph, or of another size, and if the graph was loaded without
/// property::graph::updatable; errc::feature_not_supported if a kernel would touch other elements than those that the graph
/// was planned for, as far as the compiler knows. Nothing has changed then.
void update(executable_graph& graph, const std::vector<binding>& parameters);

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
