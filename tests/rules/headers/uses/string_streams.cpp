// SPDX-License-Identifier: Apache-2.0
// Programs write texts to string streams and include nothing for it. No other header may stand here: <iomanip> and more
// bring <sstream> of their own.
#include <sycl/sycl.hpp>

int main() {
  std::stringstream text;
  text << 1 << ' ' << std::string("two");
  std::ostringstream only_out;
  only_out << text.str();
  std::istringstream only_in(only_out.str());
  int one = 0;
  only_in >> one;
}
