// SPDX-License-Identifier: Apache-2.0
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pianola/source_lines/plugin.hpp>

namespace pianola::source_lines {

namespace {

struct line {
  std::string_view file;
  int number = 0;
};

// Of the process; modules are looked at when an address is in them.
class debug_information {
 public:
  debug_information() : process_(dwfl_begin(&callbacks_)) { report(); }
  ~debug_information() { dwfl_end(process_); }
  debug_information(const debug_information&) = delete;
  debug_information& operator=(const debug_information&) = delete;

  // The lines that led to this instruction: its own, then those that called the functions that were inlined there.
  // Views are valid as long as this.
  [[nodiscard]] std::vector<line> lines_of(Dwarf_Addr address) {
    std::vector<line> all;
    Dwarf_Addr bias = 0;
    unit* const in = unit_of(address, bias);
    if (in == nullptr) return all;
    address -= bias;
    Dwarf_Line* const own = dwarf_getsrc_die(&in->die, address);
    if (own == nullptr) return all;
    line& first = all.emplace_back();
    if (const char* const file = dwarf_linesrc(own, nullptr, nullptr)) first.file = file;
    dwarf_lineno(own, &first.number);
    add_callers(*in, address, all);
    return all;
  }

  [[nodiscard]] bool any() {
    if (process_ == nullptr) return false;
    report();
    bool found = false;
    const auto look = [](Dwfl_Module* module, void**, const char*, Dwarf_Addr, void* any) -> int {
      Dwarf_Addr bias = 0;
      if (dwfl_module_getdwarf(module, &bias) == nullptr) return DWARF_CB_OK;
      *static_cast<bool*>(any) = true;
      return DWARF_CB_ABORT;
    };
    dwfl_getmodules(process_, look, &found, 0);
    return found;
  }

  [[nodiscard]] frame_rule frame_of(Dwarf_Addr address) {
    constexpr int rbp = 6, rsp = 7, returns_to = 16;  // as DWARF numbers them for x86-64
    frame_rule rule;
    Dwfl_Module* const module = module_of(address);
    Dwarf_Addr bias = 0;
    Dwarf_CFI* const tables = module != nullptr ? dwfl_module_eh_cfi(module, &bias) : nullptr;
    Dwarf_Frame* frame = nullptr;
    if (tables == nullptr || dwarf_cfi_addrframe(tables, address - bias, &frame) != 0) return rule;
    const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> owner(frame, &std::free);
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    Dwarf_Op memory[3];
    if (dwarf_frame_register(frame, returns_to, memory, &operations, &count) == 0 && count == 0 &&
        operations == memory) {
      rule.known = rule.last = true;
      return rule;
    }
    if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count != 1) return rule;
    int base = operations->atom - DW_OP_breg0;
    Dwarf_Word offset = operations->number;
    if (operations->atom == DW_OP_bregx) {
      base = static_cast<int>(operations->number);
      offset = operations->number2;
    }
    if (base != rbp && base != rsp) return rule;
    rule.by_frame_pointer = base == rbp;
    rule.offset = static_cast<std::int32_t>(offset);
    if (dwarf_frame_register(frame, rbp, memory, &operations, &count) != 0) return rule;
    if (count == 0) {
      rule.known = operations == nullptr;  // unchanged, and not lost
    } else if (count == 2 && operations[0].atom == DW_OP_call_frame_cfa &&
               operations[1].atom == DW_OP_plus_uconst) {
      rule.saved = static_cast<std::int32_t>(operations[1].number);
      rule.known = true;
    }
    return rule;
  }

 private:
  using owner_of_scopes = std::unique_ptr<Dwarf_Die, decltype(&std::free)>;
  struct function {
    Dwarf_Addr begin, end;
    Dwarf_Die die;
  };
  struct unit {
    Dwarf_Die die;
    bool listed = false;
    std::vector<function> functions;  // those in no class and in no function
  };

  void report() {
    if (process_ == nullptr) return;
    dwfl_report_begin_add(process_);
    dwfl_linux_proc_report(process_, ::getpid());
    dwfl_report_end(process_, nullptr, nullptr);
  }

  Dwfl_Module* module_of(Dwarf_Addr address) {
    if (process_ == nullptr) return nullptr;
    Dwfl_Module* module = dwfl_addrmodule(process_, address);
    if (module == nullptr) {
      report();  // a library that was loaded since
      module = dwfl_addrmodule(process_, address);
    }
    return module;
  }

  // Those without .debug_aranges, which clang leaves out, too.
  unit* unit_of(Dwarf_Addr address, Dwarf_Addr& bias) {
    Dwfl_Module* const module = module_of(address);
    Dwarf* const dwarf = module != nullptr ? dwfl_module_getdwarf(module, &bias) : nullptr;
    if (dwarf == nullptr) return nullptr;
    std::vector<unit>& units = units_[dwarf];
    if (units.empty()) {
      Dwarf_CU* next = nullptr;
      Dwarf_Die die, split;
      std::uint8_t type = 0;
      while (dwarf_get_units(dwarf, next, &next, nullptr, &type, &die, &split) == 0)
        if (type == DW_UT_compile) units.push_back({die, false, {}});
    }
    for (unit& u : units)
      if (dwarf_haspc(&u.die, address - bias) == 1) return &u;
    return nullptr;
  }

