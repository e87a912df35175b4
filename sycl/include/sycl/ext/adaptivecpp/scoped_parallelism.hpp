// SPDX-License-Identifier: Apache-2.0
// AdaptiveCpp's scoped parallelism, version 2: kernels of handler::parallel and queue::parallel. A program
// says what is done by all items of a group, by one, or by parts of the group; how many run at a time is
// the implementation's choice. Here it is always one: on the CPU a thread with loops that become vectors,
// on devices one work-item per group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <sycl/detail/kernels/group_scope_kernel.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/glue/kernel_launcher_range.hpp>
#include <sycl/kernel/device_event.hpp>
#include <sycl/kernel/group.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/private_memory.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <int Dimensions>
class s_item;

namespace detail {

/// The part of a work-group's items that a group covers.
template <int Dimensions>
struct scoped_box {
  range<Dimensions> groups;  // work-groups of the kernel
  id<Dimensions> group;
  range<Dimensions> work_group;  // its items
  id<Dimensions> first;          // of this group, in the work-group
  range<Dimensions> items;
};

struct scoped_access;

}  // namespace detail

/// A work-group, a part of one, or a single item: Scope tells which (the documentation's "scoped group"
/// concept).
template <int Dimensions, memory_scope Scope>
class s_group {
 public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = Scope;

  /// Among the groups that the group around it was cut into; a work-group: among all work-groups.
  id_type get_group_id() const noexcept { return index_; }
  std::size_t get_group_id(int dimension) const noexcept { return index_.get(dimension); }
  std::size_t operator[](int dimension) const noexcept { return index_.get(dimension); }
  linear_id_type get_group_linear_id() const noexcept {
    return detail::linear_index(count_, index_);
  }
  range_type get_group_range() const noexcept { return count_; }
  std::size_t get_group_range(int dimension) const noexcept { return count_.get(dimension); }
  std::size_t get_group_linear_range() const noexcept { return count_.size(); }

  id_type get_logical_local_id(const s_item<Dimensions>& item) const noexcept;
  std::size_t get_logical_local_id(const s_item<Dimensions>& item, int dimension) const noexcept {
    return get_logical_local_id(item).get(dimension);
  }
  linear_id_type get_logical_local_linear_id(const s_item<Dimensions>& item) const noexcept {
    return detail::linear_index(box_.items, get_logical_local_id(item));
  }
  id_type get_local_id(const s_item<Dimensions>& item) const noexcept {
    return get_logical_local_id(item);
  }
  std::size_t get_local_id(const s_item<Dimensions>& item, int dimension) const noexcept {
    return get_logical_local_id(item, dimension);
  }
  linear_id_type get_local_linear_id(const s_item<Dimensions>& item) const noexcept {
    return get_logical_local_linear_id(item);
  }

  range_type get_logical_local_range() const noexcept { return box_.items; }
  std::size_t get_logical_local_range(int dimension) const noexcept {
    return box_.items.get(dimension);
  }
  std::size_t get_logical_local_linear_range() const noexcept { return box_.items.size(); }

  /// Of what really runs: one per group.
  id_type get_physical_local_id() const noexcept { return id_type(); }
  std::size_t get_physical_local_id(int) const noexcept { return 0; }
  std::size_t get_physical_local_linear_id() const noexcept { return 0; }
  range_type get_physical_local_range() const noexcept { return detail::ones<Dimensions>(); }
  std::size_t get_physical_local_range(int) const noexcept { return 1; }
  std::size_t get_physical_local_linear_range() const noexcept { return 1; }
  bool leader() const noexcept { return true; }

  /// Deprecated by AdaptiveCpp for the logical and physical ones above.
  id_type get_local_id() const noexcept { return get_physical_local_id(); }
  std::size_t get_local_id(int dimension) const noexcept {
    return get_physical_local_id(dimension);
  }
  linear_id_type get_local_linear_id() const noexcept { return 0; }
  range_type get_local_range() const noexcept { return get_logical_local_range(); }
  std::size_t get_local_range(int dimension) const noexcept {
    return get_logical_local_range(dimension);
  }
  std::size_t get_local_linear_range() const noexcept { return get_logical_local_linear_range(); }

