// SPDX-License-Identifier: Apache-2.0
// The way from a device module to images, of a target that only notes which steps it is asked for. Its tool is sort(1).
#include <gtest/gtest.h>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <pianola/compiler/device_target.hpp>
#include <string>
#include <vector>

namespace pianola::compiler {
namespace {

using words = std::vector<std::string>;

class noting_target final : public device_target {
 public:
  explicit noting_target(const options& chosen, std::vector<architecture> for_all)
      : device_target(chosen, {"unit.cpp", "", "", "", "", ""}, std::move(for_all)) {}

  words asked;
  std::string fails_at;
  const char* tool = "/usr/bin/sort";
  bool keeps = false;

  bool lower(llvm::Module& module, llvm::ArrayRef<kernel> kernels) override {
    for (const kernel& k : kernels) {
      EXPECT_EQ(k.body->getParent(), &module);
      k.body->setName("lowered");
    }
    return note("lower");
  }
  bool optimise(llvm::Module& module) override {
    EXPECT_NE(module.getFunction("lowered"), nullptr);
    return note("optimise");
  }
  bool check(const llvm::Module&) override { return note("check"); }
  std::optional<std::string> emit(llvm::Module& module, std::size_t architecture) override {
    EXPECT_NE(module.getFunction("lowered"), nullptr);
    module.getFunction("lowered")->setName("emitted");
    if (!note("emit " + std::to_string(architecture))) return std::nullopt;
    return "b\na" + std::to_string(architecture) + "\n";
  }
  std::unique_ptr<tool_run> link(const std::string& emitted, std::size_t architecture) override {
    if (!note("link " + std::to_string(architecture))) return nullptr;
    return std::make_unique<tool_run>(tool, llvm::ArrayRef<llvm::StringRef>(),
                                      tool_run::files{"in", "out"}, emitted);
  }
  void report_failure(const tool_run&, std::size_t architecture, llvm::LLVMContext&) override {
    note("failed " + std::to_string(architecture));
  }
  void tell(const tool_run&, std::size_t architecture, const llvm::Module& module) override {
    EXPECT_EQ(module.getFunction("lowered") != nullptr, keeps_module());
    note("tell " + std::to_string(architecture));
  }
  [[nodiscard]] bool keeps_module() const override {
    return keeps || device_target::keeps_module();
  }

 private:
  bool note(const std::string& step) {
    asked.push_back(step);
    return step != fails_at;
  }
};

class device_targets : public testing::Test {
 protected:
  device_targets() : module_("device", context_) {
    kernels_.emplace_back().body =
        llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context_), false),
                               llvm::GlobalValue::ExternalLinkage, "body", module_);
    llvm::IRBuilder<>(llvm::BasicBlock::Create(context_, "", kernels_[0].body)).CreateRetVoid();
  }

  llvm::LLVMContext context_;
  llvm::Module module_;
  std::vector<kernel> kernels_;
  options chosen_;
};

TEST_F(device_targets, do_their_steps_in_order_on_a_copy) {
  noting_target target(chosen_, {{"one", "one"}});
  const auto images = compile(module_, kernels_, target);
  EXPECT_EQ(target.asked, (words{"lower", "optimise", "check", "emit 0", "link 0", "tell 0"}));
  ASSERT_TRUE(images && images->size() == 1);
  EXPECT_EQ(images->front().architecture, "one");
  EXPECT_EQ(images->front().bytes, "a0\nb\n");
  EXPECT_NE(module_.getFunction("body"), nullptr);
}

TEST_F(device_targets,
       prepare_once_for_several_architectures_and_start_all_tools_before_they_wait) {
  noting_target target(chosen_, {{"one", "one"}, {"two", "two"}});
  const auto images = compile(module_, kernels_, target);
  EXPECT_EQ(target.asked, (words{"lower", "optimise", "check", "emit 0", "link 0", "emit 1",
                                 "link 1", "tell 0", "tell 1"}));
  ASSERT_TRUE(images && images->size() == 2);
  EXPECT_EQ((*images)[1].architecture, "two");
  EXPECT_EQ((*images)[1].bytes, "a1\nb\n");
}

TEST_F(device_targets, keep_what_was_checked_where_that_is_asked_for) {
  noting_target target(chosen_, {{"one", "one"}});
  target.keeps = true;
  EXPECT_TRUE(compile(module_, kernels_, target));
}

TEST_F(device_targets, end_at_the_first_step_that_fails) {
  const words all{"lower", "optimise", "check", "emit 0", "link 0"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    noting_target target(chosen_, {{"one", "one"}});
    target.fails_at = all[i];
    EXPECT_FALSE(compile(module_, kernels_, target)) << all[i];
    EXPECT_EQ(target.asked, words(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i) + 1));
  }
}

TEST_F(device_targets, report_each_tool_that_fails) {
  noting_target target(chosen_, {{"one", "one"}, {"two", "two"}});
  target.tool = "/usr/bin/false";
  EXPECT_FALSE(compile(module_, kernels_, target));
  EXPECT_EQ(target.asked, (words{"lower", "optimise", "check", "emit 0", "link 0", "emit 1",
                                 "link 1", "failed 0", "failed 1"}));
}

}  // namespace
}  // namespace pianola::compiler
