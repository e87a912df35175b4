// SPDX-License-Identifier: Apache-2.0
// Ids of different kinds never mix, with each other or with integers.
// TARGET: pianola_model
// EXPECT-ERROR: no match for .operator|invalid operands to binary
// CASE making_an_id_from_an_integer_implicitly: conversion from .unsigned int. to non-scalar|no viable conversion
// CASE reading_an_id_as_an_integer: cannot convert .* to .unsigned int.|no viable conversion
// CASE passing_a_command_as_a_buffer: could not convert|no matching function
// convert|conversion from|no known conversion
#include <pianola/model/ids.hpp>

using pianola::model::buffer_id;
using pianola::model::command_id;
using pianola::model::device_id;
using pianola::model::memory_id;

void takes_buffer(buffer_id);

bool right() {
  takes_buffer(buffer_id{1});
  return command_id{1} == command_id{2} || command_id{1} < command_id{2};
}

#ifdef CASE_comparing_a_command_with_a_buffer
bool wrong = command_id{1} == buffer_id{1};
#endif

#ifdef CASE_ordering_a_device_and_a_memory
bool wrong = device_id{1} < memory_id{1};
#endif

#ifdef CASE_comparing_an_id_with_an_integer
bool wrong = command_id{1} == 1u;
#endif

#ifdef CASE_making_an_id_from_an_integer_implicitly
command_id wrong = 1u;
#endif

#ifdef CASE_reading_an_id_as_an_integer
unsigned wrong = command_id{1};
#endif

#ifdef CASE_passing_a_command_as_a_buffer
void wrong() { takes_buffer(command_id{1}); }
#endif