  /// Work-groups only: as sycl::group's.
  template <class DataT = void, class Destination, class Source, memory_scope S = Scope,
            std::enable_if_t<S == memory_scope::work_group, int> = 0,
            detail::if_copied<DataT, Destination, Source> = 0>
  device_event async_work_group_copy(Destination destination, Source source, std::size_t count,
                                     std::size_t stride = 1) const noexcept {
    detail::copy_in_group(destination, source, count, stride, true);
    return detail::device_event_access::make(nullptr);
  }
  template <class... Events, memory_scope S = Scope,
            std::enable_if_t<S == memory_scope::work_group, int> = 0>
  void wait_for(Events... events) const noexcept {
    (static_cast<const device_event&>(events).wait(), ...);
  }

 private:
  friend struct detail::scoped_access;
  s_group(const detail::scoped_box<Dimensions>& box, const id_type& index, const range_type& count)
      : box_(box), index_(index), count_(count) {}

  detail::scoped_box<Dimensions> box_;
  id_type index_;
  range_type count_;
};

/// A logical item, inside distribute_items.
template <int Dimensions>
class s_item {
 public:
  static constexpr int dimensions = Dimensions;

  range<Dimensions> get_global_range() const noexcept { return box_.groups * box_.work_group; }
  std::size_t get_global_range(int dimension) const noexcept {
    return get_global_range().get(dimension);
  }
  std::size_t get_global_linear_range() const noexcept { return get_global_range().size(); }
  id<Dimensions> get_global_id() const noexcept {
    return box_.group * box_.work_group + box_.first + at_;
  }
  std::size_t get_global_id(int dimension) const noexcept {
    return box_.group.get(dimension) * box_.work_group.get(dimension) + box_.first.get(dimension) +
           at_.get(dimension);
  }
  std::size_t get_global_linear_id() const noexcept {
    return detail::linear_index(get_global_range(), get_global_id());
  }

  /// Of the group that was given to distribute_items.
  range<Dimensions> get_innermost_local_range() const noexcept { return box_.items; }
  std::size_t get_innermost_local_range(int dimension) const noexcept {
    return box_.items.get(dimension);
  }
  std::size_t get_innermost_local_linear_range() const noexcept { return box_.items.size(); }
  id<Dimensions> get_innermost_local_id() const noexcept { return at_; }
  std::size_t get_innermost_local_id(int dimension) const noexcept { return at_.get(dimension); }
  std::size_t get_innermost_local_linear_id() const noexcept {
    return detail::linear_index(box_.items, at_);
  }

  /// Of a group around the item.
  template <class Group>
  id<Dimensions> get_local_id(const Group& g) const noexcept {
    return g.get_logical_local_id(*this);
  }
  template <class Group>
  std::size_t get_local_id(const Group& g, int dimension) const noexcept {
    return g.get_logical_local_id(*this, dimension);
  }
  template <class Group>
  std::size_t get_local_linear_id(const Group& g) const noexcept {
    return g.get_logical_local_linear_id(*this);
  }
  template <class Group>
  range<Dimensions> get_local_range(const Group& g) const noexcept {
    return g.get_logical_local_range();
  }
  template <class Group>
  std::size_t get_local_range(const Group& g, int dimension) const noexcept {
    return g.get_logical_local_range(dimension);
  }
  template <class Group>
  std::size_t get_local_linear_range(const Group& g) const noexcept {
    return g.get_logical_local_linear_range();
  }

 private:
  friend struct detail::scoped_access;
  s_item(const detail::scoped_box<Dimensions>& box, const id<Dimensions>& at)
      : box_(box), at_(at) {}

  detail::scoped_box<Dimensions> box_;
  id<Dimensions> at_;
};

