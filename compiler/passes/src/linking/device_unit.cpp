// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/device_unit.hpp"

#include <algorithm>

#include <llvm/ADT/SetVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "name_hash.hpp"
#include "name_subprograms.hpp"
#include "pianola/compiler/external_functions.hpp"
#include "pianola/compiler/outline.hpp"

namespace pianola::compiler {

namespace {

// In front of each unit's bitcode: these bytes, its size, its hash. Units begin at multiples of 8.
constexpr llvm::StringLiteral magic = "PNLUNIT1";
constexpr std::size_t header_bytes = 24;
constexpr unsigned unit_alignment = 8;

constexpr char kernels_name[] = "pianola.kernels";
constexpr char options_name[] = "pianola.options";

// Numbers and texts as operands of metadata.
class facts_writer {
 public:
  explicit facts_writer(llvm::LLVMContext& context) : context_(context) {}

  void add(std::uint64_t number) {
    operands_.push_back(llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), number)));
  }
  void add(llvm::StringRef text) { operands_.push_back(llvm::MDString::get(context_, text)); }
  void add(llvm::Function& function) { operands_.push_back(llvm::ValueAsMetadata::get(&function)); }
  void write_to(llvm::Module& module, const char* name) {
    module.getOrInsertNamedMetadata(name)->addOperand(llvm::MDTuple::get(context_, operands_));
  }

 private:
  llvm::LLVMContext& context_;
  llvm::SmallVector<llvm::Metadata*, 16> operands_;
};

class facts_reader {
 public:
  explicit facts_reader(const llvm::MDNode& node) : node_(node) {}

  bool more() const { return next_ < node_.getNumOperands(); }
  std::uint64_t number() {
    const auto* value = llvm::mdconst::dyn_extract<llvm::ConstantInt>(node_.getOperand(next_++));
    return value->getZExtValue();
  }
  std::string text() {
    return llvm::cast<llvm::MDString>(node_.getOperand(next_++))->getString().str();
  }
  llvm::Function* function() {
    return llvm::mdconst::extract<llvm::Function>(node_.getOperand(next_++));
  }

 private:
  const llvm::MDNode& node_;
  unsigned next_ = 0;
};

void write_kernel(llvm::Module& unit, const kernel& k) {
  facts_writer facts(unit.getContext());
  facts.add(*k.body);
  facts.add(k.id);
  facts.add(k.symbol);
  facts.add(k.name);
  facts.add(static_cast<std::uint64_t>(k.kind));
  facts.add(k.dimensions);
  facts.add(k.argument_bytes);
  facts.add(k.argument_alignment);
  facts.add(k.required_sub_group_size);
  facts.add(k.chosen_sub_group_size);
  facts.write_to(unit, kernels_name);
}

void write_options(llvm::Module& unit, const options& chosen) {
  facts_writer facts(unit.getContext());
  facts.add(chosen.optimisation);
  facts.add(chosen.fast_math ? 1 : 0);
  facts.add(chosen.cuda_path);
  facts.add(chosen.rocm_path);
  for (const target& t : chosen.targets) {
    facts.add(static_cast<std::uint64_t>(t.which));
    facts.add(t.architecture);
  }
  facts.write_to(unit, options_name);
}

/// What other units may use: what is defined and declared SYCL_EXTERNAL, under all its names (constructors have two).
std::vector<const llvm::GlobalValue*> external_definitions(const llvm::Module& module) {
  std::vector<const llvm::GlobalValue*> found;
  const auto is_shared = [](const llvm::GlobalValue& global, const llvm::Function* function) {
    return function != nullptr && is_external(*function) && !global.isDeclarationForLinker() &&
           !global.hasLocalLinkage();
  };
  for (const llvm::Function& function : module)
    if (is_shared(function, &function)) found.push_back(&function);
  for (const llvm::GlobalAlias& alias : module.aliases())
    if (is_shared(alias, llvm::dyn_cast<llvm::Function>(alias.getAliaseeObject())))
      found.push_back(&alias);
  return found;
}

