// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/runtime/cookie.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/accessor.hpp>
#include <sycl/detail/handler/access.hpp>
#include <sycl/detail/handler/arguments.hpp>
#include <sycl/detail/handler/constants.hpp>
#include <sycl/detail/handler/copies.hpp>
#include <sycl/detail/handler/extensions.hpp>
#include <sycl/detail/kernels/group_scope_kernel.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/reduction/launch.hpp>
#include <sycl/event.hpp>
#include <sycl/ext/adaptivecpp/scoped_parallelism.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/ext/pianola/graph_argument.hpp>
#include <sycl/glue/kernel_launcher.hpp>
#include <sycl/glue/kernel_registrar.hpp>
#include <sycl/glue/kernel_with_constants.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/reduction.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::oneapi::experimental {
enum class graph_state { modifiable, executable };
template <graph_state State>
class command_graph;
}  // namespace ext::oneapi::experimental

/// Collects what one command group needs and its one command (SYCL 2020, 4.9.4). Lives while the
/// command-group function runs. Every function that sets a command throws exception (errc::invalid) if
/// the group has one.
/// Its kernels are here; what it copies, its constants and the arguments of kernel objects are in its bases.
class handler : public detail::handler_with_constants,
                public detail::handler_arguments,
                public detail::handler_copies<handler>,
                public detail::handler_extensions<handler> {
 public:
  handler(const handler&) = delete;
  handler& operator=(const handler&) = delete;

  /// The command starts after the event's has finished.
  void depends_on(const event& e) { submission_.after.push_back(detail::event_access::handle(e)); }
  void depends_on(const std::vector<event>& events) {
    for (const event& e : events) depends_on(e);
  }

  /// Binds a placeholder accessor to this command group. Throws exception (errc::invalid) if the accessor was
  /// default-constructed or its buffer has ended.
  template <class T, int Dimensions, access_mode Mode, target Target, accessor_variant Variant>
  void require(const accessor<T, Dimensions, Mode, Target, Variant>& placeholder) {
    submission_.accessors.push_back(detail::accessor_access::request(placeholder));
  }

  /// The same for the accessor in a dynamic_parameter, which a kernel of a recorded graph gets by set_arg or a
  /// dynamic_argument (sycl_ext_oneapi_graph). Submitting it to a device throws exception (errc::invalid).
  template <class T, int Dimensions, access_mode Mode, target Target, accessor_variant Variant>
  void require(const ext::oneapi::experimental::dynamic_parameter<
               accessor<T, Dimensions, Mode, Target, Variant>>& parameter) {
    using held = ext::oneapi::experimental::dynamic_parameter<
        accessor<T, Dimensions, Mode, Target, Variant>>;
    require(detail::dynamic_parameter_value<held>::value(parameter));
    submission_.uses_parameters = true;
  }

  /// Kernel objects are launched if they are functions (sycl_ext_oneapi_free_function_kernels), as single tasks or over an
  /// nd_range, with a value of the parameter's very type for each parameter. Others are for kernels of a driver's
  /// own (SYCL 2020, 4.9.4.2.2), of which there are none. Throw exception: errc::invalid for a kernel that is a
  /// function object (launch it by that, after use_kernel_bundle), for a range, for a function that is decorated as
  /// another kind of kernel, or for a kernel of another context than the queue's; errc::kernel_argument for an argument that is missing, too many or of another type.
  void single_task(const kernel& k);
  void parallel_for(range<1>, const kernel&) { refuse_kernel_object("parallel_for"); }
  void parallel_for(range<2>, const kernel&) { refuse_kernel_object("parallel_for"); }
  void parallel_for(range<3>, const kernel&) { refuse_kernel_object("parallel_for"); }
  void parallel_for(const nd_range<1>& r, const kernel& k);
  void parallel_for(const nd_range<2>& r, const kernel& k);
  void parallel_for(const nd_range<3>& r, const kernel& k);

  template <class KernelName = void, class Kernel>
  void single_task(const Kernel& kernel) {
    static_assert(
        std::is_invocable_v<const Kernel&> || std::is_invocable_v<const Kernel&, kernel_handler>,
        "the kernel of a single_task takes nothing, or a kernel_handler");
    do_without_local_memory("single_task", kernel);
    launch<KernelName, pianola::glue::single_task_shape>(kernel, 1);
  }

  template <class KernelName = void, class Kernel>
  void parallel_for(range<1> extent, const Kernel& kernel) {
    over_range<KernelName>(extent, kernel);
  }
  template <class KernelName = void, class Kernel>
  void parallel_for(range<2> extent, const Kernel& kernel) {
    over_range<KernelName>(extent, kernel);
  }
  template <class KernelName = void, class Kernel>
  void parallel_for(range<3> extent, const Kernel& kernel) {
    over_range<KernelName>(extent, kernel);
  }

  /// Forms with an offset: deprecated by SYCL 2020.
  template <class KernelName = void, class Kernel>
  void parallel_for(range<1> extent, id<1> offset, const Kernel& kernel) {
    over_range<KernelName>(extent, offset, kernel);
  }
  template <class KernelName = void, class Kernel>
  void parallel_for(range<2> extent, id<2> offset, const Kernel& kernel) {
    over_range<KernelName>(extent, offset, kernel);
  }
  template <class KernelName = void, class Kernel>
  void parallel_for(range<3> extent, id<3> offset, const Kernel& kernel) {
    over_range<KernelName>(extent, offset, kernel);
  }

  /// Throws exception (errc::nd_range) if the local range does not divide the global one; zero divides only zero.
  template <class KernelName = void, int Dimensions, class Kernel>
  void parallel_for(const nd_range<Dimensions>& extent, const Kernel& kernel) {
    static_assert(
        pianola::glue::takes_index<Kernel, nd_item<Dimensions>>,
        "the kernel of a parallel_for over an nd_range takes an nd_item of its dimensions");
    pianola::model::kernel_command& command =
        launch<KernelName, pianola::glue::nd_range_shape<Dimensions>>(kernel, Dimensions);
    detail::set_geometry(command.geometry, extent);
  }
  /// With properties of the kernel (sycl_ext_oneapi_kernel_properties).
  template <class KernelName = void, class... P, class Kernel>
  void single_task(ext::oneapi::experimental::properties<P...>, const Kernel& kernel) {
    single_task<detail::named_by<KernelName, Kernel>>(
        detail::kernel_with_properties<Kernel, ext::oneapi::experimental::properties<P...>>{
            kernel});
  }
  template <class KernelName = void, template <int> class Extent, int Dimensions, class... P,
            class Kernel>
  void parallel_for(const Extent<Dimensions>& extent, ext::oneapi::experimental::properties<P...>,
                    const Kernel& kernel) {
    parallel_for<detail::named_by<KernelName, Kernel>>(
        extent, detail::kernel_with_properties<Kernel, ext::oneapi::experimental::properties<P...>>{
                    kernel});
  }

  // With reductions (SYCL 2020, 4.9.2): any number of them, and then the kernel, which takes a reducer of
  // each after its index.
#define PIANOLA_REDUCING_PARALLEL_FOR(...)                                                 \
  void parallel_for(__VA_ARGS__ extent, const Reduction& reduction, const Rest&... rest) { \
    detail::launch_reduction<KernelName>(*this, extent, reduction, rest...);               \
  }
  template <class KernelName = void, class Reduction, class... Rest,
            detail::if_reduction<Reduction> = 0>
  PIANOLA_REDUCING_PARALLEL_FOR(range<1>)
  template <class KernelName = void, class Reduction, class... Rest,
            detail::if_reduction<Reduction> = 0>
  PIANOLA_REDUCING_PARALLEL_FOR(range<2>)
  template <class KernelName = void, class Reduction, class... Rest,
            detail::if_reduction<Reduction> = 0>
  PIANOLA_REDUCING_PARALLEL_FOR(range<3>)
  template <class KernelName = void, int Dimensions, class Reduction, class... Rest,
            detail::if_reduction<Reduction> = 0>
  PIANOLA_REDUCING_PARALLEL_FOR(const nd_range<Dimensions>&)
#undef PIANOLA_REDUCING_PARALLEL_FOR

  // Hierarchical kernels (SYCL 2020, 4.9.4.2.3), which take a group, and scoped ones, which take an s_group
  // (ext/adaptivecpp/scoped_parallelism.hpp). Groups without a size get one of ours.
#define PIANOLA_GROUP_KERNELS(dimensions)                                                       \
  template <class KernelName = void, class Kernel>                                              \
  void parallel_for_work_group(range<dimensions> groups, const Kernel& kernel) {                \
    over_groups<KernelName>(groups, detail::ones<dimensions>(), kernel);                        \
  }                                                                                             \
  template <class KernelName = void, class Kernel>                                              \
  void parallel_for_work_group(range<dimensions> groups, range<dimensions> group_size,          \
                               const Kernel& kernel) {                                          \
    over_groups<KernelName>(groups, group_size, kernel);                                        \
  }                                                                                             \
  template <class KernelName = void, class Kernel>                                              \
  void parallel(range<dimensions> groups, range<dimensions> group_size, const Kernel& kernel) { \
    over_groups<KernelName>(groups, group_size,                                                 \
                            detail::scoped_kernel<dimensions, Kernel>{kernel});                 \
  }
  PIANOLA_GROUP_KERNELS(1) PIANOLA_GROUP_KERNELS(2) PIANOLA_GROUP_KERNELS(3)
#undef PIANOLA_GROUP_KERNELS

      /// Runs the callable on the host. It takes nothing, and uses accessors with target::host_task (those with
      /// target::device work, too: their data is brought to the host). Or it takes an interop_handle: then accessors with
      /// target::device have their data on the device, for interop_handle::get_native_mem.
      template <class Callable>
      void host_task(Callable&& callable) {
    using function = std::decay_t<Callable>;
    static_assert(std::is_invocable_v<function&> || std::is_invocable_v<function&, interop_handle>,
                  "a host task takes nothing, or an interop_handle");
    pianola::model::host_task_command& command = set<pianola::model::host_task_command>();
    if constexpr (std::is_invocable_v<function&>)
      command.invoke = [](void* stored) { (*static_cast<function*>(stored))(); };
    else
      command.invoke_with_access = &call_with_handle<function>;
    store(static_cast<const function&>(callable));
  }

  /// Calls the callable with an interop_handle when the command's turn comes: it puts work of the driver's on the
  /// queue's stream, or adds nodes to a graph that is being built, and returns without waiting
  /// (sycl_ext_codeplay_enqueue_native_command). On devices without a driver it is a host task.
  template <class Callable>
  void ext_codeplay_enqueue_native_command(Callable&& callable) {
    using function = std::decay_t<Callable>;
    static_assert(std::is_invocable_v<function&, interop_handle>,
                  "a native command takes an interop_handle");
    pianola::model::host_task_command& command = set<pianola::model::host_task_command>();
    command.invoke_with_access = &call_with_handle<function>;
    command.enqueues = true;
    store(static_cast<const function&>(callable));
  }

  /// Replays the graph (sycl_ext_oneapi_graph).
  void ext_oneapi_graph(const ext::oneapi::experimental::command_graph<
                        ext::oneapi::experimental::graph_state::executable>& graph);
  /// On what the arguments put in the places of its parameters. Throws exception (errc::invalid) at submission for values
  /// that do not fit, and for parameters without one.
  void ext_oneapi_graph(const ext::oneapi::experimental::command_graph<
                            ext::oneapi::experimental::graph_state::executable>& graph,
                        const std::vector<ext::pianola::graph_argument>& arguments);

  /// Waits for everything submitted to the queue before; what is submitted later waits for it.
  void ext_oneapi_barrier() { set<pianola::model::barrier_command>(); }
  /// The same for the given events only.
  void ext_oneapi_barrier(const std::vector<event>& events) {
    if (events.empty()) return set_empty();
    depends_on(events);
    set<pianola::model::barrier_command>();
  }

 private:
  template <class Function>
  static void call_with_handle(void* stored, const pianola::model::native_access& access) {
    (*static_cast<Function*>(stored))(interop_handle(access));
  }

  friend class queue;
  friend class detail::handler_access;
  friend class detail::handler_copies<handler>;
  friend class detail::handler_extensions<handler>;
  template <ext::oneapi::experimental::graph_state>
  friend class ext::oneapi::experimental::command_graph;

  explicit handler(pianola::runtime::submission& submission,
                   const detail::queue_state* queue = nullptr) noexcept
      : handler_with_constants(queue, context_of(submission, queue)), submission_(submission) {}

  static const context* context_of(const pianola::runtime::submission& submission,
                                   const detail::queue_state* queue) noexcept {
    if (queue != nullptr) return &queue->the_context;
    const auto* const place = static_cast<const detail::node_place*>(submission.place);
    return place != nullptr ? place->of_context : nullptr;
  }

  /// Null: the group is for no queue and no graph.
  const device* own_device() const noexcept {
    if (queue_ != nullptr) return &queue_->the_device;
    const auto* const place = static_cast<const detail::node_place*>(submission_.place);
    return place != nullptr ? place->of_device : nullptr;
  }

  template <class Command>
  Command& set() {
    if (submission_.has_payload) detail::refuse_second_command();
    submission_.has_payload = true;
    return submission_.payload.emplace<Command>();
  }
  void set_empty() { set<pianola::model::empty_command>(); }

  template <class Object>
  void store(const Object& object) {
    submission_.arguments.store(&object, sizeof(Object), alignof(Object),
                                pianola::glue::operations_or_null<Object>());
  }

  /// Larger objects are no patterns: a kernel puts them in place.
  template <class T>
  static constexpr bool is_pattern =
      sizeof(T) <= pianola::runtime::argument_storage::inline_bytes &&
      alignof(T) <= alignof(std::max_align_t);

  template <class T>
  void set_pattern(pianola::model::fill_command& command, const T& pattern) {
    command.pattern_bytes = sizeof(T);
    if constexpr (sizeof(T) <= pianola::model::fill_command::inline_pattern_bytes) {
      std::memcpy(command.pattern, static_cast<const void*>(&pattern), sizeof(T));
    } else {
      store(pattern);
      command.large_pattern = submission_.arguments.block().bytes;
    }
  }

  template <class KernelName, class Shape, class Kernel>
  pianola::model::kernel_command& launch(const Kernel& kernel, int dimensions) {
    using name = std::conditional_t<std::is_void_v<KernelName>, Kernel, KernelName>;
    refuse_unused_parameters();
    if (constants_) {
      constants_->kernel_name = &pianola::glue::kernel_name_tag<name>;
      if (constants_->bundle != nullptr) check_bundle(constants_->kernel_name);
    }
    if constexpr (pianola::glue::handler_taking<Kernel, Shape>::value) {
      using with_constants = pianola::glue::kernel_with_constants<Kernel>;
      detail::handler_constants& mine = constants();
      mine.kernel_name = &pianola::glue::kernel_name_tag<name>;
      pianola::model::kernel_command& command =
          store_kernel<name, Shape>(with_constants{kernel, {}, {}}, dimensions);
      mine.block = &static_cast<with_constants*>(submission_.arguments.block().bytes)->constants;
      mine.submission = &submission_;
      mine.copy_to_kernel();
      return command;
    } else {
      return store_kernel<KernelName, Shape>(kernel, dimensions);
    }
  }

  template <class KernelName, class Shape, class Kernel>
  pianola::model::kernel_command& store_kernel(const Kernel& kernel, int dimensions) {
    auto& command = set<pianola::model::kernel_command>();
    const pianola::model::kernel_descriptor& described =
        pianola::glue::describe_registered_kernel<KernelName, Kernel, Shape>();
    command.kernel = &described;
    command.id = described.id;
    command.geometry.dimensions = static_cast<std::uint8_t>(dimensions);
    store(kernel);
    return command;
  }

  // SYCL 2020, 4.7.6.11.
  void refuse_local_memory(const char* function) const {
    if (submission_.local_memory_bytes != 0)
      detail::throw_error(errc::kernel_argument,
                          std::string(function) +
                              ": its kernel has a local_accessor, and no work-groups that could "
                              "share its memory; launch the kernel over an nd_range");
  }

  /// Of accessors that the kernel has not captured nobody needs the memory.
  template <class Kernel>
  void do_without_local_memory(const char* function, const Kernel& kernel) {
    if (submission_.local_memory_bytes == 0) return;
    if (pianola::runtime::holds_local_accessor(std::addressof(kernel), sizeof(Kernel)))
      refuse_local_memory(function);
    submission_.local_memory_bytes = 0;
  }

  template <class KernelName, int Dimensions, class Kernel>
  void over_groups(const range<Dimensions>& groups, const range<Dimensions>& group_size,
                   const Kernel& kernel) {
    static_assert(
        pianola::glue::takes_index<Kernel, group<Dimensions>>,
        "the kernel of a parallel_for_work_group takes a group of the range's dimensions");
    detail::check_groups(groups, group_size);
    pianola::model::kernel_command& command =
        launch<std::conditional_t<std::is_void_v<KernelName>, Kernel, KernelName>,
               pianola::glue::nd_range_shape<Dimensions>>(
            detail::group_scope_kernel<Dimensions, Kernel>(kernel, group_size), Dimensions);
    detail::set_geometry(command.geometry,
                         nd_range<Dimensions>(groups, detail::ones<Dimensions>()));
    command.logical_group = detail::to_extent3(group_size);
  }

  template <class KernelName, int Dimensions, class Kernel>
  void over_range(const range<Dimensions>& extent, const Kernel& kernel) {
    using shape = pianola::glue::range_shape<Dimensions, false>;
    static_assert(pianola::glue::takes_index<Kernel, typename shape::index>,
                  "the kernel of a parallel_for takes an item or id of the range's dimensions (or, "
                  "for one dimension, an integer), and then perhaps a kernel_handler");
    do_without_local_memory("parallel_for over a range", kernel);
    launch<KernelName, shape>(kernel, Dimensions).geometry.global = detail::to_extent3(extent);
  }
  template <class KernelName, int Dimensions, class Kernel>
  void over_range(const range<Dimensions>& extent, const id<Dimensions>& offset,
                  const Kernel& kernel) {
    using shape = pianola::glue::range_shape<Dimensions, true>;
    static_assert(pianola::glue::takes_index<Kernel, typename shape::index>,
                  "the kernel of a parallel_for takes an item or id of the range's dimensions (or, "
                  "for one dimension, an integer), and then perhaps a kernel_handler");
    do_without_local_memory("parallel_for over a range", kernel);
    pianola::model::launch_geometry& geometry =
        launch<KernelName, shape>(kernel, Dimensions).geometry;
    geometry.global = detail::to_extent3(extent);
    geometry.offset = detail::to_box(offset, range<Dimensions>()).lo;
  }

  pianola::runtime::submission& submission_;
  // Of the thread that calls the command group; null: it has made no accessor yet.
  pianola::runtime::cookie_numbers* cookies_ = nullptr;
};

