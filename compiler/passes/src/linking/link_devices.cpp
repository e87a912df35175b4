// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/link_devices.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include "devices/kernel_images.hpp"
#include "linking/linked_units.hpp"
#include "pianola/compiler/analyse_arguments.hpp"
#include "pianola/compiler/check_device_code.hpp"
#include "pianola/compiler/device_unit.hpp"
#include "pianola/compiler/device_variables.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/emit_registration.hpp"
#include "pianola/compiler/expand_computed_gotos.hpp"
#include "pianola/compiler/external_functions.hpp"
#include "pianola/compiler/group_objects.hpp"
#include "pianola/compiler/intermediate_files.hpp"

namespace pianola::compiler {

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  const auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) return lines;
  llvm::SmallVector<llvm::StringRef, 64> parts;
  (*file)->getBuffer().split(parts, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (const llvm::StringRef part : parts) lines.push_back(part.str());
  return lines;
}

/// Null, and reported, if it cannot be read.
std::unique_ptr<llvm::Module> parse(const device_unit& unit, llvm::LLVMContext& context) {
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(unit.bitcode, "code for devices"), context);
  if (module) return std::move(*module);
  report_error(context, "pianolacc: code for devices of a translation unit cannot be read: " +
                            llvm::toString(module.takeError()));
  return nullptr;
}

/// Units whose kernels are compiled for the same targets.
struct group {
  options chosen;
  std::vector<kernel> kernels;
  /// The kernels' bodies in the linked module.
  std::vector<std::string> bodies;
};

bool same_targets(const options& a, const options& b) {
  return std::equal(a.targets.begin(), a.targets.end(), b.targets.begin(), b.targets.end(),
                    [](const target& x, const target& y) {
                      return x.which == y.which && x.architecture == y.architecture;
                    });
}

void add_to_groups(const llvm::Module& unit, const options& chosen, std::vector<group>& groups) {
  std::vector<kernel> kernels = kernels_of_unit(unit);
  if (kernels.empty()) return;
  options own = options_of_unit(unit);
  if (!chosen.cuda_path.empty()) own.cuda_path = chosen.cuda_path;
  if (!chosen.rocm_path.empty()) own.rocm_path = chosen.rocm_path;
  own.save_temps = chosen.save_temps;
  own.unit = chosen.link_name;
  auto found = std::find_if(groups.begin(), groups.end(),
                            [&](const group& g) { return same_targets(g.chosen, own); });
  if (found == groups.end()) {
    groups.push_back({own, {}, {}});
    found = groups.end() - 1;
  }
  // Fast functions are for those who asked for them, and slow compilation for them who did.
  found->chosen.fast_math = found->chosen.fast_math && own.fast_math;
  found->chosen.optimisation = std::max(found->chosen.optimisation, own.optimisation);
  for (kernel& k : kernels) {
    found->bodies.push_back(k.body->getName().str());
    found->kernels.push_back(std::move(k));
  }
}

/// Reports functions that are defined in more than one unit.
class definitions {
 public:
  bool add(const llvm::Module& unit) {
    bool good = true;
    for (const llvm::Function& function : unit) {
      if (function.isDeclaration() || !function.hasExternalLinkage() || !is_external(function))
        continue;
      const auto [known, is_new] =
          sources_.emplace(function.getName().str(), unit.getSourceFileName());
      if (is_new) continue;
      good = false;
      report_error(unit.getContext(), "'" + llvm::demangle(function.getName().str()) +
                                          "', which is declared SYCL_EXTERNAL, is defined in '" +
                                          known->second + "' and in '" + unit.getSourceFileName() +
                                          "'");
    }
    return good;
  }

 private:
  std::map<std::string, std::string> sources_;
};

/// Null where an error was reported.
std::unique_ptr<llvm::Module> link_units(llvm::ArrayRef<device_unit> units,
                                         llvm::LLVMContext& context) {
  std::unique_ptr<llvm::Module> linked;
  definitions known;
  bool good = true;
  for (const device_unit& one : units) {
    std::unique_ptr<llvm::Module> unit = parse(one, context);
    if (!unit) return nullptr;
    good = known.add(*unit) && good;
    if (!good) continue;
    if (!linked)
      linked = std::move(unit);
    else if (llvm::Linker::linkModules(*linked, std::move(unit)))
      return nullptr;
  }
  return good ? std::move(linked) : nullptr;
}

void compile_group(llvm::Module& module, group& g, llvm::ArrayRef<device_unit> units,
                   const options& chosen) {
  const std::unique_ptr<llvm::Module> linked = link_units(units, module.getContext());
  if (!linked) return;
  linked->setSourceFileName(chosen.link_name);
  intermediate_files(module.getContext(), chosen, chosen.link_name, "linked").keep(*linked, ".ll");
  for (std::size_t i = 0; i < g.kernels.size(); ++i)
    g.kernels[i].body = linked->getFunction(g.bodies[i]);
  expand_computed_gotos(g.kernels);
  outlined_kernels all = outline_for_images(*linked, g.kernels);
  if (!check_linked_device_code(*all.device, all.kernels)) return;
  number_group_objects(*all.device);
  std::vector<kernel_uses> uses = analyse_arguments(all.kernels);
  const std::vector<device_variable> variables = device_pointers_of(*all.device);
  const images_by_kind images = make_images(all, uses, g.chosen);
  keep_uses(module.getContext(), chosen.link_name, g.chosen, g.kernels, uses);
  register_kernels(module, g.kernels, images, uses, variables, g.chosen);
  for (const kernel& k : g.kernels) replace_waiting(module, k);
}

}  // namespace

void link_devices(llvm::Module& module, const options& chosen) {
  llvm::LLVMContext& context = module.getContext();
  std::vector<std::string> files = lines_of(chosen.link_list);
  if (files.empty())
    return report_error(context, "pianolacc: cannot read '" + chosen.link_list + "'");
  const std::string program = files.front();
  files.erase(files.begin());
  std::vector<device_unit> units;
  std::string problem;
  if (!find_linked_units(program, files, units, problem))
    return report_error(context, "pianolacc: " + problem);
  std::vector<group> groups;
  for (const device_unit& unit : units) {
    const std::unique_ptr<llvm::Module> parsed = parse(unit, context);
    if (!parsed) return;
    add_to_groups(*parsed, chosen, groups);
  }
  for (group& g : groups) compile_group(module, g, units, chosen);
}

}  // namespace pianola::compiler
