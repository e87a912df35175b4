// SPDX-License-Identifier: Apache-2.0
// Wrong uses of kernels that are functions, and of casts between address spaces.
// CASE arguments: the arguments are not those of the function
// CASE arguments_of_single_task: the arguments are not those of the function
// CASE dimensions: nd_range_kernel: 1, 2 or 3 dimensions
// CASE constant_space: there is no cast to the constant address space
// CASE host_writes: by its property host_access the host does not write it
// CASE host_reads: by its property host_access the host does not read it
// CASE destructible: nobody would call the destructor of the type
// CASE scratch: work_group_scratch_size is for kernels that are function objects
// CASE scratch_of_kernel: work_group_scratch_size is a property of a launch
#include <sycl/sycl.hpp>

namespace syclexp = sycl::ext::oneapi::experimental;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void many(int* p, float) { *p = 1; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel))
void one(int* p) { *p = 1; }

syclexp::device_global<int, decltype(syclexp::properties(syclexp::host_access_read))> readable;
syclexp::device_global<int, decltype(syclexp::properties(syclexp::host_access_write))> writable;
#ifdef CASE_destructible
struct with_destructor {
  ~with_destructor() {}
};
syclexp::device_global<with_destructor> destroyed;
#endif

#ifdef CASE_scratch_of_kernel
struct with_scratch {
  void operator()(sycl::nd_item<1>) const {}
  auto get(syclexp::properties_tag) const {
    return syclexp::properties{syclexp::work_group_scratch_size(16)};
  }
};
#endif

void use(sycl::queue& q, int* p) {
  q.memcpy(p, readable);
  q.memcpy(writable, p);
  syclexp::nd_launch(q, sycl::nd_range<1>(8, 8), syclexp::kernel_function<many>, p, 2);
  syclexp::single_task(q, syclexp::kernel_function<one>, p);
  (void)sycl::khr::dynamic_addrspace_cast<sycl::access::address_space::global_space>(p);
#ifdef CASE_arguments
  syclexp::nd_launch(q, sycl::nd_range<1>(8, 8), syclexp::kernel_function<many>, p);
#endif
#ifdef CASE_arguments_of_single_task
  syclexp::single_task(q, syclexp::kernel_function<one>, 1.5);
#endif
#ifdef CASE_dimensions
  (void)syclexp::nd_range_kernel<4>;
#endif
#ifdef CASE_constant_space
  (void)sycl::khr::dynamic_addrspace_cast<sycl::access::address_space::constant_space>(p);
#endif
#ifdef CASE_host_writes
  q.memcpy(readable, p);
#endif
#ifdef CASE_host_reads
  q.memcpy(p, writable);
#endif
#ifdef CASE_scratch_of_kernel
  q.parallel_for(sycl::nd_range<1>(8, 8), with_scratch{});
#endif
#ifdef CASE_scratch
  syclexp::nd_launch(
      q,
      syclexp::launch_config(sycl::nd_range<1>(8, 8),
                             syclexp::properties{syclexp::work_group_scratch_size(16)}),
      syclexp::kernel_function<many>, p, 2);
#endif
}