/// Nothing of a unit is seen by others but what it shares and what every unit has a copy of.
void keep_to_the_unit(llvm::Module& unit, const std::vector<kernel>& kernels) {
  for (llvm::GlobalObject& object : unit.global_objects()) {
    object.setComdat(nullptr);
    const auto* function = llvm::dyn_cast<llvm::Function>(&object);
    if (!object.hasExternalLinkage() || object.isDeclaration() ||
        (function != nullptr && is_external(*function)))
      continue;
    object.setVisibility(llvm::GlobalValue::DefaultVisibility);
    object.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (const kernel& k : kernels) {
    // "kernel_body<...>(...) (.0123456789abcdef)" to people: two units may have kernels of one name.
    k.body->setName(k.body->getName() + "." + llvm::StringRef(k.symbol).take_back(16));
    k.body->setVisibility(llvm::GlobalValue::DefaultVisibility);
    k.body->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
}

/// Whether locations are there for messages only.
bool lacks_debug_information(const llvm::Module& unit) {
  return llvm::all_of(unit.debug_compile_units(), [](const llvm::DICompileUnit* compiled) {
    return compiled->getEmissionKind() == llvm::DICompileUnit::NoDebug;
  });
}

/// Without debug information an object file does not say in which folder it was compiled.
void drop_folders(llvm::Module& unit) {
  llvm::DebugInfoFinder finder;
  finder.processModule(unit);
  llvm::SmallSetVector<llvm::DIFile*, 8> files;
  const auto note = [&](llvm::DIFile* file) {
    if (file != nullptr && !file->getDirectory().empty()) files.insert(file);
  };
  for (llvm::DICompileUnit* compiled : finder.compile_units()) note(compiled->getFile());
  for (llvm::DISubprogram* subprogram : finder.subprograms()) note(subprogram->getFile());
  for (llvm::DIScope* scope : finder.scopes()) note(scope->getFile());
  for (llvm::DIFile* file : files)
    file->replaceOperandWith(1, llvm::MDString::get(unit.getContext(), ""));
}

std::string bitcode_of(const llvm::Module& unit) {
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(unit, stream);
  return bitcode;
}

/// The unit as it is kept.
std::string slim_bitcode_of(llvm::Module& unit) {
  for (const char* list : {"llvm.ident", "llvm.commandline"})
    if (llvm::NamedMDNode* node = unit.getNamedMetadata(list)) node->eraseFromParent();
  const bool says_folders = !lacks_debug_information(unit);
  llvm::stripNonLineTableDebugInfo(unit);
  if (says_folders) return bitcode_of(unit);
  // Files are shared with the translation unit's own module: what follows is done to a copy that shares nothing.
  llvm::LLVMContext context;
  const std::string bitcode = bitcode_of(unit);
  llvm::Expected<std::unique_ptr<llvm::Module>> own =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, unit.getName()), context);
  if (!own) {
    llvm::consumeError(own.takeError());
    return bitcode;
  }
  drop_folders(**own);
  return bitcode_of(**own);
}

void add_number(std::string& bytes, std::uint64_t number) {
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(number >> 8 * i);
}

std::uint64_t number_at(llvm::StringRef bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = 8; i > 0; --i)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  return number;
}

