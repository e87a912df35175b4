// SPDX-License-Identifier: Apache-2.0
#include "pianola/journal/run.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/payload_members.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/run_summary.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "entry.hpp"
#include "malformed.hpp"
#include "pianola/journal/file.hpp"
#include "pianola/journal/words.hpp"
#include "run_builder.hpp"
#include "sound.hpp"

namespace pianola::journal {

namespace {

class entries {
 public:
  explicit entries(std::string_view bytes) noexcept : left_(bytes) {}
  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }
  unsigned char byte() {
    if (left_.empty()) malformed("an entry is cut off");
    const auto value = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const unsigned char b = byte();
      value |= std::uint64_t{b & 0x7fU} << shift;
      if (b < 0x80) return value;
    }
    malformed("a number is too long");
  }
  // Of things of which each takes a byte at least.
  std::size_t count() {
    const std::uint64_t n = number();
    if (n > left_.size()) malformed("an entry is cut off");
    return n;
  }
  std::string_view text() {
    const std::size_t n = count();
    const std::string_view t = left_.substr(0, n);
    left_.remove_prefix(n);
    return t;
  }

 private:
  std::string_view left_;
};

// A few bytes may stand for very many: commands name what they do by a number. So for what is looked at, of what commands do
// and of boxes that data lies in, as for what that takes of memory.
std::uint64_t most_looked_at_of(std::uint64_t journal_bytes) {
  constexpr std::uint64_t least = std::uint64_t{1} << 24, per_byte = 16;
  return std::max(least, per_byte * journal_bytes);
}
std::uint64_t most_memory_of(std::uint64_t journal_bytes) {
  constexpr std::uint64_t least = std::uint64_t{256} << 20, per_byte = 512;
  return std::max(least, per_byte * journal_bytes);
}

class run_reader {
 public:
  explicit run_reader(std::uint64_t journal_bytes) noexcept : journal_bytes_(journal_bytes) {}
  void read(std::string_view block) {
    for (entries in(block); !in.empty();) read_entry(in);
  }
  recorded_run finish();

 private:
  struct pointer {
    std::uint64_t which;  // number << 1 | freed; 0: none
    std::uint64_t offset;
    bool is_listed = false;  // there are accesses through it
  };
  struct access {
    std::uint64_t which, how, begin, end;
  };
  struct shape {
    std::vector<std::uint64_t> words;
    std::vector<pointer> pointers;
    std::vector<access> accesses;
  };
  struct known_buffer {
    model::buffer_info info;
    std::string label;
    bool unwritten = false;
  };
  struct known_allocation {
    model::usm_allocation what;
    std::uint32_t id = model::no_allocation;  // in the graph
  };

  void read_entry(entries& in);
  const run_builder::label& read_how(entries& in) const;
  void read_buffer(entries& in);
  void read_allocation(entries& in);
  void read_shape(entries& in);
  void read_command(entries& in);
  void read_step(entries& in, std::uint64_t id, run_builder::step& s);
  command_reader::found_buffer find(std::uint64_t key);
  // Names the allocations of the command, and has offsets count from their start.
  void resolve(const shape& s, model::command& command);
  std::uint32_t name(const pointer& p);
  std::uint32_t id_of(std::uint64_t number);
  void note_accesses(const shape& s, const model::command& command, model::command_id id);
  void note_read(const access& a, const model::command& command, model::command_id id);
  void require_memory() const;
  // Of the command, once more.
  void look_at(const shape& s, const model::command& command);

  const std::uint64_t journal_bytes_;
  run_builder builder_;
  model::topology topology_;
  model::device_id host_;
  std::unordered_map<std::uint64_t, run_builder::label> texts_;
  std::unordered_map<std::string, std::uint64_t> labels_;
  std::unordered_map<std::uint64_t, known_buffer> buffers_;
  std::unordered_map<std::uint64_t, known_allocation> allocations_;
  std::vector<shape> shapes_;
  command_reader commands_;
  run_builder::order order_;
  std::vector<run_builder::step> steps_;
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> last_user_;  // index: allocation of the graph; a command's number + 1
  std::uint64_t uses_ = 0;                // of allocations, by all commands
  std::uint64_t looked_at_ = 0;           // requirements, pointers and accesses of all commands
  std::vector<model::usm_access> usm_;
  std::vector<model::buffer_read> reads_;
};

