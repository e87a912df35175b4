// SPDX-License-Identifier: Apache-2.0
// What the compiler says of the kernels of kernels.cpp.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <pianola/compiler/analyse_arguments.hpp>
#include <pianola/compiler/find_kernels.hpp>
#include <pianola/compiler/outline.hpp>

namespace {

using namespace pianola::compiler;

class arguments : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    const std::unique_ptr<llvm::Module> host =
        llvm::parseIRFile(PIANOLA_KERNELS_TEXT, error, context);
    ASSERT_NE(host, nullptr) << error.getMessage().str();
    const std::vector<kernel> kernels = find_kernels(*host, "test");
    std::vector<kernel> outlined;
    const std::unique_ptr<llvm::Module> device = outline(*host, kernels, outlined);
    const std::size_t functions = device->size();
    const std::vector<kernel_uses> uses = analyse_arguments(outlined);
    EXPECT_EQ(device->size(), functions) << "the module changed";
    EXPECT_FALSE(llvm::verifyModule(*device, &llvm::errs()));
    // Lambdas are found by their place in the file, which their names count.
    int lambda = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      std::string text;
      llvm::raw_string_ostream out(text);
      print(out, uses[i]);
      const std::string& name = kernels[i].name;
      const auto usm = name.find("::usm_");
      if (usm != std::string::npos)
        said_[name.substr(usm + 2, name.rfind('>') - usm - 2)] = text;
      else
        said_["lambda " + std::to_string(lambda++)] = text;
    }
  }
  static const std::string& of(const std::string& name) {
    static const std::string missing = "no such kernel";
    const auto at = said_.find(name);
    return at == said_.end() ? missing : at->second;
  }

  static std::map<std::string, std::string> said_;
};
std::map<std::string, std::string> arguments::said_;

TEST_F(arguments, element_by_element_accesses_are_described) {
  EXPECT_EQ(of("usm_triad"),
            "uses only\n"
            "  @0: written, 4 bytes at 4*id.x\n"
            "  @8: read, 4 bytes at 4*id.x\n"
            "  @16: read, 4 bytes at 4*id.x\n");
  EXPECT_EQ(of("usm_in_place"), "uses only\n  @0: read written, 4 bytes at 4*id.x\n");
  EXPECT_EQ(of("usm_guarded"), "uses only\n  @0: written, 4 bytes at 4*id.x\n");
}

TEST_F(arguments, several_accesses_at_constant_distances_make_one_interval) {
  EXPECT_THAT(of("usm_stencil"), ::testing::HasSubstr("  @8: read, 12 bytes at -4 + 4*id.x\n"));
  EXPECT_EQ(of("usm_pairs"), "uses only\n  @0: written, 8 bytes at 8*id.x\n");
  EXPECT_EQ(of("usm_block"),
            "uses only\n"
            "  @0: written, 16 bytes at 16*id.x\n"
            "  @8: read, 16 bytes at 16*id.x\n");
}

TEST_F(arguments, indices_of_32_bits_hold_below_2_to_31_only) {
  EXPECT_EQ(of("usm_int_index"),
            "uses only\n"
            "  @0: written, 4 bytes at 4*id.x, narrow\n"
            "  @8: read, 4 bytes at 4*id.x, narrow\n");
  EXPECT_EQ(of("usm_unsigned_index"),
            "uses only\n"
            "  @0: written, 4 bytes at 4*id.x, narrow\n"
            "  @8: read, 4 bytes at 4 + 4*id.x, narrow\n");
  EXPECT_EQ(of("usm_int_rows"),
            "uses only\n  @0: written, 4 bytes at 4*s32@40*id.y + 4*id.x, narrow\n");
}

TEST_F(arguments, an_index_that_overflows_on_the_way_is_not_described) {
  EXPECT_EQ(of("usm_cancelled"), "uses only\n  @0: written\n");
}

TEST_F(arguments, rows_and_planes_are_described_with_the_extents_of_the_function_object) {
  EXPECT_EQ(of("usm_rows"),
            "uses only\n"
            "  @0: written, 4 bytes at 4*u64@32*id.y + 4*id.x\n"
            "  @8: read, 4 bytes at 4*id.x\n");
  EXPECT_EQ(of("usm_swapped"), "uses only\n  @0: written, 4 bytes at 4*u64@24*id.x + 4*id.y\n");
  EXPECT_EQ(of("usm_linear"),
            "uses only\n"
            "  @0: written, 4 bytes at 4*id.z*global.y*global.x + 4*id.y*global.x + 4*id.x\n");
}

