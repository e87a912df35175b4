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
      std::string list;
      llvm::raw_string_ostream list_out(list);
      print_accesses(list_out, uses[i]);
      std::string operations;
      llvm::raw_string_ostream operations_out(operations);
      print_operations(operations_out, uses[i]);
      const std::string& name = kernels[i].name;
      const auto usm = name.find("::usm_");
      const std::string key = usm != std::string::npos
                                  ? name.substr(usm + 2, name.rfind('>') - usm - 2)
                                  : "lambda " + std::to_string(lambda++);
      said_[key] = text;
      listed_[key] = list;
      counted_[key] = operations;
    }
  }
  static const std::string& of(const std::string& name) {
    static const std::string missing = "no such kernel";
    const auto at = said_.find(name);
    return at == said_.end() ? missing : at->second;
  }

  static const std::string& list_of(const std::string& name) {
    static const std::string missing = "no such kernel";
    const auto at = listed_.find(name);
    return at == listed_.end() ? missing : at->second;
  }

  static const std::string& count_of(const std::string& name) {
    static const std::string missing = "no such kernel";
    const auto at = counted_.find("usm_counts_" + name);
    return at == counted_.end() ? missing : at->second;
  }

  static std::map<std::string, std::string> said_, listed_, counted_;
};
std::map<std::string, std::string> arguments::said_, arguments::listed_, arguments::counted_;

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

class accesses : public arguments {};

TEST_F(accesses, of_a_stencil_are_made_by_who_is_inside) {
  EXPECT_EQ(list_of("usm_shape_inside"),
            "@0:\n"
            "  written 4 bytes at 4*id.x where 1*id.x != 0 and 1*id.x below -1 + 1*u64@32\n"
            "@8:\n"
            "  read 4 bytes at -4 + 4*id.x where 1*id.x != 0 and 1*id.x below -1 + 1*u64@32\n"
            "  read 4 bytes at 4 + 4*id.x where 1*id.x != 0 and 1*id.x below -1 + 1*u64@32\n");
  EXPECT_THAT(list_of("usm_shape_inside_int"),
              ::testing::HasSubstr("  written 4 bytes at 4*s32@40*id.y + 4*id.x where 1*id.y > 0 "
                                   "and -1 + 1*s32@40 > 1*id.y, narrow\n"));
}

TEST_F(accesses, next_to_each_other_are_one) {
  EXPECT_THAT(list_of("usm_shape_window"),
              ::testing::HasSubstr("@8:\n  read 28 bytes at -12 + 4*id.x\n"));
  EXPECT_EQ(list_of("usm_pairs"), "@0:\n  written 8 bytes at 8*id.x\n");
}

TEST_F(accesses, in_loops_have_their_rounds) {
  EXPECT_THAT(list_of("usm_loop"),
              ::testing::HasSubstr("  read 4 bytes at 4*u64@32*id.x, each of -1 + 1*u64@32 + 1 "
                                   "rounds 4 further where 1*u64@32 != 0\n"));
  EXPECT_THAT(list_of("usm_shape_column"),
              ::testing::HasSubstr("  read 4 bytes at 4*id.x, each of -1 + 1*u64@24 + 1 rounds "
                                   "4*u64@32 further where 1*u64@24 != 0\n"));
  EXPECT_THAT(list_of("usm_shape_stride"),
              ::testing::HasSubstr("each of (-1 + 1*u64@32) / 4 + 1 rounds 16 further"));
  EXPECT_THAT(list_of("usm_shape_backwards"),
              ::testing::HasSubstr("  read 4 bytes at -4 + 4*u64@32, each of -1 + 1*u64@32 + 1 "
                                   "rounds -4 further where 1*u64@32 > 0\n"));
  EXPECT_THAT(list_of("usm_shape_int_loop"),
              ::testing::HasSubstr("rounds 4 further where 1*s32@40 > 0, narrow\n"));
}

TEST_F(accesses, through_a_pointer_that_moves_are_those_of_its_rounds) {
  EXPECT_THAT(list_of("usm_shape_pointer"),
              ::testing::HasSubstr("  read 4 bytes at 4*u64@32*id.x, each of"));
}

TEST_F(accesses, of_a_loop_that_may_end_early_are_possible) {
  EXPECT_THAT(list_of("usm_shape_search"), ::testing::HasSubstr("@8:\n  maybe read 4 bytes at 0"));
  EXPECT_THAT(list_of("usm_walk"), ::testing::HasSubstr("@8: not listed: "));
}

TEST_F(accesses, of_a_number_of_rounds_that_differs_have_that_number) {
  EXPECT_THAT(list_of("usm_shape_triangle"),
              ::testing::HasSubstr("\n  read 4 bytes at 0, each of 1 + 1*id.x rounds 4 further\n"));
}

TEST_F(accesses, at_one_of_two_places_have_the_condition_that_chooses) {
  EXPECT_THAT(list_of("usm_shape_ring"),
              ::testing::HasSubstr("  read 4 bytes at -4 + 4*id.x where 1*id.x != 0\n"));
  EXPECT_THAT(list_of("usm_shape_clamped"), ::testing::Not(::testing::HasSubstr("not listed")));
  EXPECT_EQ(list_of("usm_select"),
            "@0:\n"
            "  written 4 bytes at 4*id.x where 1*s32@40 > 3\n"
            "@8:\n"
            "  written 4 bytes at 4*id.x where 3 >= 1*s32@40\n");
}