void run_reader::read_entry(entries& in) {
  switch (in.byte()) {
    case entry::text: {
      const std::uint64_t n = in.number();
      std::string text(in.text());
      const std::uint64_t label = labels_.try_emplace(text, labels_.size() + 1).first->second;
      texts_[n] = {std::move(text), label};
      return;
    }
    case entry::machine: {
      host_ = model::device_id(static_cast<std::uint16_t>(in.number()));
      model::topology machine = recorder::read_topology(in.text(), "machine");
      require_growth(topology_, machine);
      topology_ = std::move(machine);
      if (host_.value() >= topology_.devices.size()) malformed("the machine has no host");
      return;
    }
    case entry::buffer:
      return read_buffer(in);
    case entry::allocation:
      return read_allocation(in);
    case entry::freed:
      if (const auto a = allocations_.find(in.number()); a != allocations_.end())
        a->second.what.freed = builder_.commands();
      return;
    case entry::shape:
      return read_shape(in);
    case entry::shapes_forgotten:
      shapes_.clear();
      return;
    case entry::command:
      return read_command(in);
    case entry::host_waited: {
      const std::uint64_t step = in.number();
      builder_.host_waited(step, read_how(in), host_);
      return require_memory();
    }
    case entry::queue_waited: {
      const std::uint64_t queue = in.number(), below = in.number();
      builder_.host_waited_for_queue(queue, below, read_how(in), host_);
      return require_memory();
    }
    case entry::buffer_ended: {
      const model::buffer_id buffer = find(in.number()).id;
      builder_.host_waited_for_buffer(buffer, read_how(in), host_);
      return require_memory();
    }
    case entry::measured: {
      const std::uint64_t command = in.number();
      return builder_.measured(command, static_cast<double>(in.number()) * 1e-9,
                               recorder::measured_times::unknown);
    }
    case entry::measured_from: {
      const std::uint64_t command = in.number();
      const double seconds = static_cast<double>(in.number()) * 1e-9;
      return builder_.measured(command, seconds, static_cast<double>(in.number()) * 1e-9);
    }
    default:
      malformed("there is no such entry");
  }
}

// How the host waited.
const run_builder::label& run_reader::read_how(entries& in) const {
  const auto how = texts_.find(in.number());
  if (how == texts_.end()) malformed("a text is not there");
  return how->second;
}

void run_reader::read_buffer(entries& in) {
  const std::uint64_t key = in.number();
  model::extent3 range, page;
  for (auto& c : range.c) c = in.number();
  for (auto& c : page.c) c = in.number();
  const std::uint64_t rest = in.number();
  const std::uint64_t dimensions = rest & 0xff & ~unwritten_buffer;
  require_sound_buffer(range, page, rest >> 8, dimensions);
  known_buffer b;
  b.info.grid = model::page_grid(range, page);
  b.info.element_size = static_cast<std::uint32_t>(rest >> 8);
  b.info.dimensions = static_cast<std::uint8_t>(dimensions);
  b.unwritten = (rest & unwritten_buffer) != 0;
  b.label = std::string(in.text());
  const auto [known, fresh] = buffers_.try_emplace(key, std::move(b));
  if (!fresh &&
      (known->second.info.grid.range() != range || known->second.info.grid.page() != page))
    malformed("a buffer changes");
}

void run_reader::read_allocation(entries& in) {
  const std::uint64_t n = in.number();
  known_allocation a;
  a.what.bytes = in.number();
  const std::uint64_t what = in.number();
  if ((what & 0xff) > 2) malformed("there is no such kind of allocation");
  a.what.what = static_cast<model::usm_kind>(what & 0xff);
  a.what.memory = model::memory_id(static_cast<std::uint16_t>(what >> 8));
  a.what.allocated = builder_.commands();
  if (a.what.memory.value() >= topology_.memories.size()) malformed("an allocation is nowhere");
  allocations_[n] = a;
}

