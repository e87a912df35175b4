// SPDX-License-Identifier: Apache-2.0
// Programs that ask the preprocessor whether code is for a device (`__SYCL_DEVICE_ONLY__`, SYCL 2020, 5.6) are parsed a
// second time, with that macro; all others once. The second parse happens within the first, which has seen by its end
// whether the question was asked. What becomes of it: merge_device_pass.hpp.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/ASTReader.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include "options.hpp"

namespace {

constexpr llvm::StringRef macro = "__SYCL_DEVICE_ONLY__";

bool is_second = false;  // the parse that is going on

// Notices whether a condition names the macro.
class question_watcher : public clang::PPCallbacks {
 public:
  question_watcher(const clang::CompilerInstance& compiler, bool& asked)
      : compiler_(compiler), asked_(asked) {}

  void Ifdef(clang::SourceLocation, const clang::Token& name,
             const clang::MacroDefinition&) override {
    look_at(name);
  }
  void Ifndef(clang::SourceLocation, const clang::Token& name,
              const clang::MacroDefinition&) override {
    look_at(name);
  }
  void Elifdef(clang::SourceLocation, const clang::Token& name,
               const clang::MacroDefinition&) override {
    look_at(name);
  }
  void Elifndef(clang::SourceLocation, const clang::Token& name,
                const clang::MacroDefinition&) override {
    look_at(name);
  }
  void Defined(const clang::Token& name, const clang::MacroDefinition&,
               clang::SourceRange) override {
    look_at(name);
  }
  // An unknown name in a condition is 0, which nothing else tells of.
  void If(clang::SourceLocation, clang::SourceRange condition, ConditionValueKind) override {
    look_at(condition);
  }
  void Elif(clang::SourceLocation, clang::SourceRange condition, ConditionValueKind,
            clang::SourceLocation) override {
    look_at(condition);
  }

 private:
  void look_at(const clang::Token& name) {
    const clang::IdentifierInfo* identifier = name.getIdentifierInfo();
    if (identifier != nullptr && identifier->getName() == macro) asked_ = true;
  }

  void look_at(clang::SourceRange condition) {
    if (asked_) return;
    const llvm::StringRef text =
        clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(condition),
                                    compiler_.getSourceManager(), compiler_.getLangOpts());
    if (text.contains(macro)) asked_ = true;
  }

  const clang::CompilerInstance& compiler_;
  bool& asked_;
};

// The files that a parse reads.
class read_files : public clang::DependencyCollector {
 public:
  struct file {
    std::string path;
    bool is_system;
  };
  const std::vector<file>& all() const { return all_; }

  bool needSystemDependencies() override { return true; }
  bool sawDependency(llvm::StringRef path, bool, bool is_system, bool, bool) override {
    all_.push_back({path.str(), is_system});
    return true;
  }

 private:
  std::vector<file> all_;
};

class device_pass_consumer : public clang::ASTConsumer {
 public:
  explicit device_pass_consumer(clang::CompilerInstance& compiler) : compiler_(compiler) {}

  bool& asked() { return asked_; }

  void HandleTranslationUnit(clang::ASTContext&) override {
    using pianola::compiler::device_pass_choice;
    const device_pass_choice choice = pianola::compiler::chosen_device_pass();
    if (choice == device_pass_choice::off || compiler_.getDiagnostics().hasErrorOccurred()) return;
    if (choice == device_pass_choice::on || asked_ || precompiled_header_asks()) parse_again();
  }

 private:
  // What a precompiled header asked was asked when it was made.
  bool precompiled_header_asks() {
    const clang::IntrusiveRefCntPtr<clang::ASTReader> reader = compiler_.getASTReader();
    if (!reader) return false;
    bool found = false;
    for (clang::serialization::ModuleFile& file : reader->getModuleManager())
      reader->visitInputFiles(
          file, true, false, [&](const clang::serialization::InputFile& input, bool) {
            if (found || !input.getFile()) return;
            const auto text = compiler_.getFileManager().getBufferForFile(*input.getFile());
            found = text && (*text)->getBuffer().contains(macro);
          });
    return found;
  }

