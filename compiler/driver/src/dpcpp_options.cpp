// SPDX-License-Identifier: Apache-2.0
#include "dpcpp_options.hpp"

#include <algorithm>
#include <array>

#include "targets.hpp"
#include "usage_error.hpp"

namespace pianola::driver {

namespace {

constexpr std::string_view list_of_targets = "-fsycl-targets=";
constexpr std::string_view for_backend = "-Xsycl-target-backend";

// "OPTION VALUE" and "OPTION=TARGET VALUE".
constexpr auto with_value = std::to_array<std::string_view>(
    {for_backend, "-Xsycl-target-frontend", "-Xsycl-target-linker", "-Xs", "-Xspirv-translator"});

// What runs on processors is compiled for them anyway, and for Intel's GPUs there is no code.
bool is_left_out(std::string_view target) {
  return target.starts_with("spir") || target.starts_with("intel_gpu_") ||
         target.starts_with("native_cpu") || target.starts_with("x86_64") ||
         target.starts_with("fpga");
}

std::string_view behind(std::string_view text, std::string_view prefix) {
  return text.substr(std::min(prefix.size(), text.size()));
}

void add(std::vector<std::string>& list, std::string_view word) {
  if (std::find(list.begin(), list.end(), word) == list.end()) list.emplace_back(word);
}

}  // namespace

bool is_of_dpcpp(std::string_view option) {
  for (const std::string_view prefix : {"-fsycl-", "-fno-sycl-", "-sycl-std=", "-Xs"})
    if (option.starts_with(prefix)) return true;
  return option == "-fsycl" || option == "-fno-sycl";
}

bool dpcpp_options::read(std::string_view option) {
  if (!is_of_dpcpp(option)) return false;
  if (option == "-fsycl" || option == "-fno-sycl") sycl_ = option == "-fsycl";
  if (option == "-fsycl-device-only")
    throw usage_error(
        "-fsycl-device-only: code for devices is part of the object file; leave the option out");
  if (option.starts_with(list_of_targets)) {
    for (const std::string_view target : items_of(behind(option, list_of_targets), ","))
      add(targets_, target);
    return true;
  }
  for (const std::string_view name : with_value)
    if (option == name || (option.starts_with(name) && option[name.size()] == '=')) waiting_ = name;
  return true;
}

void dpcpp_options::read_value(std::string_view value) {
  if (waiting_ == for_backend) read_backend(value);
  waiting_.clear();
}

// As it is given to the tools behind: several options may be in one value.
void dpcpp_options::read_backend(std::string_view value) {
  for (const std::string_view name : {"--offload-arch=", "--cuda-gpu-arch="})
    for (std::size_t at = value.find(name); at != std::string_view::npos;
         at = value.find(name, at + 1)) {
      const std::string_view rest = behind(value.substr(at), name);
      for (const std::string_view architecture : items_of(rest.substr(0, rest.find(' ')), ","))
        add(architecture.starts_with("sm_") ? cuda_ : hip_, architecture);
    }
}

void dpcpp_options::add_targets_to(std::vector<std::string>& targets) const {
  if (!waiting_.empty()) throw usage_error(waiting_ + " needs a value, the next argument");
  const std::string_view origin = "-fsycl-targets";
  const auto add_all = [&](std::string_view kind, const std::vector<std::string>& architectures) {
    for (const std::string& a : architectures)
      add_targets(std::string(kind) + ":" + a, origin, targets);
  };
  for (const std::string& target : targets_) {
    if (is_left_out(target)) continue;
    if (target.starts_with("nvptx64")) {
      if (cuda_.empty()) add_targets("cuda", origin, targets);
      add_all("cuda", cuda_);
    } else if (target.starts_with("amdgcn")) {
      if (hip_.empty())
        throw usage_error("-fsycl-targets=" + target +
                          " needs an architecture: -Xsycl-target-backend=" + target +
                          " --offload-arch=gfx90a, for example");
      add_all("hip", hip_);
    } else if (target.starts_with("nvidia_gpu_")) {
      add_all("cuda", {std::string(behind(target, "nvidia_gpu_"))});
    } else if (target.starts_with("amd_gpu_")) {
      add_all("hip", {std::string(behind(target, "amd_gpu_"))});
    } else {
      throw usage_error("-fsycl-targets: there is no target '" + target +
                        "'; of DPC++'s it takes nvptx64-nvidia-cuda, nvidia_gpu_sm_NN, "
                        "amdgcn-amd-amdhsa, amd_gpu_gfxNNN, and those for processors and Intel's "
                        "GPUs, which change nothing");
    }
  }
}

}  // namespace pianola::driver