namespace detail {

struct scoped_access {
  template <int D, memory_scope S>
  static const scoped_box<D>& box(const s_group<D, S>& g) noexcept {
    return g.box_;
  }
  template <memory_scope S, int D>
  static s_group<D, S> make_group(const scoped_box<D>& box, const id<D>& index,
                                  const range<D>& count) {
    return s_group<D, S>(box, index, count);
  }
  template <int D>
  static s_item<D> make_item(const scoped_box<D>& box, const id<D>& at) {
    return s_item<D>(box, at);
  }
  template <int D>
  static id<D> place_in_work_group(const s_item<D>& item) noexcept {
    return item.box_.first + item.at_;
  }
};

template <int D>
pianola::model::box model_box(const range<D>& extent) {
  pianola::model::box b;
  for (std::size_t d = 0; d < 3; ++d) b.hi[d] = 1;
  for (int d = 0; d < D; ++d) b.hi[static_cast<std::size_t>(3 - D + d)] = extent.get(d);
  return b;
}

/// Items of a part of a work-group: as many as a vector likes.
inline constexpr std::size_t part_items = 8;

template <int D, memory_scope Scope>
constexpr memory_scope scope_within() {
  return Scope == memory_scope::work_group ? memory_scope::sub_group : memory_scope::work_item;
}

/// How a group is cut: rows of part_items where that divides the last dimension, else single items.
template <int D, memory_scope Scope>
range<D> part_of(const range<D>& items) {
  range<D> part = items;
  for (int d = 0; d < D; ++d) part[d] = 1;
  if (Scope == memory_scope::work_group && items.get(D - 1) % part_items == 0)
    part[D - 1] = part_items;
  return part;
}

/// The kernel of handler::parallel as one that takes a group.
template <int Dimensions, class Kernel>
struct scoped_kernel {
  Kernel kernel;

  void operator()(const group<Dimensions>& g) const {
    const scoped_box<Dimensions> all{g.get_group_range(), g.get_group_id(), g.get_local_range(),
                                     id<Dimensions>(), g.get_local_range()};
    const s_group<Dimensions, memory_scope::work_group> whole =
        scoped_access::make_group<memory_scope::work_group>(all, all.group, all.groups);
    kernel(whole);
  }
  properties_of_kernel_t<Kernel> get(
      ext::oneapi::experimental::properties_tag) const;  // asked for its type only
};

}  // namespace detail

template <int Dimensions, memory_scope Scope>
id<Dimensions> s_group<Dimensions, Scope>::get_logical_local_id(
    const s_item<Dimensions>& item) const noexcept {
  return detail::scoped_access::place_in_work_group(item) - box_.first;
}

/// SYCL's function for a scoped group: one item runs the group, so only the fence remains.
template <int D, memory_scope Scope>
void group_barrier(const s_group<D, Scope>&,
                   memory_scope fence_scope = s_group<D, Scope>::fence_scope) {
  if (fence_scope == memory_scope::device || fence_scope == memory_scope::system)
    atomic_fence(memory_order::acq_rel, fence_scope);
}

/// f(s_item) for every item of the group.
template <int D, memory_scope Scope, class F>
void distribute_items(const s_group<D, Scope>& g, F f) noexcept {
  const detail::scoped_box<D> box = detail::scoped_access::box(g);
  pianola::glue::for_each_independent<D>(detail::model_box(box.items), [&](const id<D>& at) {
    f(detail::scoped_access::make_item(box, at));
  });
}
template <int D, memory_scope Scope, class F>
void distribute_items_and_wait(const s_group<D, Scope>& g, F f) noexcept {
  distribute_items(g, f);
  group_barrier(g);
}

/// f(group) for every part that the group is cut into.
template <int D, memory_scope Scope, class F>
void distribute_groups(const s_group<D, Scope>& g, F f) noexcept {
  const detail::scoped_box<D>& whole = detail::scoped_access::box(g);
  detail::scoped_box<D> part = whole;
  part.items = detail::part_of<D, Scope>(whole.items);
  const range<D> count = whole.items / part.items;
  const std::size_t parts = count.size();
  for (std::size_t n = 0; n < parts; ++n) {
    id<D> index;
    std::size_t rest = n;
    for (int d = D - 1; d >= 0; --d) {
      index[d] = rest % count.get(d);
      rest /= count.get(d);
    }
    part.first = whole.first + index * part.items;
    f(detail::scoped_access::make_group<detail::scope_within<D, Scope>()>(part, index, count));
  }
}
template <int D, memory_scope Scope, class F>
void distribute_groups_and_wait(const s_group<D, Scope>& g, F f) noexcept {
  distribute_groups(g, f);
  group_barrier(g);
}

