// SPDX-License-Identifier: Apache-2.0
// Images and launches.
#include <elf.h>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "engine.hpp"

namespace pianola::test::drivers {
namespace {

// As pianolacc and the launcher have it: the function object, then the launch, by value.
constexpr std::size_t launch_alignment = alignof(pianola_launch);

std::size_t offset_of_launch(const pianola_sim_kernel_info& info) {
  return (info.argument_bytes + launch_alignment - 1) / launch_alignment * launch_alignment;
}

// Images come without a size.
std::size_t elf_bytes(const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  return header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
}

std::string text_of(std::uintptr_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(address));
  return text;
}

std::string text_of(const std::uint32_t (&n)[3]) {
  return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

}  // namespace

helper& engine::gpu_of(const std::shared_ptr<context>& c) {
  if (c->gpu) return *c->gpu;
  c->gpu = std::make_unique<helper>(*memory_);
  for (const auto& [page, a] : memory_->all())
    if (a.apart)
      show(*c, a);
    else if (reaches(*c, a))
      c->gpu->protect(a.first_page, a.end_page - a.first_page, true);
  return *c->gpu;
}

std::shared_ptr<module> engine::load(const std::shared_ptr<context>& c, const void* image,
                                     std::size_t known_bytes) {
  check(*c);
  if (image == nullptr) violate(codes::invalid_value, "the image is null");
  if (known_bytes != 0 && known_bytes < sizeof(Elf64_Ehdr))
    refuse(codes::invalid_image, "not an image");
  // Text, for the driver's own compiler: which is not here, but for the one function of the driver's that kernels link to.
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) {
    const char* const text = static_cast<const char*>(image);
    if (std::strncmp(text, "\n.version", 9) != 0 ||
        std::strstr(text, "cudaGraphSetConditional") == nullptr || !traits_.sets_conditions)
      refuse(codes::no_binary_for_gpu, "the image is no code for the device");
    auto m = std::make_shared<module>();
    m->owner = c;
    m->text = text;
    handles.add(m);
    return m;
  }
  // Code of a compiler that is newer than the driver.
  if (static_cast<const unsigned char*>(image)[EI_ABIVERSION] != 0)
    refuse(codes::invalid_image, "the image is of a newer version");
  const std::size_t bytes = known_bytes != 0 ? known_bytes : elf_bytes(image);
  helper& gpu = gpu_of(c);
  auto m = std::make_shared<module>();
  m->owner = c;
  m->number = ++modules_made_;
  helper_request r;
  r.kind = request_kind::load;
  r.numbers[0] = m->number;
  const auto answer = gpu.ask(r, {static_cast<const char*>(image), bytes});
  if (answer.lost) refuse(codes::unknown, "the process of the device has ended");
  if (answer.reply.result != helper_result::done) refuse(codes::no_binary_for_gpu, answer.text);
  handles.add(m);
  return m;
}

void engine::print(context& c) {
  std::fwrite(c.printed.data(), 1, c.printed.size(), stdout);
  if (!c.printed.empty()) std::fflush(stdout);
  c.printed.clear();
}

void engine::unload(lock& held, module& m) {
  const auto owner = m.owner;
  print(*owner);
  check(*owner);
  const auto self = handles.get<module>(m.handle);
  handles.remove(m);
  for (const auto& [name, f] : m.functions) handles.remove(*f);
  if (owner->outstanding != 0) scheduler_.wait(held, [&] { return owner->outstanding == 0; });
  for (const auto& [name, v] : m.variables) free(held, v.start, false);
  if (owner->gpu == nullptr || owner->error != 0 || !m.text.empty()) return;
  helper_request r;
  r.kind = request_kind::unload;
  r.numbers[0] = m.number;
  owner->gpu->ask(r);
}