namespace detail {

template <class CommandGroup>
void handler_access::call(pianola::runtime::submission& submission, CommandGroup&& group) {
  handler h(submission);
  group(h);
  h.refuse_unused_parameters();
}

inline void handler_access::add(handler& group, const pianola::runtime::accessor_request& request) {
  group.submission_.accessors.push_back(request);
}

inline pianola::runtime::accessor_request& handler_access::add(handler& group) {
  return group.submission_.accessors.append();
}
inline std::uint64_t handler_access::next_cookie(handler& group) noexcept {
  if (group.cookies_ == nullptr) group.cookies_ = &pianola::runtime::cookie_numbers_here();
  return pianola::runtime::next_accessor_cookie(*group.cookies_);
}

template <class Kernel>
pianola::glue::kernel_with_constants<Kernel> handler_access::with_constants(handler& group,
                                                                            const Kernel& kernel) {
  pianola::glue::kernel_with_constants<Kernel> with{kernel, {}, {}};
  handler_constants& mine = group.constants();
  mine.values.copy_to(with.constants, group.submission_);
  mine.fixed = true;
  return with;
}
inline pianola::runtime::submission& handler_access::submission_of(handler& group) noexcept {
  return group.submission_;
}
inline const queue_state* handler_access::queue_of(const handler& group) noexcept {
  return group.queue_;
}
inline void handler_access::set_empty(handler& group) { group.set_empty(); }
template <class KernelName, class Shape, class Kernel>
pianola::model::kernel_command& handler_access::launch(handler& group, const Kernel& kernel) {
  return group.launch<KernelName, Shape>(kernel, Shape::dimensions);
}
template <class KernelName, class Shape, class Kernel>
pianola::model::kernel_command& handler_access::launch_next(pianola::runtime::submission& next,
                                                            const Kernel& kernel) {
  return handler(next).launch<KernelName, Shape>(kernel, Shape::dimensions);
}

inline std::uint64_t handler_access::add_local(handler& group, std::size_t bytes,
                                               std::size_t alignment) {
  std::uint32_t& used = group.submission_.local_memory_bytes;
  const std::uint64_t offset = (used + alignment - 1) / alignment * alignment;
  const std::uint64_t end = offset + bytes;
  if (end > 0xffffffffU)
    throw_error(errc::memory_allocation,
                "local_accessor: a work-group would need more than 4 GiB of local memory");
  used = static_cast<std::uint32_t>(end);
  return offset;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