  void parse_again() {
    auto invocation = std::make_shared<clang::CompilerInvocation>(compiler_.getInvocation());
    prepare(*invocation);
    clang::CompilerInstance second(compiler_.getPCHContainerOperations());
    second.setInvocation(std::move(invocation));
    second.createDiagnostics();
    second.createFileManager(&compiler_.getVirtualFileSystem());
    const auto files = std::make_shared<read_files>();
    second.addDependencyCollector(files);

    clang::EmitLLVMOnlyAction action;
    is_second = true;
    const bool succeeded = second.ExecuteAction(action);
    is_second = false;
    const std::unique_ptr<llvm::Module> module = action.takeModule();
    if (!succeeded || !module || second.getDiagnostics().hasErrorOccurred()) {
      clang::DiagnosticsEngine& report = compiler_.getDiagnostics();
      report.Report(report.getCustomDiagID(
          clang::DiagnosticsEngine::Error,
          "the kernels do not compile where __SYCL_DEVICE_ONLY__ is defined; with "
          "--pianola-device-pass=off they are compiled without it"));
      return;
    }
    for (const read_files::file& f : files->all()) depend_on(f);
    std::string& bitcode = pianola::compiler::device_pass_bitcode();
    bitcode.clear();
    llvm::raw_string_ostream out(bitcode);
    llvm::WriteBitcodeToFile(*module, out);
  }

  // The object file depends on what either parse has read. What writes the list of dependencies takes it for a file that
  // __has_include has found.
  void depend_on(const read_files::file& f) {
    clang::PPCallbacks* listeners = compiler_.getPreprocessor().getPPCallbacks();
    if (const auto entry = compiler_.getFileManager().getOptionalFileRef(f.path))
      listeners->HasInclude({}, f.path, false, entry,
                            f.is_system ? clang::SrcMgr::C_System : clang::SrcMgr::C_User);
  }

  static void prepare(clang::CompilerInvocation& second) {
    clang::PreprocessorOptions& preprocessor = second.getPreprocessorOpts();
    preprocessor.addMacroDef(macro.str() + "=1");
    preprocessor.addMacroDef("__PIANOLA_DEVICE_PASS__=1");
    // A precompiled header was made without the macro; its source is read instead.
    const std::string precompiled = std::exchange(preprocessor.ImplicitPCHInclude, {});
    llvm::StringRef header = precompiled;
    if ((header.consume_back(".pch") || header.consume_back(".gch")) &&
        !llvm::is_contained(preprocessor.Includes, header) && llvm::sys::fs::exists(header))
      preprocessor.Includes.insert(preprocessor.Includes.begin(), header.str());
    preprocessor.PrecompiledPreambleBytes = {0, false};

    clang::FrontendOptions& front_end = second.getFrontendOpts();
    front_end.ProgramAction = clang::frontend::EmitLLVMOnly;
    front_end.OutputFile.clear();
    front_end.DisableFree = false;
    front_end.ShowStats = false;
    front_end.StatsFile.clear();

    clang::CodeGenOptions& code = second.getCodeGenOpts();
    code.DisableLLVMPasses = true;
    code.PassPlugins.clear();
    code.OptRecordFile.clear();
    code.setProfileInstr(clang::CodeGenOptions::ProfileNone);
    code.CoverageMapping = false;

    second.getDependencyOutputOpts() = {};
    clang::DiagnosticOptions& diagnostics = second.getDiagnosticOpts();
    diagnostics.DiagnosticSerializationFile.clear();
    // The first parse has told them.
    diagnostics.IgnoreWarnings = true;
    diagnostics.VerifyDiagnostics = false;
  }

  clang::CompilerInstance& compiler_;
  bool asked_ = false;
};

class device_pass_action : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    if (is_second) return std::make_unique<clang::ASTConsumer>();
    pianola::compiler::device_pass_bitcode().clear();
    auto consumer = std::make_unique<device_pass_consumer>(compiler);
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<question_watcher>(compiler, consumer->asked()));
    return consumer;
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<device_pass_action> action_registration(
    "pianola-device-pass", "a second parse for programs that ask for __SYCL_DEVICE_ONLY__");

}  // namespace
