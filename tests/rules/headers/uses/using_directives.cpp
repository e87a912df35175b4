// SPDX-License-Identifier: Apache-2.0
// What programs of SYCL 1.2.1 write around the include, and headers of the standard library behind a using directive.
#include <CL/sycl.hpp>

using namespace cl;
using namespace sycl;

#include <iomanip>
#include <iostream>
#include <random>

namespace older {
using namespace cl::sycl;
static_assert(std::is_same_v<queue, cl::sycl::queue>);
}  // namespace older

static_assert(std::is_same_v<sycl::queue, ::sycl::queue> &&
              std::is_same_v<sycl::queue, cl::sycl::queue>);

int main() {
  sycl::range<1> r{1};
  std::stringstream text;  // programs do not include <sstream> for it
  text << std::setw(4) << r[0] << std::flush;
  std::cout << text.str() << std::endl << std::hex << 17 << std::flush;
}