void run_reader::read_shape(entries& in) {
  shape s;
  for (std::size_t n = in.count(); n != 0; --n) s.words.push_back(in.number());
  for (std::uint64_t which = in.number(); which != 0; which = in.number())
    s.pointers.push_back({which - 1, in.number(), false});
  for (std::uint64_t which = in.number(); which != 0; which = in.number()) {
    access a{which - 1, in.number(), 0, 0};
    a.begin = in.number();
    a.end = in.number();
    s.accesses.push_back(a);
  }
  std::vector<std::uint64_t> listed;
  for (const access& a : s.accesses)
    if ((a.how & access_of_buffer) == 0) listed.push_back(a.which);
  std::sort(listed.begin(), listed.end());
  for (pointer& p : s.pointers)
    p.is_listed = std::binary_search(listed.begin(), listed.end(), p.which);
  shapes_.push_back(std::move(s));
}

command_reader::found_buffer run_reader::find(std::uint64_t key) {
  const auto b = buffers_.find(key);
  if (b == buffers_.end()) malformed("a buffer is not there");
  recorder::command_graph& named = builder_.log().named();
  const model::buffer_id id = named.add_buffer(b->second.info, key + 1, b->second.label.c_str());
  if (b->second.unwritten) named.set_unwritten(id);
  return {id, b->second.info.grid.range()};
}

std::uint32_t run_reader::name(const pointer& p) {
  if (p.which == 0 || (p.which & 1) != 0) return model::no_allocation;
  return id_of(p.which >> 1);
}

std::uint32_t run_reader::id_of(std::uint64_t number) {
  const auto a = allocations_.find(number);
  if (a == allocations_.end()) malformed("an allocation is not there");
  if (a->second.id == model::no_allocation)
    a->second.id = builder_.log().named().add_allocation(a->second.what);
  return a->second.id;
}

void run_reader::resolve(const shape& s, model::command& command) {
  used_.clear();
  if (std::holds_alternative<model::kernel_command>(command.payload)) {
    const std::uint32_t user = builder_.commands() + 1;
    for (const pointer& p : s.pointers) {
      const std::uint32_t a = name(p);
      if (a == model::no_allocation) continue;
      if (last_user_.size() <= a) last_user_.resize(a + std::size_t{1});
      if (std::exchange(last_user_[a], user) != user) used_.push_back(a);
    }
    return;
  }
  std::size_t next = 0;
  bool any = false;
  const auto take = [&](model::memory_operand* o) {
    if (next == s.pointers.size()) malformed("a pointer is missing");
    const pointer& p = s.pointers[next++];
    used_.push_back(name(p));
    if (used_.back() == model::no_allocation) return;
    any = true;
    if (o != nullptr) o->byte_offset += p.offset;
  };
  model::for_each_memory(
      command.payload, [&](model::memory_operand& o, const auto&) { take(&o); },
      [&](const void*) { take(nullptr); });
  if (!any) used_.clear();
}

void run_reader::read_step(entries& in, std::uint64_t id, run_builder::step& s) {
  s = {};
  const std::uint64_t lane = in.number();
  s.lane = static_cast<std::uint32_t>(lane >> 1);
  s.is_transfer = (lane & 1) != 0;
  s.device = model::device_id(static_cast<std::uint16_t>(in.number()));
  if (s.device.value() >= topology_.devices.size()) malformed("a device is not there");
  if (s.is_transfer) {
    const command_reader::found_buffer b = find(in.number());
    s.transfer.buffer = b.id;
    const std::uint64_t memories = in.number();
    s.transfer.from = model::memory_id(static_cast<std::uint16_t>(memories));
    s.transfer.to = model::memory_id(static_cast<std::uint16_t>(memories >> 16));
    for (auto& c : s.transfer.elements.lo.c) c = in.number();
    for (auto& c : s.transfer.elements.hi.c) c = in.number();
    if (s.transfer.from.value() >= topology_.memories.size() ||
        s.transfer.to.value() >= topology_.memories.size() || s.transfer.elements.empty() ||
        !contains(model::box::of(b.range), s.transfer.elements))
      malformed("a transfer is out of range");
  }
  for (std::size_t n = in.count(); n != 0; --n) s.waits.push_back(id - in.number());
}

