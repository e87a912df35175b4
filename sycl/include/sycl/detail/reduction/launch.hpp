// SPDX-License-Identifier: Apache-2.0
// From the arguments of a parallel_for with reductions to its two kernels: the user's, which leaves rows
// of partial results in memory of the runtime, and the one that finishes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pianola/runtime/buffers.hpp>
#include <pianola/runtime/cookie.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/detail/accessor/bind.hpp>
#include <sycl/detail/checked_size.hpp>
#include <sycl/detail/handler/access.hpp>
#include <sycl/detail/handler/memory_operand.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/reduction/finish.hpp>
#include <sycl/detail/reduction/nd_kernel.hpp>
#include <sycl/detail/reduction/parts.hpp>
#include <sycl/detail/reduction/range_kernel.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/glue/internal_kernel.hpp>
#include <sycl/glue/kernel_launcher.hpp>
#include <sycl/glue/kernel_with_constants.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/reduction.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Memory that lives until the last command that uses it has finished.
class buffer_between {
 public:
  explicit buffer_between(std::size_t bytes) {
    pianola::runtime::buffer_description d;
    elements_ = (bytes + line - 1) / line * (line / element);
    d.info.grid = pianola::model::page_grid(pianola::model::extent3{{1, 1, elements_}});
    d.info.element_size = element;
    d.label = "partial results";
    d.own = true;
    key_ = translate([&] { return pianola::runtime::create_buffer(d); });
  }
  buffer_between(const buffer_between&) = delete;
  buffer_between& operator=(const buffer_between&) = delete;
  ~buffer_between() { pianola::runtime::destroy_buffer(key_, false); }

  /// What stands for its address in the arguments of that submission's kernel.
  unsigned char* bind(pianola::runtime::submission& s, pianola::model::access_mode mode) const {
    pianola::runtime::accessor_request r;
    r.buffer = key_;
    r.mode = mode;
    r.no_init = mode == pianola::model::access_mode::write;
    r.elements.hi = {{1, 1, elements_}};
    r.cookie = pianola::runtime::next_accessor_cookie();
    s.accessors.push_back(r);
    return reinterpret_cast<unsigned char*>(r.cookie);
  }

 private:
  static constexpr std::uint32_t line = 64;
  // As small as most partial results, so that kernels in parts leave theirs in elements of their own.
  static constexpr std::uint32_t element = 4;
  pianola::runtime::buffer_key key_;
  std::uint64_t elements_;
};

template <class T>
T* bind_variables(pianola::runtime::submission&, T* variables, bool) {
  return variables;
}
template <class T, class AllocatorT>
T* bind_variables(pianola::runtime::submission& s, const buffer<T, 1, AllocatorT>& variable,
                  bool initialise) {
  pianola::runtime::accessor_request r =
      make_request(variable, initialise ? access_mode::write : access_mode::read_write, initialise,
                   variable.get_range(), id<1>(), "reduction");
  r.cookie = pianola::runtime::next_accessor_cookie();
  s.accessors.push_back(r);
  return reinterpret_cast<T*>(r.cookie);
}

template <int Dimensions>
void check_fits(const range<Dimensions>& global) {
  std::size_t items = 0;
  if (!count_of(global, items) || items > static_cast<std::size_t>(-1) / 2)
    throw_error(errc::nd_range, "parallel_for: a reduction over more than 2^63 - 1 work-items");
}

/// Places the partial results of one reduction after another.
class row_places {
 public:
  explicit row_places(std::size_t rows) : rows_(rows) {}
  template <class Part>
  std::uint64_t take() {
    const std::uint64_t offset = used_;
    used_ += (rows_ * Part::row_bytes + 63) / 64 * 64;
    return offset;
  }
  /// At least one byte: a buffer cannot be empty.
  std::uint64_t bytes() const { return used_ + 1; }

 private:
  std::uint64_t rows_;
  std::uint64_t used_ = 0;
};

/// The arguments of parallel_for behind the range: reductions, and the kernel as the last. I: the positions of
/// the reductions.
template <class Arguments, std::size_t... At>
class reduction_launch {
  static_assert((is_reduction<std::tuple_element_t<At, Arguments>> && ...),
                "what stands between the first reduction and the kernel must be reductions");
  template <std::size_t J>
  using argument = std::decay_t<std::tuple_element_t<J, Arguments>>;
  using user_kernel = argument<sizeof...(At)>;
  template <std::size_t J>
  using part = reduction_part<typename argument<J>::rules_type, argument<J>::extent>;
  using parts = pack<part<At>...>;
  template <class Name>
  using name_or_kernel = std::conditional_t<std::is_void_v<Name>, user_kernel, Name>;

 public:
  reduction_launch(handler& group, const Arguments& arguments)
      : group_(group), arguments_(arguments) {}

