// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include <sycl/detail/mode.hpp>

// What the vendors' headers declare; the same names, so that both may be included.
struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct ihipCtx_t;
struct ihipStream_t;
struct ihipEvent_t;
struct ihipGraph;
struct hipGraphExec;

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

class platform;
class device;
class context;
class queue;
class event;

/// SYCL 2020, 4.1: what runs the commands of a device. `other`: a plugin that these headers do not know
/// by name. Other implementations' names for the same things are there, too. No device is of `opencl`,
/// `level_zero` or `all`: they are there for programs that ask which of several backends it is.
enum class backend : unsigned char {
  openmp,
  simulated,
  cuda,
  hip,
  other,
  opencl,
  level_zero,
  all,
  omp = openmp,
  ocl = opencl,
  ext_oneapi_cuda = cuda,
  ext_oneapi_hip = hip,
  ext_oneapi_level_zero = level_zero,
  ext_oneapi_native_cpu = openmp
};

namespace detail {

/// By the name that the runtime has for it; `other` for one that SYCL has no name for.
backend to_backend(const std::string& name) noexcept;
/// Empty for `other`.
const char* backend_name(backend b) noexcept;

/// No type where the backend has no such handle.
template <backend Backend, class SyclObject>
struct native_type {};
template <>
struct native_type<backend::cuda, device> {
  using type = int;  // CUdevice
};
template <>
struct native_type<backend::cuda, context> {
  using type = CUctx_st*;
};
template <>
struct native_type<backend::cuda, queue> {
  using type = CUstream_st*;
};
template <>
struct native_type<backend::cuda, event> {
  using type = CUevent_st*;
};
template <>
struct native_type<backend::hip, device> {
  using type = int;  // hipDevice_t
};
template <>
struct native_type<backend::hip, context> {
  using type = ihipCtx_t*;
};
template <>
struct native_type<backend::hip, queue> {
  using type = ihipStream_t*;
};
template <>
struct native_type<backend::hip, event> {
  using type = ihipEvent_t*;
};

/// The drivers' graphs, and executable graphs: CUgraph and CUgraphExec, hipGraph_t and hipGraphExec_t.
template <backend Backend>
struct native_graph_type {};
template <>
struct native_graph_type<backend::cuda> {
  using graph = CUgraph_st*;
  using executable = CUgraphExec_st*;
};
template <>
struct native_graph_type<backend::hip> {
  using graph = ihipGraph*;
  using executable = hipGraphExec*;
};
template <backend Backend>
using native_graph_t = typename native_graph_type<Backend>::graph;
template <backend Backend>
using native_executable_t = typename native_graph_type<Backend>::executable;

}  // namespace detail

/// SYCL 2020, 4.5.1.3: the types of a backend's native handles. They are CUdevice, CUcontext, CUstream, CUevent and
/// hipDevice_t, hipCtx_t, hipStream_t, hipEvent_t; the other backends have none.
template <backend Backend>
class backend_traits {
 public:
  template <class SyclObject>
  using input_type = typename detail::native_type<Backend, SyclObject>::type;
  template <class SyclObject>
  using return_type = typename detail::native_type<Backend, SyclObject>::type;
};

template <backend Backend, class SyclObject>
using backend_input_t = typename backend_traits<Backend>::template input_type<SyclObject>;
template <backend Backend, class SyclObject>
using backend_return_t = typename backend_traits<Backend>::template return_type<SyclObject>;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
