// SPDX-License-Identifier: Apache-2.0
#include "view/page.hpp"

#include <pianola/model/error.hpp>

namespace pianola::tool {

namespace {

// Each stands once in the page: at the end of its policy, and within the element that holds the data.
constexpr std::string_view policy_mark = "@PIANOLA_POLICY@";
constexpr std::string_view data_mark = "@PIANOLA_DATA@";

void put_in(std::string& page, std::string_view mark, std::string_view text) {
  const std::size_t at = page.find(mark);
  if (at == std::string::npos)
    throw model::user_error(model::error_code::invalid,
                            "view: this program was built without its page; install nodejs and npm "
                            "and build it again, or use 'pianola show --svg'");
  page.replace(at, mark.size(), text);
}

}  // namespace

std::string page_with(std::string_view data, page_use use) {
  std::string page;
  for (const std::string_view piece : page_pieces()) page += piece;
  put_in(page, policy_mark, use == page_use::served ? "; connect-src 'self'" : "");
  put_in(page, data_mark, data);
  return page;
}

}  // namespace pianola::tool
