// SPDX-License-Identifier: Apache-2.0
#include "view/page.hpp"

#include <pianola/model/error.hpp>

namespace pianola::tool {

namespace {
// Stands once in the page, within the element that holds the data.
constexpr std::string_view mark = "@PIANOLA_DATA@";
}  // namespace

std::string page_with(std::string_view data) {
  std::string page;
  for (const std::string_view piece : page_pieces()) page += piece;
  const std::size_t at = page.find(mark);
  if (at == std::string::npos)
    throw model::user_error(model::error_code::invalid,
                            "view: this program was built without its page; install nodejs and npm "
                            "and build it again, or use 'pianola show --svg'");
  page.replace(at, mark.size(), data);
  return page;
}

}  // namespace pianola::tool
