// SPDX-License-Identifier: Apache-2.0
// random_kernels --seed=N [--kernels=N] [--groups] [--sub-groups] [--ways] [--apart] [--lanes] [--shapes] [--parting] [--jumps]: writes a program to standard output.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "generator.hpp"

int main(int argc, char** argv) {
  random_kernels::options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    char* end = nullptr;
    if (a.rfind("--seed=", 0) == 0) {
      o.seed = std::strtoull(a.c_str() + std::strlen("--seed="), &end, 10);
    } else if (a.rfind("--kernels=", 0) == 0) {
      o.kernels =
          static_cast<unsigned>(std::strtoul(a.c_str() + std::strlen("--kernels="), &end, 10));
    } else if (a == "--groups") {
      o.groups = true;
    } else if (a == "--sub-groups") {
      o.sub_groups = true;
    } else if (a == "--ways") {
      o.groups = o.sub_groups = o.ways = true;
    } else if (a == "--apart") {
      o.groups = o.sub_groups = o.apart = true;
    } else if (a == "--lanes") {
      o.groups = o.sub_groups = o.lanes = true;
    } else if (a == "--shapes") {
      o.shapes = true;
    } else if (a == "--parting") {
      o.parting = true;
    } else if (a == "--jumps") {
      o.jumps = true;
    } else {
      end = argv[i];
    }
    if (end != nullptr && *end != '\0') {
      std::fprintf(stderr,
                   "random_kernels: '%s' is not understood; --seed=N, --kernels=N, --groups, "
                   "--sub-groups, --ways, --apart, --lanes, --shapes, --parting, --jumps are\n",
                   argv[i]);
      return 2;
    }
  }
  std::fputs(random_kernels::program(o).c_str(), stdout);
}