void run_reader::read_command(entries& in) {
  if (topology_.devices.empty()) malformed("there is no machine");
  const std::uint64_t flags = in.number();
  order_.from_queue = (flags & from_queue) != 0;
  order_.in_order = (flags & in_order) != 0;
  order_.closes = (flags & closes) != 0;
  order_.queue = in.number();
  order_.retired += in.number();
  order_.first_step += in.number();
  model::command* command = nullptr;
  const shape* what = nullptr;
  run_builder::label label;
  used_.clear();
  if ((flags & settlement) == 0) {
    const std::uint64_t which = in.number();
    if (which >= shapes_.size()) malformed("a command is not there");
    const shape& s = *(what = &shapes_[which]);
    command = &commands_.read(s.words, [this](std::uint64_t key) { return find(key); });
    look_at(s, *command);
    require_sound(*command, topology_);
    if (const auto text = texts_.find(commands_.label()); text != texts_.end())
      label = text->second;
    resolve(s, *command);
  }
  order_.after.clear();
  for (std::size_t n = in.count(); n != 0; --n)
    order_.after.push_back(order_.first_step - in.number());
  steps_.resize(in.count());
  for (std::size_t i = 0; i < steps_.size(); ++i) read_step(in, order_.first_step + i, steps_[i]);
  const model::command_id id(builder_.commands());
  builder_.planned(order_, command, label, {used_.data(), used_.size()},
                   {steps_.data(), steps_.size()});
  if (what != nullptr) note_accesses(*what, *command, id);
  uses_ += used_.size();
  require_memory();
}

void run_reader::require_memory() const {
  // Whoever looks for races makes accesses of all uses, and parts of those that leave their allocation.
  const std::uint64_t needed = builder_.bytes() +
                               (3 * usm_.size() + uses_) * sizeof(model::usm_access) +
                               2 * reads_.size() * sizeof(model::buffer_read);
  const std::uint64_t most = most_memory_of(journal_bytes_);
  if (needed > most)
    throw model::user_error(
        model::error_code::invalid,
        fmt::format("its first {} commands take more than {} of memory, the most that is read of a "
                    "journal of {}; record fewer of them",
                    builder_.commands(), formats::bytes(most), formats::bytes(journal_bytes_)));
}

void run_reader::look_at(const shape& s, const model::command& command) {
  looked_at_ += command.requirements.size() + s.pointers.size() + s.accesses.size();
  if (const std::uint64_t most = most_looked_at_of(journal_bytes_); looked_at_ > most)
    throw model::user_error(
        model::error_code::invalid,
        fmt::format("its first {} commands name more than {} requirements, pointers and accesses, "
                    "the most that is read of a journal of {}; record fewer of them",
                    builder_.commands(), most, formats::bytes(journal_bytes_)));
}

void run_reader::note_read(const access& a, const model::command& command, model::command_id id) {
  if (a.which >= command.requirements.size()) malformed("a requirement is not there");
  const model::buffer_id buffer = command.requirements[a.which].buffer;
  if (a.begin >= a.end || a.end > builder_.log().named().buffer(buffer).bytes())
    malformed("what is read is not in the buffer");
  reads_.push_back({id, buffer, a.begin, a.end});
}

// What is listed, and what is done through pointers into what has been freed.
void run_reader::note_accesses(const shape& s, const model::command& command,
                               model::command_id id) {
  const auto add = [&](std::uint64_t which, std::uint64_t begin, std::uint64_t end,
                       std::uint64_t how) {
    const std::uint32_t a = id_of(which >> 1);
    model::usm_access u{id,
                        a,
                        static_cast<std::int64_t>(begin),
                        static_cast<std::int64_t>(end),
                        (how & access_reads) != 0,
                        (how & access_writes) != 0,
                        (how & access_is_exact) != 0};
    if (begin == end) {
      u.begin = 0;
      u.end = allocations_.at(which >> 1).what.end();
    }
    if (u.begin < u.end) usm_.push_back(u);
  };
  for (const access& a : s.accesses) {
    if ((a.how & access_of_buffer) == 0)
      add(a.which, a.begin, a.end, a.how);
    else
      note_read(a, command, id);
  }
  if (std::holds_alternative<model::kernel_command>(command.payload)) {
    // It holds the pointer; nobody knows what for, unless that is listed.
    for (const pointer& p : s.pointers)
      if ((p.which & 1) != 0 && !p.is_listed) add(p.which, 0, 0, access_reads | access_writes);
    return;
  }
  std::size_t next = 0;
  const auto operand = [&](const model::memory_operand& o, const model::operand_use& use) {
    if (next == s.pointers.size()) return;
    const pointer& p = s.pointers[next++];
    if (p.which != 0 && (p.which & 1) != 0 && use.width != 0)
      add(p.which, p.offset + o.byte_offset, p.offset + o.byte_offset + use.width,
          (use.written ? access_writes : access_reads) | access_is_exact);
  };
  model::for_each_operand(command.payload, operand);
}