std::shared_ptr<function> engine::find(module& m, const std::string& symbol) {
  check(*m.owner);
  const auto known = m.functions.find(symbol);
  if (known != m.functions.end()) return known->second;
  if (!m.text.empty()) {
    auto f = std::make_shared<function>();
    f->owner = m.owner;
    f->symbol = symbol;
    f->sets_condition = true;
    f->parameters = parameters_in(m.text, symbol);
    handles.add(f);
    m.functions.emplace(symbol, f);
    return f;
  }
  helper_request r;
  r.kind = request_kind::find;
  r.numbers[0] = m.number;
  const auto answer = gpu_of(m.owner).ask(r, symbol);
  if (answer.lost) refuse(codes::unknown, "the process of the device has ended");
  if (answer.reply.result != helper_result::done) refuse(codes::not_found, answer.text);
  auto f = std::make_shared<function>();
  f->owner = m.owner;
  f->symbol = symbol;
  f->number = answer.reply.value;
  f->info = answer.reply.info;
  f->max_dynamic_local_bytes =
      (traits_.local_memory_is_opt_in ? local_memory_without_opt_in : traits_.max_local_bytes) -
      static_local_bytes(*f);
  handles.add(f);
  m.functions.emplace(symbol, f);
  return f;
}

module_variable engine::find_variable(module& m, const std::string& symbol) {
  check(*m.owner);
  const auto known = m.variables.find(symbol);
  if (known != m.variables.end()) return known->second;
  if (!m.text.empty()) refuse(codes::not_found, "the image has no variable " + symbol);
  helper& gpu = gpu_of(m.owner);
  helper_request r;
  r.kind = request_kind::find_variable;
  r.numbers[0] = m.number;
  const auto found = gpu.ask(r, symbol);
  if (found.lost) refuse(codes::unknown, "the process of the device has ended");
  if (found.reply.result != helper_result::done) refuse(codes::not_found, found.text);
  module_variable v;
  v.bytes = found.reply.value;
  v.start = allocate(m.owner, memory_type::device, v.bytes);
  r.kind = request_kind::share_variable;
  r.numbers[1] = reinterpret_cast<std::uint64_t>(v.start);
  gpu.ask(r, symbol);
  m.variables.emplace(symbol, v);
  return v;
}

void engine::allow_local_memory(function& f, int bytes) const {
  check(*f.owner);
  if (bytes < 0 ||
      static_cast<std::uint32_t>(bytes) + static_local_bytes(f) > traits_.max_local_bytes)
    violate(codes::invalid_value, std::to_string(bytes) +
                                      " bytes of dynamic local memory: a group has " +
                                      std::to_string(traits_.max_local_bytes));
  f.max_dynamic_local_bytes = static_cast<std::uint32_t>(bytes);
}

int engine::resident_groups(const function& f, int group_size,
                            std::size_t dynamic_local_bytes) const {
  check(*f.owner);
  if (group_size <= 0 || static_cast<std::uint32_t>(group_size) > traits_.max_group_size)
    violate(codes::invalid_value, std::to_string(group_size) + " work-items in a group");
  const std::size_t bytes = dynamic_local_bytes + static_local_bytes(f);
  if (dynamic_local_bytes > f.max_dynamic_local_bytes) return 0;
  const std::size_t by_items = 2048 / static_cast<std::size_t>(group_size);
  return static_cast<int>(
      bytes == 0 ? by_items : std::min<std::size_t>(by_items, traits_.max_local_bytes / bytes));
}