  template <class KernelName, int Dimensions>
  void over(const range<Dimensions>& extent) const {
    static_assert(
        takes_reducers<user_kernel, item<Dimensions, false>, typename part<At>::reducer_type...>,
        "the kernel of a parallel_for with reductions takes an item or id of the range's "
        "dimensions, and "
        "then a reference to a reducer for each reduction");
    using callable = callable_kernel<item<Dimensions, false>>;
    using kernel = range_reduction<Dimensions, callable, part<At>...>;
    constexpr std::size_t row_bytes = (std::size_t{0} + ... + part<At>::row_bytes);
    constexpr std::size_t affordable = (std::size_t{1} << 25) / row_bytes;
    check_fits(extent);
    std::size_t blocks = kernel::blocks_for(extent.size());
    if (blocks > affordable) blocks = affordable > 16 ? affordable : 16;
    const memory_between memory(blocks);
    pianola::runtime::submission& first = handler_access::submission_of(group_);
    if (blocks == 0) {
      // Only the variables may have to be set.
      handler_access::launch<KernelName, pianola::glue::single_task_shape>(group_, no_kernel());
    } else {
      set_geometry(
          handler_access::launch<name_or_kernel<KernelName>, pianola::glue::group_loop_shape>(
              group_, kernel(make_callable<callable>(), extent, blocks,
                             memory.buffer->bind(first, pianola::model::access_mode::write),
                             parts_at(memory)))
              .geometry,
          nd_range<1>(range<1>(blocks * reduction_group_size), range<1>(reduction_group_size)));
    }
    finish(first, memory, blocks);
  }

  template <class KernelName, int Dimensions>
  void over(const nd_range<Dimensions>& extent) const {
    static_assert(
        takes_reducers<user_kernel, nd_item<Dimensions>, typename part<At>::reducer_type...>,
        "the kernel of a parallel_for with reductions over an nd_range takes an nd_item of its "
        "dimensions, and then a reference to a reducer for each reduction");
    using callable = callable_kernel<nd_item<Dimensions>>;
    using kernel = nd_range_reduction<Dimensions, callable, part<At>...>;
    pianola::model::launch_geometry geometry;
    set_geometry(geometry, extent);
    check_fits(extent.get_global_range());
    const std::size_t rows = pianola::model::volume(geometry.groups());
    if (rows > 0xffffffffU)
      throw_error(errc::nd_range,
                  "parallel_for: a reduction over more than 2^32 work-groups; use larger ones");
    const memory_between memory(rows);
    pianola::runtime::submission& first = handler_access::submission_of(group_);
    geometry.dimensions = Dimensions;
    handler_access::launch<name_or_kernel<KernelName>,
                           pianola::glue::nd_range_reduction_shape<Dimensions>>(
        group_,
        kernel(make_callable<callable>(),
               memory.buffer->bind(first, pianola::model::access_mode::write), parts_at(memory)))
        .geometry = geometry;
    finish(first, memory, rows);
  }

 private:
  struct no_kernel : pianola::glue::internal_kernel {
    void operator()() const {}
  };

  /// The user's kernel, with the values of specialization constants if it takes a kernel_handler.
  template <class Item>
  using callable_kernel = std::conditional_t<
      std::is_invocable_v<
          const user_kernel&,
          const pianola::glue::index_for<user_kernel, Item, typename part<At>::reducer_type&...>&,
          typename part<At>::reducer_type&...>,
      user_kernel, pianola::glue::kernel_with_constants<user_kernel>>;
  template <class Callable>
  decltype(auto) make_callable() const {
    const user_kernel& given = std::get<sizeof...(At)>(arguments_);
    if constexpr (std::is_same_v<Callable, user_kernel>)
      return given;
    else
      return handler_access::with_constants(group_, given);
  }

  /// The parts know where their rows are; the buffer is made when that is known.
  struct memory_between {
    explicit memory_between(std::size_t rows) : memory_between(rows, row_places(rows)) {}
    memory_between(std::size_t, row_places at)
        : offsets{at.template take<part<At>>()...},
          buffer(std::make_shared<const buffer_between>(at.bytes())) {}

    std::uint64_t offsets[sizeof...(At)];
    std::shared_ptr<const buffer_between> buffer;
  };

  parts parts_at(const memory_between& memory) const {
    return parts(part<At>{std::get<At>(arguments_).rules, memory.offsets[At]}...);
  }

  void finish(pianola::runtime::submission& first, const memory_between& memory,
              std::size_t rows) const {
    using kernel = reduction_finish<part<At>...>;
    // Before what was to follow already.
    auto second = std::make_unique<pianola::runtime::submission>();
    second->next = std::move(first.next);
    first.next = std::move(second);
    first.kept_alive.push_back(std::const_pointer_cast<buffer_between>(memory.buffer));
    pianola::runtime::submission& next = *first.next;
    unsigned char* const bytes = memory.buffer->bind(next, pianola::model::access_mode::read);
    const pack<finish_part<part<At>>...> each(
        finish_part<part<At>>{part<At>{std::get<At>(arguments_).rules, memory.offsets[At]},
                              bind_variables(next, std::get<At>(arguments_).variables,
                                             std::get<At>(arguments_).initialise),
                              std::get<At>(arguments_).initialise ? 1U : 0U}...);
    set_geometry(handler_access::launch_next<kernel, pianola::glue::group_loop_shape>(
                     next, kernel(rows, bytes, each))
                     .geometry,
                 nd_range<1>(range<1>(kernel::variables * reduction_group_size),
                             range<1>(reduction_group_size)));
  }

  handler& group_;
  const Arguments& arguments_;
};

template <class KernelName, class Extent, class Arguments, std::size_t... At>
void launch_reduction_with(handler& group, const Extent& extent, const Arguments& arguments,
                           std::index_sequence<At...>) {
  reduction_launch<Arguments, At...>(group, arguments).template over<KernelName>(extent);
}

template <class KernelName, class Extent, class... Arguments>
void launch_reduction(handler& group, const Extent& extent, const Arguments&... arguments) {
  static_assert(sizeof...(Arguments) > 1, "the kernel is missing behind the reductions");
  launch_reduction_with<KernelName>(group, extent, std::tie(arguments...),
                                    std::make_index_sequence<sizeof...(Arguments) - 1>());
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