void embed(llvm::Module& module, const std::string& bitcode, bool waits) {
  llvm::LLVMContext& context = module.getContext();
  const std::uint64_t hash = hash_of_name(bitcode);
  std::string bytes = magic.str();
  add_number(bytes, bitcode.size());
  add_number(bytes, hash);
  bytes += bitcode;
  bytes.resize(llvm::alignTo(bytes.size(), unit_alignment));
  const auto in_section = [&](llvm::Constant* value, const char* section) {
    auto* variable = new llvm::GlobalVariable(module, value->getType(), true,
                                              llvm::GlobalValue::PrivateLinkage, value, section);
    variable->setSection(section);
    variable->setAlignment(llvm::Align(unit_alignment));
    return variable;
  };
  auto* unit = in_section(llvm::ConstantDataArray::getString(context, bytes, /*AddNull=*/false),
                          device_unit_section);
  unit->setMetadata(llvm::LLVMContext::MD_exclude, llvm::MDNode::get(context, {}));
  llvm::appendToCompilerUsed(module, {unit});
  auto* record = in_section(
      llvm::ConstantDataArray::get(context, llvm::ArrayRef<std::uint64_t>{hash, waits ? 1U : 0U}),
      unit_record_section);
  llvm::appendToUsed(module, {record});
}

}  // namespace

void emit_device_unit(llvm::Module& module, llvm::ArrayRef<kernel> waiting, const options& chosen) {
  std::vector<const llvm::GlobalValue*> roots = external_definitions(module);
  for (const kernel& k : waiting) roots.push_back(k.body);
  if (roots.empty()) return;
  std::vector<kernel> kernels;
  const std::unique_ptr<llvm::Module> unit = copy_for_devices(module, roots, waiting, kernels);
  name_subprograms(*unit);
  keep_to_the_unit(*unit, kernels);
  for (const kernel& k : kernels) write_kernel(*unit, k);
  write_options(*unit, chosen);
  embed(module, slim_bitcode_of(*unit), !waiting.empty());
}

std::vector<device_unit_record> read_unit_records(llvm::StringRef section) {
  std::vector<device_unit_record> records;
  for (std::size_t at = 0; at + sizeof(device_unit_record) <= section.size();
       at += sizeof(device_unit_record))
    // Linkers may leave room between what they put together.
    if (const device_unit_record r{number_at(section, at), number_at(section, at + 8)}; r.unit != 0)
      records.push_back(r);
  return records;
}

bool read_device_units(llvm::StringRef section, std::vector<device_unit>& units) {
  while (section.size() >= header_bytes) {
    if (!section.starts_with(magic)) return false;
    const std::uint64_t size = number_at(section, magic.size());
    if (size > section.size() - header_bytes) return false;
    units.push_back({number_at(section, magic.size() + 8),
                     section.substr(header_bytes, static_cast<std::size_t>(size)).str()});
    section = section.drop_front(
        std::min<std::size_t>(section.size(), llvm::alignTo(header_bytes + size, unit_alignment)));
  }
  return true;
}

options options_of_unit(const llvm::Module& unit) {
  options chosen;
  const llvm::NamedMDNode* facts = unit.getNamedMetadata(options_name);
  if (facts == nullptr || facts->getNumOperands() != 1) return chosen;
  facts_reader read(*facts->getOperand(0));
  chosen.optimisation = static_cast<unsigned>(read.number());
  chosen.fast_math = read.number() != 0;
  chosen.cuda_path = read.text();
  chosen.rocm_path = read.text();
  while (read.more()) {
    const auto which = static_cast<target::backend>(read.number());
    chosen.targets.push_back({which, read.text()});
  }
  return chosen;
}

std::vector<kernel> kernels_of_unit(const llvm::Module& unit) {
  std::vector<kernel> kernels;
  const llvm::NamedMDNode* facts = unit.getNamedMetadata(kernels_name);
  if (facts == nullptr) return kernels;
  for (const llvm::MDNode* node : facts->operands()) {
    facts_reader read(*node);
    kernel k;
    k.body = read.function();
    k.id = read.number();
    k.symbol = read.text();
    k.name = read.text();
    k.kind = static_cast<kernel_kind>(read.number());
    k.dimensions = static_cast<unsigned>(read.number());
    k.argument_bytes = read.number();
    k.argument_alignment = read.number();
    k.required_sub_group_size = static_cast<unsigned>(read.number());
    k.chosen_sub_group_size = static_cast<unsigned>(read.number());
    kernels.push_back(std::move(k));
  }
  return kernels;
}

}  // namespace pianola::compiler