  static void list_functions(Dwarf_Die& in, std::vector<function>& all) {
    Dwarf_Die child;
    if (dwarf_child(&in, &child) != 0) return;
    do {
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_namespace) list_functions(child, all);
      if (tag != DW_TAG_subprogram) continue;
      Dwarf_Addr base = 0, begin = 0, end = 0;
      for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&child, at, &base, &begin, &end)) > 0;)
        all.push_back({begin, end, child});
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  // What of `in` the address is in: what was inlined, outermost first.
  static void add_inlined(Dwarf_Die in, Dwarf_Addr address, std::vector<Dwarf_Die>& all) {
    Dwarf_Die child;
    for (bool deeper = true; deeper;) {
      deeper = false;
      if (dwarf_child(&in, &child) != 0) return;
      do deeper = dwarf_haspc(&child, address) == 1;
      while (!deeper && dwarf_siblingof(&child, &child) == 0);
      if (deeper && dwarf_tag(&child) == DW_TAG_inlined_subroutine) all.push_back(child);
      in = child;
    }
  }

  // Innermost first. Functions of a unit are listed once: to find one, and what it is in, the library goes through all that the
  // unit declares.
  static std::vector<Dwarf_Die> inlined_at(unit& u, Dwarf_Addr address) {
    std::vector<Dwarf_Die> all;
    if (!std::exchange(u.listed, true)) list_functions(u.die, u.functions);
    for (const function& f : u.functions)
      if (f.begin <= address && address < f.end) {
        add_inlined(f.die, address, all);
        std::reverse(all.begin(), all.end());
        return all;
      }
    // The innermost, and then what it is in: the former names for the latter what the inlined function was declared in.
    Dwarf_Die *innermost = nullptr, *scopes = nullptr;
    if (dwarf_getscopes(&u.die, address, &innermost) <= 0) return all;
    const owner_of_scopes own_innermost(innermost, &std::free);
    const int count = dwarf_getscopes_die(innermost, &scopes);
    const owner_of_scopes own_scopes(scopes, &std::free);
    for (int i = 0; i < count; ++i)
      if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine) all.push_back(scopes[i]);
    return all;
  }

  static void add_callers(unit& u, Dwarf_Addr address, std::vector<line>& all) {
    Dwarf_Files* files = nullptr;
    if (dwarf_getsrcfiles(&u.die, &files, nullptr) != 0) return;
    for (Dwarf_Die& call : inlined_at(u, address)) {
      line& l = all.emplace_back();
      if (const auto file = number(call, DW_AT_call_file))
        if (const char* const name = dwarf_filesrc(files, *file, nullptr, nullptr)) l.file = name;
      l.number = static_cast<int>(number(call, DW_AT_call_line).value_or(0));
    }
  }

  static std::optional<Dwarf_Word> number(Dwarf_Die& die, unsigned what) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_attr(&die, what, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0)
      return std::nullopt;
    return value;
  }

  static int no_separate_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*,
                              const char*, GElf_Word, char**) {
    return -1;  // what looks for one may ask servers
  }

  static constexpr Dwfl_Callbacks callbacks_ = {dwfl_linux_proc_find_elf, no_separate_file, nullptr,
                                                nullptr};
  Dwfl* process_;
  std::unordered_map<Dwarf*, std::vector<unit>> units_;
};

// Headers whose calls are the program's, as it sees them.
bool is_of_library(std::string_view file) {
  for (const std::string_view folder : {"/include/Pianola/", "/sycl/include/sycl/",
                                        "/executors/runtime/include/pianola/", "/include/c++/"})
    if (file.find(folder) != std::string_view::npos) return true;
  return file.empty();
}

// Not destroyed at the end of the process, when objects of the program may still ask.
debug_information* kept = nullptr;

debug_information& here() {
  if (kept == nullptr) kept = new debug_information;
  return *kept;
}

std::size_t line_of(const void* in, char* to, std::size_t size) noexcept {
  try {
    for (const line& l : here().lines_of(reinterpret_cast<Dwarf_Addr>(in))) {
      if (is_of_library(l.file) || l.number <= 0) continue;
      const std::string_view name = l.file.substr(l.file.rfind('/') + 1);
      const std::string text = std::string(name) + ":" + std::to_string(l.number);
      if (text.size() >= size) return 0;
      std::memcpy(to, text.c_str(), text.size() + 1);
      return text.size();
    }
  } catch (const std::bad_alloc&) {
    // As if there were no debug information.
    return 0;
  }
  return 0;
}

frame_rule frame_of(const void* in) noexcept {
  try {
    return here().frame_of(reinterpret_cast<Dwarf_Addr>(in));
  } catch (const std::bad_alloc&) {
    return {};
  }
}

bool any() noexcept {
  try {
    return here().any();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void forget() noexcept {
  delete kept;
  kept = nullptr;
}

}  // namespace

}  // namespace pianola::source_lines

extern "C" __attribute__((visibility("default")))
const pianola::source_lines::functions pianola_source_lines_v1 = {
    &pianola::source_lines::line_of, &pianola::source_lines::frame_of, &pianola::source_lines::any,
    &pianola::source_lines::forget};