void engine::bind(kernel_run& run, void** parameters, void** extra) {
  if (run.function->sets_condition) {
    if (parameters == nullptr || extra != nullptr)
      violate(codes::invalid_value, "the parameters of " + run.function->symbol + " are null");
    for (const std::uint32_t bytes : run.function->parameters) {
      const auto* const p = static_cast<const std::byte*>(*parameters++);
      if (p == nullptr) violate(codes::invalid_value, "a parameter is null");
      run.functor.insert(run.functor.end(), p, p + bytes);
    }
    return;
  }
  const pianola_sim_kernel_info& info = run.function->info;
  run.functor.resize(info.argument_bytes);
  const std::size_t whole = offset_of_launch(info) + info.launch_bytes;
  if ((parameters == nullptr) == (extra == nullptr))
    violate(codes::invalid_value, "parameters are given in one way, not in two or none");
  if (parameters != nullptr) {
    if (parameters[0] == nullptr || parameters[1] == nullptr)
      violate(codes::invalid_value, "a parameter is null; " + run.function->symbol + " has two");
    std::memcpy(run.functor.data(), parameters[0], info.argument_bytes);
    std::memcpy(&run.launch, parameters[1], info.launch_bytes);
    return;
  }
  const std::byte* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra != nullptr; extra += 2) {
    // LAUNCH_PARAM_BUFFER_POINTER and LAUNCH_PARAM_BUFFER_SIZE of both drivers; HIP's end is 3.
    if (*extra == reinterpret_cast<void*>(3)) break;
    if (*extra == reinterpret_cast<void*>(1))
      buffer = static_cast<const std::byte*>(extra[1]);
    else if (*extra == reinterpret_cast<void*>(2))
      bytes = *static_cast<const std::size_t*>(extra[1]);
    else
      violate(codes::invalid_value, "an unknown kind of extra parameters");
  }
  if (buffer == nullptr || bytes != whole)
    violate(codes::invalid_value, "the parameters of " + run.function->symbol + " are " +
                                      std::to_string(whole) + " bytes, not " +
                                      std::to_string(bytes));
  std::memcpy(run.functor.data(), buffer, info.argument_bytes);
  std::memcpy(&run.launch, buffer + offset_of_launch(info), info.launch_bytes);
}

void engine::check_launch(const kernel_run& run) const {
  const function& f = *run.function;
  const auto bad = [&](const std::string& what) {
    violate(codes::invalid_value, f.symbol + ": " + what);
  };
  std::uint64_t items = 1;
  for (int i = 0; i < 3; ++i) {
    if (run.grid[i] == 0 || run.grid[i] > traits_.max_grid[i])
      bad("a grid of " + text_of(run.grid));
    if (run.block[i] == 0 || run.block[i] > traits_.max_block[i])
      bad("groups of " + text_of(run.block));
    items *= run.block[i];
    if (traits_.max_items != 0 && std::uint64_t{run.grid[i]} * run.block[i] >= traits_.max_items)
      bad("a grid of " + text_of(run.grid) + " groups of " + text_of(run.block));
  }
  if (items > traits_.max_group_size)
    bad("groups of " + text_of(run.block) + " = " + std::to_string(items));
  if (run.dynamic_local_bytes > f.max_dynamic_local_bytes)
    bad(std::to_string(run.dynamic_local_bytes) + " bytes of dynamic local memory, " +
        std::to_string(f.max_dynamic_local_bytes) + " are allowed");
  const std::size_t bytes = offset_of_launch(f.info) + f.info.launch_bytes;
  if (bytes > traits_.max_parameter_bytes)
    violate(codes::out_of_resources,
            f.symbol + ": parameters of " + std::to_string(bytes) + " bytes");
  if (f.info.sub_group_size != 0 && f.info.sub_group_size != traits_.sub_group_size)
    violate(codes::out_of_resources,
            f.symbol + ": requires sub-groups of " + std::to_string(f.info.sub_group_size));
  // The kernel would run fewer work-items than it is told.
  const bool is_part = f.info.launch_bytes == sizeof(pianola_part_launch);
  for (int i = 0; i < 3; ++i)
    if (std::uint64_t{run.grid[i]} * run.block[i] <
        (is_part ? run.launch.end[2 - i] - run.launch.first[2 - i]
                 : run.launch.whole.global[2 - i]))
      bad("a grid of " + text_of(run.grid) + " groups of " + text_of(run.block) +
          " has fewer work-items than the launch says");
}

