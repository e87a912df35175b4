// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace pianola::tool {

// Writes to standard output, through a pager where that is a terminal too small for it; throws model::user_error if that
// fails.
void print(const std::string& text);
// To the file, or to standard output if that has no name.
void put_out(const std::string& output, const std::string& text);
// The same of a report for people, which has colours on a terminal.
void put_out_report(const std::string& output, const std::string& report);

}  // namespace pianola::tool
