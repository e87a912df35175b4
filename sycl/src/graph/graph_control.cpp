// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/format.h>

#include <pianola/runtime/controls.hpp>

#include <sycl/ext/pianola/graph_control.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace {

using ext::pianola::condition;
using ext::pianola::control_body;
using kind = ::pianola::model::control_kind;

std::shared_ptr<::pianola::runtime::control_request> begin_control(handler& group, kind what) {
  detail::handler_access::set_empty(group);
  auto& submission = detail::handler_access::submission_of(group);
  submission.payload.emplace<::pianola::model::subgraph_command>();
  auto wanted = std::make_shared<::pianola::runtime::control_request>();
  wanted->what = what;
  submission.control = wanted;
  return wanted;
}

void add_condition(handler& group, ::pianola::runtime::control_request& wanted,
                   const condition& value) {
  wanted.pointer = value.pointer();
  wanted.bytes = value.bytes();
  wanted.is_signed = value.is_signed();
  wanted.in_buffer = value.request() != nullptr;
  if (wanted.in_buffer) detail::handler_access::add(group, *value.request());
}

void add_body(::pianola::runtime::control_request& wanted, const control_body& body) {
  wanted.bodies.push_back(detail::graph_access::handle(body));
}

}  // namespace

namespace ext::pianola {

void add_repeat(handler& group, std::int64_t count, const control_body& body) {
  if (count < 0)
    sycl::detail::throw_error(errc::invalid,
                              fmt::format("add_repeat: a graph cannot run {} times", count));
  const auto wanted = begin_control(group, kind::repeat);
  wanted->count = static_cast<std::uint64_t>(count);
  add_body(*wanted, body);
}

void add_while(handler& group, const condition& holds, const control_body& body) {
  const auto wanted = begin_control(group, kind::loop);
  add_condition(group, *wanted, holds);
  add_body(*wanted, body);
}

void add_if(handler& group, const condition& holds, const control_body& then) {
  const auto wanted = begin_control(group, kind::branch);
  add_condition(group, *wanted, holds);
  add_body(*wanted, then);
}

void add_if(handler& group, const condition& holds, const control_body& then,
            const control_body& otherwise) {
  const auto wanted = begin_control(group, kind::branch);
  add_condition(group, *wanted, holds);
  add_body(*wanted, then);
  add_body(*wanted, otherwise);
}

void add_switch(handler& group, const condition& value, const std::vector<control_body>& cases) {
  if (cases.empty())
    sycl::detail::throw_error(errc::invalid, "add_switch: there is no graph to choose from");
  const auto wanted = begin_control(group, kind::choice);
  add_condition(group, *wanted, value);
  for (const control_body& body : cases) add_body(*wanted, body);
}

}  // namespace ext::pianola

namespace ext::oneapi::experimental {

using modifiable_graph = command_graph<graph_state::modifiable>;
using executable = command_graph<graph_state::executable>;

node modifiable_graph::add_repeat(std::int64_t count, const executable& body,
                                  const property_list& properties) {
  return add([&](handler& h) { pianola::add_repeat(h, count, body); }, properties);
}

node modifiable_graph::add_while(const pianola::condition& holds, const executable& body,
                                 const property_list& properties) {
  return add([&](handler& h) { pianola::add_while(h, holds, body); }, properties);
}

node modifiable_graph::add_if(const pianola::condition& holds, const executable& then,
                              const property_list& properties) {
  return add([&](handler& h) { pianola::add_if(h, holds, then); }, properties);
}

node modifiable_graph::add_if(const pianola::condition& holds, const executable& then,
                              const executable& otherwise, const property_list& properties) {
  return add([&](handler& h) { pianola::add_if(h, holds, then, otherwise); }, properties);
}

node modifiable_graph::add_switch(const pianola::condition& value,
                                  const std::vector<executable>& cases,
                                  const property_list& properties) {
  return add([&](handler& h) { pianola::add_switch(h, value, cases); }, properties);
}

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