engine::prepared engine::prepare(const std::shared_ptr<context>& where, const kernel_run& run) {
  check_launch(run);
  if (!handles.is_live(run.function->handle))
    violate(codes::invalid_handle, run.function->symbol + ": its module has been unloaded");
  if (run.function->sets_condition) return prepare_setting(where, run, nullptr);
  prepared p;
  p.what = std::make_shared<task>();
  p.what->owner = where;
  // What looks like a pointer. It proves no use: what lies between the members of a function object is what happened
  // to be in memory before. So the memory may be freed; a kernel that then touches it is caught.
  std::vector<allocation> mentioned;
  for (std::size_t i = 0; i + sizeof(void*) <= run.functor.size(); i += sizeof(void*)) {
    void* word = nullptr;
    std::memcpy(&word, run.functor.data() + i, sizeof word);
    if (const allocation* a = memory_->find(word)) mentioned.push_back(*a);
  }
  helper_launch l;
  l.function = run.function->number;
  for (int i = 0; i < 3; ++i) {
    l.groups[i] = run.grid[2 - i];
    l.local[i] = run.block[2 - i];
  }
  l.sub_group_size = traits_.sub_group_size;
  l.local_memory_bytes = run.dynamic_local_bytes;
  l.seed = scheduler_.seed() == 0 ? 0 : scheduler_.random();
  l.launch = run.launch;
  std::string bytes(sizeof l + run.functor.size(), '\0');
  std::memcpy(bytes.data(), &l, sizeof l);
  std::memcpy(bytes.data() + sizeof l, run.functor.data(), run.functor.size());
  helper* gpu = &gpu_of(where);
  p.what->work = [this, gpu, owner = where.get(), bytes = std::move(bytes),
                  mentioned = std::move(mentioned),
                  symbol = run.function->symbol]() -> task::result {
    if (const int code = begin_work("kernel"); code != 0) return {code, symbol + " failed as told"};
    const auto answer = gpu->run(bytes);
    if (answer.lost)
      return {codes::illegal_address, symbol + " was running when the device was lost"};
    std::string_view text = answer.text;
    if (answer.reply.result == helper_result::done ||
        answer.reply.result == helper_result::trapped) {
      // What the kernel has printed comes from the program.
      const lock held(mutex_);
      owner->printed += text.substr(0, answer.reply.value);
      if (!traits_.prints_when_waited_for) print(*owner);
      text.remove_prefix(answer.reply.value);
    }
    switch (answer.reply.result) {
      case helper_result::done: {
        const lock held(mutex_);
        ++kernels_;
        return {};
      }
      case helper_result::faulted: {
        const lock held(mutex_);
        for (const allocation& a : mentioned)
          if (answer.reply.value - a.first_page < a.end_page - a.first_page &&
              memory_->with_number(a.start, a.number) == nullptr)
            note_violation("memory at " + text_of(a.start) + " was freed before " + symbol +
                           ", which uses it, had finished");
        return {codes::illegal_address, symbol + " accessed " + text_of(answer.reply.value)};
      }
      case helper_result::trapped:
      case helper_result::failed:
        break;
    }
    return {codes::launch_failed, std::string(text)};
  };
  return p;
}

engine::prepared engine::prepare(const std::shared_ptr<context>& where, const nothing&) {
  prepared p;
  p.what = std::make_shared<task>();
  p.what->owner = where;
  return p;
}

void engine::launch(const std::shared_ptr<context>& current, const std::shared_ptr<stream>& s,
                    kernel_run run) {
  check(*current);
  print(*current);
  if (run.function->owner != s->owner)
    violate(codes::invalid_handle, run.function->symbol + " is of another context than the stream");
  if (s->owner != current)
    violate(codes::invalid_context,
            run.function->symbol + ": the stream's context is not the current one");
  if (!captured(s, run)) enqueue(s, prepare(current, run).what);
}

}  // namespace pianola::test::drivers
