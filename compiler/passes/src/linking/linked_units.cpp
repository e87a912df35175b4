// SPDX-License-Identifier: Apache-2.0
#include "linking/linked_units.hpp"

#include <map>
#include <set>

#include <llvm/BinaryFormat/Magic.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Object/Archive.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

namespace pianola::compiler {

namespace {

/// What the sections of this name hold.
std::vector<std::string> sections_of(llvm::MemoryBufferRef file, llvm::StringRef name) {
  std::vector<std::string> found;
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createELFObjectFile(file, /*InitContent=*/false);
  if (!object) {
    llvm::consumeError(object.takeError());
    return found;
  }
  for (const llvm::object::SectionRef& section : (*object)->sections()) {
    llvm::Expected<llvm::StringRef> own = section.getName();
    if (!own) {
      llvm::consumeError(own.takeError());
      continue;
    }
    if (*own != name) continue;
    if (llvm::Expected<llvm::StringRef> bytes = section.getContents())
      found.push_back(bytes->str());
    else
      llvm::consumeError(bytes.takeError());
  }
  return found;
}

/// The same, of an object for link-time optimisation.
std::vector<std::string> sections_of_bitcode(llvm::MemoryBufferRef file, llvm::StringRef name) {
  std::vector<std::string> found;
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      llvm::getLazyBitcodeModule(file, context, /*ShouldLazyLoadMetadata=*/true);
  if (!module) {
    llvm::consumeError(module.takeError());
    return found;
  }
  for (const llvm::GlobalVariable& variable : (*module)->globals())
    if (variable.getSection() == name && variable.hasInitializer())
      if (const auto* bytes =
              llvm::dyn_cast<llvm::ConstantDataSequential>(variable.getInitializer()))
        found.push_back(bytes->getRawDataValues().str());
  return found;
}

class unit_search {
 public:
  explicit unit_search(const std::vector<device_unit_record>& wanted) {
    for (const device_unit_record& r : wanted) missing_.insert(r.unit);
  }

  bool done() const { return missing_.empty(); }
  /// Of the files that held units, but none that can be read.
  const std::string& damaged() const { return damaged_; }
  const std::map<std::uint64_t, std::string>& found() const { return found_; }

  void look_into(llvm::MemoryBufferRef file) {
    switch (llvm::identify_magic(file.getBuffer())) {
      case llvm::file_magic::archive:
        look_into_archive(file);
        break;
      case llvm::file_magic::elf_relocatable:
        take(file, sections_of(file, device_unit_section));
        break;
      case llvm::file_magic::bitcode:
        take(file, sections_of_bitcode(file, device_unit_section));
        break;
      default:
        break;
    }
  }

 private:
  void look_into_archive(llvm::MemoryBufferRef file) {
    llvm::Error problem = llvm::Error::success();
    const llvm::object::Archive archive(file, problem);
    if (!problem)
      for (const llvm::object::Archive::Child& child : archive.children(problem)) {
        llvm::Expected<llvm::MemoryBufferRef> member = child.getMemoryBufferRef();
        if (member)
          look_into(*member);
        else
          llvm::consumeError(member.takeError());
      }
    // Linkers have read it before.
    llvm::consumeError(std::move(problem));
  }

  void take(llvm::MemoryBufferRef file, const std::vector<std::string>& sections) {
    for (const std::string& section : sections) {
      std::vector<device_unit> units;
      if (!read_device_units(section, units)) damaged_ = file.getBufferIdentifier().str();
      for (device_unit& unit : units)
        if (missing_.erase(unit.hash) != 0) found_[unit.hash] = std::move(unit.bitcode);
    }
  }

  std::set<std::uint64_t> missing_;
  std::map<std::uint64_t, std::string> found_;
  std::string damaged_;
};

}  // namespace

bool find_linked_units(const std::string& linked, llvm::ArrayRef<std::string> files,
                       std::vector<device_unit>& units, std::string& problem) {
  const auto read = [](const std::string& path) {
    return llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  };
  const auto program = read(linked);
  if (!program) {
    problem = "cannot read '" + linked + "': " + program.getError().message();
    return false;
  }
  std::vector<device_unit_record> wanted;
  for (const std::string& section : sections_of((*program)->getMemBufferRef(), unit_record_section))
    for (const device_unit_record& r : read_unit_records(section)) wanted.push_back(r);
  unit_search search(wanted);
  for (const std::string& path : files) {
    if (search.done()) break;
    if (const auto file = read(path)) search.look_into((*file)->getMemBufferRef());
  }
  if (!search.done()) {
    problem = "code for devices of a translation unit is missing" +
              (search.damaged().empty()
                   ? std::string(": its section .pianola.device was taken out of the object file")
                   : ": '" + search.damaged() + "' has some of another version of pianolacc");
    return false;
  }
  std::set<std::uint64_t> taken;
  for (const device_unit_record& r : wanted)
    if (taken.insert(r.unit).second) units.push_back({r.unit, search.found().at(r.unit)});
  return true;
}

}  // namespace pianola::compiler
