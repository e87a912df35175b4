// SPDX-License-Identifier: Apache-2.0
#include "architecture.hpp"

#include <algorithm>
#include <vector>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/TargetParser/TargetParser.h>

namespace pianola::compiler::amdgpu {

namespace {

constexpr llvm::StringLiteral isa_prefix = "oclc_isa_version_";

bool is_offered(llvm::StringRef processor) {
  return llvm::AMDGPU::parseArchAMDGCN(processor) != llvm::AMDGPU::GK_NONE &&
         llvm::AMDGPU::getIsaVersion(processor).Major >= 9;
}

std::vector<std::string> offered_architectures(llvm::StringRef libraries) {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(libraries, error), end; !error && file != end;
       file.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(file->path());
    if (!name.consume_front(isa_prefix) || !name.consume_back(".bc")) continue;
    std::string processor = ("gfx" + name).str();
    if (is_offered(processor)) names.push_back(std::move(processor));
  }
  // By generation: gfx90a before gfx1030.
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  return names;
}

}  // namespace

std::string isa_library(llvm::StringRef processor) {
  processor.consume_front("gfx");
  return (isa_prefix + processor + ".bc").str();
}

std::optional<architecture> parse_architecture(llvm::StringRef name, llvm::StringRef libraries,
                                               std::string& error) {
  architecture result;
  result.name = name.str();
  llvm::SmallVector<llvm::StringRef, 3> parts;
  name.split(parts, ':');
  result.processor = parts.front().str();

  const std::vector<std::string> offered = offered_architectures(libraries);
  if (std::find(offered.begin(), offered.end(), result.processor) == offered.end()) {
    error = "unknown AMDGPU architecture '" + result.processor +
            "': the ROCm device libraries in " + libraries.str() + " have " +
            llvm::join(offered, ", ");
    return std::nullopt;
  }

  const unsigned attributes =
      llvm::AMDGPU::getArchAttrAMDGCN(llvm::AMDGPU::parseArchAMDGCN(result.processor));
  std::vector<std::string> features;
  for (llvm::StringRef feature : llvm::ArrayRef(parts).drop_front()) {
    const bool on = feature.consume_back("+");
    if (!on && !feature.consume_back("-")) {
      error = "AMDGPU architecture '" + name.str() + "': '" + feature.str() +
              "' must end in + (on) or - (off)";
      return std::nullopt;
    }
    const bool known = (feature == "xnack" && (attributes & llvm::AMDGPU::FEATURE_XNACK) != 0) ||
                       (feature == "sramecc" && (attributes & llvm::AMDGPU::FEATURE_SRAMECC) != 0);
    if (!known) {
      error = "AMDGPU architecture '" + name.str() + "': " + result.processor +
              " has no feature '" + feature.str() + "' to switch";
      return std::nullopt;
    }
    features.push_back((on ? "+" : "-") + feature.str());
  }
  result.wavefront = llvm::AMDGPU::getIsaVersion(result.processor).Major >= 10 ? 32 : 64;
  if (result.wavefront == 32) features.push_back("+wavefrontsize32");
  result.features = llvm::join(features, ",");
  return result;
}

}  // namespace pianola::compiler::amdgpu
