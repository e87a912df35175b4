// SPDX-License-Identifier: Apache-2.0
// What kernels touch and compute, in files.
#pragma once
#include <cstddef>
#include <vector>

#include <pianola/formats/json_reader.hpp>
#include <pianola/formats/json_writer.hpp>
#include <pianola/model/command.hpp>

namespace pianola::recorder {

// The member "footprints" of a kernel; none if nothing is known.
void write_footprints(formats::json_writer& json, const model::kernel_command& kernel);

// The member "work"; none if nothing is known.
void write_work(formats::json_writer& json, const model::kernel_work& work);
[[nodiscard]] model::kernel_work read_work(formats::json_reader& json);

// Reads "footprints". What it returns refers to this object, until the next one is read.
class footprint_reader {
 public:
  // `requirements`: how many the command has. The kernel's index space has been read.
  model::array_view<const model::footprint> read(formats::json_reader& json,
                                                 const model::launch_geometry& geometry,
                                                 std::size_t requirements);

 private:
  void read_footprint(formats::json_reader& json, const model::launch_geometry& geometry,
                      std::size_t requirements);
  static model::affine_access read_access(formats::json_reader& json,
                                          const model::launch_geometry& geometry);

  std::vector<model::footprint> footprints_;
  std::vector<std::vector<model::affine_access>> accesses_;  // of each
};

}  // namespace pianola::recorder
