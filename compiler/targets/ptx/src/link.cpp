// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include <llvm/ADT/SmallVector.h>

#include "steps.hpp"

namespace pianola::compiler::ptx {

namespace {

// The number in front of " bytes stack frame" or behind "Used ".
unsigned number_before(llvm::StringRef line, llvm::StringRef unit) {
  const std::size_t end = line.find(unit);
  if (end == llvm::StringRef::npos) return 0;
  const llvm::StringRef head = line.take_front(end).rtrim();
  const std::size_t start = head.find_last_not_of("0123456789");
  unsigned value = 0;
  head.substr(start == llvm::StringRef::npos ? 0 : start + 1).getAsInteger(10, value);
  return value;
}

}  // namespace

std::vector<kernel_resources> parse_resources(llvm::StringRef output) {
  std::vector<kernel_resources> result;
  while (!output.empty()) {
    llvm::StringRef line;
    std::tie(line, output) = output.split('\n');
    if (line.contains("Compiling entry function '")) {
      result.emplace_back().symbol = line.split('\'').second.split('\'').first.str();
      continue;
    }
    if (result.empty()) continue;
    kernel_resources& last = result.back();
    if (line.contains("bytes stack frame")) {
      last.stack_bytes = number_before(line, " bytes stack frame");
      last.spill_store_bytes = number_before(line, " bytes spill stores");
      last.spill_load_bytes = number_before(line, " bytes spill loads");
    } else if (line.contains("Used ")) {
      last.registers = number_before(line, " registers");
      last.shared_bytes = number_before(line, " bytes smem");
    }
  }
  return result;
}

std::unique_ptr<tool_run> link(const std::string& ptxas, llvm::StringRef text,
                               const architecture& target) {
  const std::string architecture_option = "-arch=" + target.name;
  llvm::SmallVector<llvm::StringRef, 8> options{architecture_option, "-O3", "-v"};
  if (text.contains("\t.loc\t")) options.push_back("-lineinfo");
  return std::make_unique<tool_run>(ptxas, options, tool_run::files{"ptx", "cubin"}, text);
}

}  // namespace pianola::compiler::ptx