/// f() once in the group.
template <int D, memory_scope Scope, class F>
void single_item(const s_group<D, Scope>&, F f) noexcept {
  f();
}
template <int D, memory_scope Scope, class F>
void single_item_and_wait(const s_group<D, Scope>& g, F f) noexcept {
  f();
  group_barrier(g);
}

/// A variable per logical item that lives across distribute_items. On devices with groups of at most 256
/// items.
template <class T, class Group>
class s_private_memory {
 public:
  explicit s_private_memory(const Group& g)
      : group_(g), values_(g.get_logical_local_linear_range()) {}
  s_private_memory(const s_private_memory&) = delete;
  s_private_memory& operator=(const s_private_memory&) = delete;

  T& operator()(const s_item<Group::dimensions>& item) noexcept {
    return values_[group_.get_logical_local_linear_id(item)];
  }

 private:
  Group group_;
  detail::private_storage<T> values_;
};

/// A variable of a whole group; deprecated by AdaptiveCpp for memory_environment.
template <class T, class Group>
class local_memory {
 public:
  using scalar_type = std::remove_extent_t<T>;

  explicit local_memory(const Group&) {}
  local_memory(const local_memory&) = delete;
  local_memory& operator=(const local_memory&) = delete;

  template <class U = T, std::enable_if_t<std::is_array_v<U>, int> = 0>
  scalar_type& operator[](std::size_t index) noexcept {
    return value_[index];
  }
  T& operator()() noexcept { return value_; }

 private:
  T value_;
};

namespace detail {

struct no_value {};

template <class T, class Init>
struct local_request {
  Init init;

  template <class Group>
  struct memory {
    T value;
    memory(const local_request& request, const Group&) {
      if constexpr (!std::is_same_v<Init, no_value>) set(value, request.init);
    }
    template <class U>
    static void set(U& to, const Init& from) {
      if constexpr (std::is_array_v<U>)
        for (auto& element : to) set(element, from);
      else
        to = from;
    }
    T& get() { return value; }
  };
};

template <class T, class Init>
struct private_request {
  Init init;

  template <class Group>
  struct memory {
    s_private_memory<T, Group> values;
    memory(const private_request& request, const Group& g) : values(g) {
      if constexpr (!std::is_same_v<Init, no_value>)
        distribute_items(g, [&](const s_item<Group::dimensions>& i) { values(i) = request.init; });
    }
    s_private_memory<T, Group>& get() { return values; }
  };
};

template <class Group, class F, class... Memory>
void with_memory(const Group&, const F& f, Memory&&... memory) {
  f(memory.get()...);
}
template <class Group, class Arguments, std::size_t... At>
void memory_environment_of(const Group& g, const Arguments& arguments, std::index_sequence<At...>) {
  with_memory(g, std::get<sizeof...(At)>(arguments),
              typename std::decay_t<std::tuple_element_t<At, Arguments>>::template memory<Group>(
                  std::get<At>(arguments), g)...);
}

}  // namespace detail

/// Requests for memory_environment: one T for the group, or one for each item. Without a value they are
/// not initialised; every element of an array gets the value.
template <class T>
detail::local_request<T, detail::no_value> require_local_mem() noexcept {
  return {};
}
template <class T, class InitType>
detail::local_request<T, InitType> require_local_mem(const InitType& value) noexcept {
  return {value};
}
template <class T>
detail::private_request<T, detail::no_value> require_private_mem() noexcept {
  return {};
}
template <class T>
detail::private_request<T, T> require_private_mem(const T& value) noexcept {
  return {value};
}

/// Calls the last argument with a reference to what each request before it asks for: T&, or an
/// s_private_memory.
template <int D, memory_scope Scope, class... Arguments>
void memory_environment(const s_group<D, Scope>& g, const Arguments&... arguments) noexcept {
  detail::memory_environment_of(g, std::tie(arguments...),
                                std::make_index_sequence<sizeof...(Arguments) - 1>());
}
template <class T, int D, memory_scope Scope, class F>
void local_memory_environment(const s_group<D, Scope>& g, const F& f) noexcept {
  memory_environment(g, require_local_mem<T>(), f);
}
template <class T, int D, memory_scope Scope, class F>
void private_memory_environment(const s_group<D, Scope>& g, const F& f) noexcept {
  memory_environment(g, require_private_mem<T>(), f);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
