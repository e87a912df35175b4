// SPDX-License-Identifier: Apache-2.0
#include "outputs/print.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <pianola/formats/file.hpp>
#include <pianola/model/error.hpp>

#include "outputs/colours.hpp"
#include "outputs/pager.hpp"
#include "outputs/stages.hpp"

namespace pianola::tool {

void print(const std::string& text) {
  end_stages();
  if (paged(text)) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  throw model::user_error(
      model::error_code::invalid,
      std::string("standard output cannot be written: ") + std::strerror(errno));
}

void put_out(const std::string& output, const std::string& text) {
  if (output.empty())
    print(text);
  else {
    formats::write_file(output, text);
    end_stages();
  }
}

void put_out_report(const std::string& output, const std::string& report) {
  put_out(output, output.empty() ? coloured(report) : report);
}

}  // namespace pianola::tool