TEST_F(accesses, of_groups_and_of_items_in_them_are_told_apart) {
  EXPECT_THAT(list_of("usm_shape_sums"),
              ::testing::HasSubstr("@0:\n  written 4 bytes at 4*group.x where 1*id.x + "
                                   "-1*group.x*local_size.x >= 0 and 0 >= 1*id.x"));
  EXPECT_THAT(list_of("usm_shape_tile"),
              ::testing::HasSubstr("  written 4 bytes at 4*u64@32*group.x + 4*id.x + "
                                   "-4*group.x*local_size.x\n"));
}

TEST_F(accesses, that_depend_on_data_are_possible_or_not_listed) {
  EXPECT_THAT(list_of("usm_shape_data"),
              ::testing::HasSubstr("  maybe written 4 bytes at 4*id.x\n"));
  EXPECT_THAT(list_of("usm_gather"), ::testing::HasSubstr("@8: not listed: "));
}

TEST_F(accesses, that_are_not_listed_have_a_reason) {
  EXPECT_THAT(list_of("usm_gather"), ::testing::HasSubstr("not listed: a place that depends on the "
                                                          "result of fptoui\n"));
  EXPECT_THAT(list_of("usm_cancelled"),
              ::testing::HasSubstr("not listed: an index that is computed with 32 bits"));
  EXPECT_THAT(list_of("usm_walk"),
              ::testing::HasSubstr("not listed: a loop of which nobody knows"));
  EXPECT_THAT(list_of("usm_escape"),
              ::testing::HasSubstr("not listed: a pointer that is not followed\n"));
}

TEST_F(accesses, of_accessors_count_in_rows_of_the_buffer) {
  EXPECT_THAT(list_of("lambda 10"), ::testing::Not(::testing::HasSubstr("not listed")));
  EXPECT_THAT(list_of("lambda 10"), ::testing::Not(::testing::HasSubstr("maybe")));
  EXPECT_THAT(list_of("lambda 11"), ::testing::HasSubstr("rounds 4 further where"));
}

class operations : public arguments {};

TEST_F(operations, of_a_straight_line_are_counted_by_what_they_take) {
  EXPECT_EQ(count_of("triad"), "operations:\n  2 simple\n");
  EXPECT_EQ(count_of("kinds"), "operations:\n  3 simple + 2 divisions + 1 functions\n");
  EXPECT_EQ(count_of("nothing"), "operations:\n");
}

TEST_F(operations, of_loops_are_done_in_each_round) {
  EXPECT_EQ(count_of("loop"),
            "operations:\n  2 simple, each of -1 + 1*u64@32 + 1 rounds where 1*u64@32 != 0\n");
  EXPECT_EQ(count_of("nest"),
            "operations:\n"
            "  1 simple, each of -1 + 1*u32@40 + 1 rounds, each of -1 + 1*u64@24 + 1 rounds where "
            "1*s32@40 > 0 and 1*u64@24 != 0\n");
  EXPECT_THAT(count_of("triangle"), ::testing::HasSubstr("  1 simple, each of 1 + 1*id.x rounds"));
}

TEST_F(operations, behind_a_question_are_those_of_who_meets_it) {
  EXPECT_EQ(count_of("inside"),
            "operations:\n  1 simple where 1*id.x != 0 and 1*id.x below -1 + 1*u64@32\n");
}

TEST_F(operations, that_find_places_are_not_counted) {
  EXPECT_EQ(count_of("integers"), "operations:\n  3 simple\n");
}

TEST_F(operations, of_which_nobody_knows_how_often_leave_nothing_known) {
  EXPECT_EQ(count_of("data"), "operations: not known\n");
  EXPECT_EQ(count_of("search"), "operations: not known\n");
  EXPECT_EQ(count_of("unknown"), "operations: not known\n");
}

class reductions : public arguments {};

TEST_F(reductions, by_atomics_have_their_operation) {
  EXPECT_EQ(list_of("usm_reduces_atomics"),
            "@0:\n"
            "  read written for add 4 bytes at 0\n"
            "  read written for add 4 bytes at 4\n"
            "  read written for and 4 bytes at 16\n"
            "  read written for or 4 bytes at 20\n"
            "  read written for xor 4 bytes at 24\n"
            "  read written for minimum 4 bytes at 8\n"
            "  read written for maximum 4 bytes at 12\n"
            "@8:\n"
            "  read written for unsigned minimum 4 bytes at 4 + 8*id.x\n"
            "  read written for unsigned maximum 4 bytes at 8*id.x\n"
            "@16:\n"
            "  read written for float add 4 bytes at 4*id.x\n");
}

TEST_F(reductions, whose_old_value_is_looked_at_are_none) {
  EXPECT_THAT(list_of("usm_reduces_and_looks"), ::testing::Not(::testing::HasSubstr("for ")));
  EXPECT_THAT(list_of("usm_reduces_for_two"), ::testing::Not(::testing::HasSubstr("for ")));
}

TEST_F(reductions, in_place_need_no_atomics) {
  EXPECT_THAT(list_of("usm_reduces_in_place"),
              ::testing::HasSubstr("@0:\n  written 4 bytes at 4*id.x\n"
                                   "  read for float add 4 bytes at 4*id.x\n"));
  EXPECT_THAT(list_of("usm_reduces_or_writes"), ::testing::HasSubstr("read for float add 4 bytes"));
}

TEST_F(reductions, end_where_they_began_and_by_one_operation_alone) {
  EXPECT_THAT(list_of("usm_reduces_to_an_end"), ::testing::Not(::testing::HasSubstr("for ")));
  EXPECT_THAT(list_of("usm_reduces_elsewhere"), ::testing::Not(::testing::HasSubstr("for ")));
  EXPECT_THAT(list_of("usm_reduces_behind_another"), ::testing::Not(::testing::HasSubstr("for ")));
}

}  // namespace
