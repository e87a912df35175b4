// SPDX-License-Identifier: Apache-2.0
// What commands do to allocations of the program.
#include "usm_json.hpp"

#include <fmt/format.h>

#include <pianola/formats/json_vocabulary.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/recorder/command_graph.hpp>

namespace pianola::recorder {

void read_usm(formats::json_reader& json, const command_graph& graph,
              std::vector<model::usm_access>& accesses) {
  static constexpr formats::member members[] = {{"allocation"}, {"bytes"}, {"mode"}, {"exact"}};
  json.array([&](std::uint64_t) {
    model::usm_access a;
    json.object(members, [&](std::size_t m) {
      if (m == 0) {
        const std::uint64_t which = json.whole_number();
        if (which >= graph.allocations().size())
          json.fail(fmt::format("unknown allocation {}", which));
        a.allocation = static_cast<std::uint32_t>(which);
      }
      if (m == 1) {
        std::size_t n = 0;
        json.array([&](std::uint64_t) {
          const std::int64_t value = json.signed_number(INT64_MAX);
          if (n < 2) (n == 0 ? a.begin : a.end) = value;
          ++n;
        });
        if (n != 2 || a.begin >= a.end)
          json.fail("bytes are the first one and the one behind the last");
      }
      if (m == 2) {
        const auto mode = formats::read_word<model::access_mode>(json);
        a.read = model::reads(mode);
        a.written = model::writes(mode);
      }
      if (m == 3) a.exact = json.boolean();
    });
    accesses.push_back(a);
  });
}

void read_buffer_reads(formats::json_reader& json, const command_graph& graph,
                       std::vector<model::buffer_read>& reads) {
  static constexpr formats::member members[] = {{"buffer"}, {"bytes"}};
  json.array([&](std::uint64_t) {
    model::buffer_read r;
    json.object(members, [&](std::size_t m) {
      if (m == 0) {
        const std::uint64_t which = json.whole_number();
        if (which >= graph.buffer_count()) json.fail(fmt::format("unknown buffer {}", which));
        r.buffer = model::buffer_id(static_cast<model::buffer_id::rep>(which));
      }
      if (m == 1) {
        std::size_t n = 0;
        json.array([&](std::uint64_t) {
          const std::uint64_t value = json.whole_number();
          if (n < 2) (n == 0 ? r.begin : r.end) = value;
          ++n;
        });
        if (n != 2 || r.begin >= r.end || r.end > graph.buffer(r.buffer).bytes())
          json.fail("bytes are the first one and the one behind the last, in the buffer");
      }
    });
    reads.push_back(r);
  });
}

void write_buffer_reads(formats::json_writer& json,
                        model::array_view<const model::buffer_read> reads) {
  if (reads.empty()) return;
  json.key("reads").open_array();
  for (const model::buffer_read& r : reads) {
    json.open_object().key("buffer").number(std::uint64_t{r.buffer.value()});
    json.key("bytes").open_array().number(r.begin).number(r.end);
    json.close().close();
  }
  json.close();
}

void write_usm(formats::json_writer& json, model::array_view<const model::usm_access> accesses) {
  if (accesses.empty()) return;
  json.key("usm").open_array();
  for (const model::usm_access& a : accesses) {
    json.open_object();
    json.key("allocation").number(std::uint64_t{a.allocation});
    json.key("bytes").open_array();
    json.signed_number(a.begin);
    json.signed_number(a.end);
    json.close();
    json.key("mode").text(model::name_of(!a.written ? model::access_mode::read
                                         : a.read   ? model::access_mode::read_write
                                                    : model::access_mode::write));
    json.key("exact").truth(a.exact);
    json.close();
  }
  json.close();
}

}  // namespace pianola::recorder