recorded_run run_reader::finish() {
  run_builder::run run = builder_.take();
  for (const auto& [number, a] : allocations_)
    if (a.id != model::no_allocation) run.graph.set_life(a.id, a.what.allocated, a.what.freed);
  for (const model::usm_access& a : usm_) run.graph.add_usm_access(a);
  for (const model::buffer_read& r : reads_) run.graph.add_buffer_read(r);
  // As a node of a tree, and in contract, exit state and accesses.
  constexpr std::uint64_t bytes_per_box = 512;
  const std::uint64_t boxes = planner::summarise_run(
      run.graph.commands(), run.graph.buffers(), topology_, run.plan,
      {most_memory_of(journal_bytes_) / bytes_per_box, most_looked_at_of(journal_bytes_)});
  run.plan.graph_hash = run.graph.structural_hash();
  recorded_run all{std::move(run.graph), std::move(run.plan), std::move(topology_), {}, false};
  all.looked_at = looked_at_ + builder_.looked_at() + boxes;
  for (const run_builder::measurement& m : run.measured)
    all.measured.set(model::command_id(m.command), m.seconds, m.started);
  return all;
}

recorded_run read_all(file_reader& file) {
  run_reader reader(file.size());
  std::string block;
  while (file.next(block)) reader.read(block);
  recorded_run run = reader.finish();
  run.cut_off = file.cut_off();
  run.damaged_at = file.damaged_at();
  return run;
}

}  // namespace

recorded_run read_run(const std::string& path) {
  file_reader file(path);
  try {
    return read_all(file);
  } catch (const model::user_error& e) {
    throw model::user_error(model::error_code::invalid,
                            fmt::format("{}: {}", formats::one_line(path), e.what()));
  }
}

recorded_run read_run(int descriptor) {
  file_reader file(descriptor);
  return read_all(file);
}

namespace {

// At least so many bytes; what is far too large is found out by this, at once.
std::uint64_t least_text_of(const recorder::command_graph& graph) {
  constexpr std::uint64_t per_command = 80, per_requirement = 130, per_edge = 3;
  std::uint64_t bytes = 0;
  for (const model::command& c : graph.commands())
    bytes += per_command + c.requirements.size() * per_requirement + c.after.size() * per_edge;
  return bytes;
}

class text_file {
 public:
  text_file(const std::string& path, std::uint64_t most) : path_(path), file_(path), most_(most) {}
  void require(std::uint64_t bytes) const {
    if (bytes > most_)
      throw model::user_error(model::error_code::invalid,
                              fmt::format("{} would be larger than {}, the most that is read; the "
                                          "journal stays, and subcommands take it for a graph",
                                          formats::one_line(path_), formats::bytes(most_)));
  }
  void write(std::string_view piece) {
    require(written_ += piece.size());
    file_.write(piece);
  }
  void commit() { file_.commit(); }

 private:
  const std::string path_;
  formats::output_file file_;
  const std::uint64_t most_;
  std::uint64_t written_ = 0;
};

}  // namespace

void write_files(const recorded_run& run, const std::string& base) {
  write_files(run, base, formats::maximum_file_bytes);
}

void write_files(const recorded_run& run, const std::string& base, std::uint64_t most) {
  text_file graph(base + ".graph.json", most), plan(base + ".plan.json", most);
  formats::output_file picture(base + ".dot");
  graph.require(least_text_of(run.graph));
  recorder::write_json(run.graph, run.topology, run.measured,
                       [&](std::string_view piece) { graph.write(piece); });
  const planner::graph_view view(run.graph);
  planner::write_json(run.plan, view, [&](std::string_view piece) { plan.write(piece); });
  picture.write(planner::to_dot(view, run.plan, run.topology));
  graph.commit();
  plan.commit();
  picture.commit();
}

}  // namespace pianola::journal