TEST_F(arguments, global_ids_of_groups_are_known_and_local_ones_are_no_position) {
  EXPECT_EQ(of("usm_group"),
            "uses only\n"
            "  @0: written, 4 bytes at 4*id.x + 4*offset.x\n"
            "  @8: read\n");
  EXPECT_EQ(of("usm_local"), "uses only\n  @0: written\n");
}

TEST_F(arguments, indirect_and_looping_accesses_are_not_described) {
  EXPECT_THAT(of("usm_gather"), ::testing::HasSubstr("  @8: read\n"));
  EXPECT_THAT(of("usm_scatter"), ::testing::HasSubstr("  @0: written\n"));
  EXPECT_THAT(of("usm_loop"), ::testing::HasSubstr("  @8: read\n"));
  EXPECT_THAT(of("usm_walk"), ::testing::HasSubstr("  @8: read\n"));
}

TEST_F(arguments, a_pointer_chosen_of_two_counts_for_both) {
  EXPECT_EQ(of("usm_select"), "uses only\n  @0: written\n  @8: written\n");
}

TEST_F(arguments, a_pointer_that_is_stored_is_unknown) {
  EXPECT_THAT(of("usm_escape"), ::testing::HasSubstr("  @8: unknown read written\n"));
}

TEST_F(arguments, memory_reached_through_memory_is_other_memory) {
  EXPECT_THAT(of("usm_chase"), ::testing::StartsWith("uses, other memory\n"));
  EXPECT_THAT(of("usm_list"), ::testing::StartsWith("uses, other memory\n"));
  EXPECT_THAT(of("usm_global_variable"), ::testing::StartsWith("uses, other memory\n"));
}

TEST_F(arguments, a_pointer_made_of_a_number_leaves_nothing_known) {
  EXPECT_EQ(of("usm_number"), "nothing known\n");
}

TEST_F(arguments, atomic_and_volatile_accesses_are_not_element_wise) {
  EXPECT_EQ(of("usm_atomic"),
            "uses only\n"
            "  @0: read written\n"
            "  @8: written, 4 bytes at 4*id.x\n");
  EXPECT_EQ(of("usm_volatile"), "uses only\n  @0: written\n");
}

TEST_F(arguments, math_functions_touch_no_memory) {
  EXPECT_THAT(of("usm_math"), ::testing::StartsWith("uses only\n"));
}

TEST_F(arguments, accessors_are_described_with_their_offsets_and_extents) {
  EXPECT_EQ(of("lambda 0"),
            "uses only\n"
            "  @0: written, 4 bytes at 4*u64@16 + 4*id.x\n"
            "  @40: read, 4 bytes at 4*u64@56 + 4*id.x\n");
  EXPECT_EQ(of("lambda 2"),
            "uses only\n"
            "  @0: written, 4 bytes at 4*u64@24*u64@40 + 4*u64@32 + 4*u64@40*id.y + 4*id.x\n"
            "  @64: read, 4 bytes at 4*u64@88*u64@104 + 4*u64@96 + 4*u64@104*id.y + 4*id.x\n");
  EXPECT_THAT(of("lambda 3"), ::testing::HasSubstr("4 bytes at 4 + 4*u64@88*u64@104"));
  EXPECT_EQ(of("lambda 4"), of("lambda 5"));
  EXPECT_THAT(of("lambda 4"),
              ::testing::HasSubstr("8*u64@56*u64@64*id.z + 8*u64@64*id.y + 8*id.x"));
  EXPECT_THAT(of("lambda 6"), ::testing::HasSubstr("4*u64@40*id.x + 4*id.y"));
}

TEST_F(arguments, an_accessor_that_is_only_read_is_said_to_be_read) {
  EXPECT_THAT(of("lambda 7"),
              ::testing::HasSubstr("  @40: read, 4 bytes at 28 + 4*u64@56 + -4*id.x\n"));
}

TEST_F(arguments, local_memory_is_the_work_groups_own) {
  EXPECT_EQ(of("lambda 8"),
            "uses only\n"
            "  @0:\n"
            "  @16: read, 4 bytes at 4*u64@32 + 4*id.x + 4*offset.x\n"
            "  @56: written, 4 bytes at 4*u64@72 + 4*id.x + 4*offset.x\n");
}

TEST_F(arguments, a_table_in_the_function_object_does_not_hide_its_pointers) {
  EXPECT_THAT(of("lambda 9"), ::testing::StartsWith("uses only\n  @0: written, 4 bytes at"));
}

}  // namespace
