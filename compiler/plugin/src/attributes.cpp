// SPDX-License-Identifier: Apache-2.0
// SYCL's kernel attributes, for a clang that knows none of them.
//
// A kernel attribute may stand before a declaration ([[sycl::reqd_sub_group_size(8)]] void
// operator()(...) const) or, on a lambda before C++23 always, behind the parameters, where it belongs
// to the function's type. Clang offers plugins the first position only; in the second, an attribute
// of a plugin is an error. Hence three parts:
//  - the attributes are registered with the kind of clang::annotate_type, the one type attribute that
//    carries arbitrary values through type checking and templates;
//  - that attribute wants its name as first argument, which the token watcher puts there:
//    [[sycl::x(8)]] becomes [[sycl::x("pianola.x", 8)]] between lexer and parser. Where the arguments are
//    no numbers it calls what makes one of them: [[sycl::device_has("pianola.device_has", mask(...))]];
//  - a consumer that sees each declaration before code generation does turns type annotations into
//    annotations of the function, the same as those of the first position, and checks their values.
// What comes out is one `annotate` attribute per kernel attribute in llvm.global.annotations, on
// the function (mostly an operator()) that the kernel's body calls.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/ASTLambda.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/ParsedAttrInfo.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/ParsedAttr.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>

namespace {

// Known by the passes under the same names.
constexpr llvm::StringLiteral prefix = "pianola.";

bool is_attribute_name(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Case("reqd_sub_group_size", true)
      .Case("reqd_work_group_size", true)
      .Case("work_group_size_hint", true)
      .Case("device_has", true)
      .Default(false);
}

// What is called with an attribute's arguments, which are no integers. Empty: they are.
llvm::StringRef wrapper_of(llvm::StringRef name) {
  return name == "device_has" ? "::pianola::glue::mask_of_aspects" : "";
}

bool is_attribute_scope(llvm::StringRef scope) { return scope == "sycl" || scope == "intel"; }

// Set when a translation unit uses an attribute, so that all others pay nothing.
bool attribute_seen = false;

unsigned error_id(clang::Sema& s, const std::string& text) {
  return s.Diags.getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Error, text);
}

clang::AnnotateAttr* annotation(const clang::Decl* d, llvm::StringRef name) {
  for (auto* a : d->specific_attrs<clang::AnnotateAttr>())
    if (a->getAnnotation() == name) return a;
  return nullptr;
}

// Scope and name are both spellings: the parser asks for the bare name, the rest of clang for the
// full one.
template <const char* Name, const char* SyclName, const char* IntelName>
struct kernel_attribute : clang::ParsedAttrInfo {
  kernel_attribute() : ParsedAttrInfo(clang::AttributeCommonInfo::AT_AnnotateType) {
    OptArgs = 15;  // any number; checked with the values
    static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, SyclName},
                                             {clang::ParsedAttr::AS_CXX11, IntelName},
                                             {clang::ParsedAttr::AS_CXX11, Name}};
    Spellings = spellings;
  }

  bool diagAppertainsToDecl(clang::Sema& s, const clang::ParsedAttr& a,
                            const clang::Decl* d) const override {
    if (llvm::isa<clang::FunctionDecl, clang::FunctionTemplateDecl>(d)) return true;
    s.Diag(a.getLoc(), error_id(s, "'sycl::" + std::string(Name) +
                                       "' is an attribute of functions: write it before the "
                                       "kernel's operator() or behind its parameters"));
    return false;
  }

  AttrHandling handleDeclAttribute(clang::Sema& s, clang::Decl* d,
                                   const clang::ParsedAttr& a) const override {
    if (a.getNumArgs() == 0) {  // not even the inserted name: there are no parentheses
      s.Diag(a.getLoc(),
             error_id(s, "'sycl::" + std::string(Name) + "' needs arguments in parentheses"));
      return AttributeNotApplied;
    }
    llvm::SmallVector<clang::Expr*, 4> arguments;
    for (unsigned i = 1; i < a.getNumArgs(); ++i) arguments.push_back(a.getArgAsExpr(i));
    if (!s.ConstantFoldAttrArgs(a, arguments)) return AttributeNotApplied;
    d->addAttr(clang::AnnotateAttr::Create(s.Context, (prefix + Name).str(), arguments.data(),
                                           static_cast<unsigned>(arguments.size()), a.getRange()));
    return AttributeApplied;
  }
};

#define PIANOLA_ATTRIBUTE(name)                                 \
  constexpr char name##_bare[] = #name;                         \
  constexpr char name##_sycl[] = "sycl::" #name;                \
  constexpr char name##_intel[] = "intel::" #name;              \
  const clang::ParsedAttrInfoRegistry::Add<                     \
      kernel_attribute<name##_bare, name##_sycl, name##_intel>> \
      name##_registration("pianola-" #name, "SYCL kernel attribute")

PIANOLA_ATTRIBUTE(reqd_sub_group_size);
PIANOLA_ATTRIBUTE(reqd_work_group_size);
PIANOLA_ATTRIBUTE(work_group_size_hint);
PIANOLA_ATTRIBUTE(device_has);
#undef PIANOLA_ATTRIBUTE

// A hint that changes nothing. Its argument, a type, is parsed by clang, which knows the name from OpenCL.
struct vec_type_hint : clang::ParsedAttrInfo {
  vec_type_hint() : ParsedAttrInfo(clang::AttributeCommonInfo::IgnoredAttribute) {
    static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, "sycl::vec_type_hint"},
                                             {clang::ParsedAttr::AS_CXX11, "vec_type_hint"}};
    Spellings = spellings;
  }
};
const clang::ParsedAttrInfoRegistry::Add<vec_type_hint> vec_type_hint_registration(
    "pianola-vec_type_hint", "SYCL kernel attribute");

// Sees every token on its way to the parser and puts the name behind the opening parenthesis of an
// attribute: scope::name( or, in [[using scope: ...]], name(.
class name_inserter {
 public:
  explicit name_inserter(clang::Preprocessor& preprocessor) : preprocessor_(preprocessor) {}

  void operator()(const clang::Token& token) {
    switch (token.getKind()) {
      case clang::tok::kw_using:
        last_ = seen::using_keyword;
        return;
      case clang::tok::coloncolon:
        last_ = last_ == seen::scope ? seen::scope_and_colons : seen::nothing;
        return;
      case clang::tok::colon:
        in_using_ = last_ == seen::using_scope;
        last_ = seen::nothing;
        return;
      case clang::tok::r_square:
        in_using_ = false;
        last_ = seen::nothing;
        return;
      case clang::tok::l_paren:
        if (wrapped_) ++depth_;
        if (last_ == seen::name) insert_name(token.getLocation());
        last_ = seen::nothing;
        return;
      case clang::tok::r_paren:
        if (wrapped_ && --depth_ == 0) close_wrapper(token.getLocation());
        last_ = seen::nothing;
        return;
      case clang::tok::identifier:
        see(token.getIdentifierInfo()->getName());
        return;
      default:
        last_ = seen::nothing;
    }
  }

 private:
  enum class seen { nothing, using_keyword, using_scope, scope, scope_and_colons, name };

  void see(llvm::StringRef identifier) {
    if ((last_ == seen::scope_and_colons || in_using_) && is_attribute_name(identifier)) {
      name_ = identifier;
      last_ = seen::name;
    } else if (is_attribute_scope(identifier)) {
      last_ = last_ == seen::using_keyword ? seen::using_scope : seen::scope;
    } else {
      last_ = seen::nothing;
    }
  }

  void insert_name(clang::SourceLocation at) {
    attribute_seen = true;
    llvm::SmallVector<clang::Token, 10> tokens;
    add(tokens, clang::tok::string_literal, at);
    preprocessor_.CreateString(("\"" + prefix + name_ + "\"").str(), tokens.back(), at, at);
    add(tokens, clang::tok::comma, at);
    llvm::StringRef wrapper = wrapper_of(name_);
    wrapped_ = !wrapper.empty();
    depth_ = 0;
    while (!wrapper.empty()) {
      if (wrapper.consume_front("::")) {
        add(tokens, clang::tok::coloncolon, at);
        continue;
      }
      const llvm::StringRef word = wrapper.take_until([](char c) { return c == ':'; });
      wrapper = wrapper.drop_front(word.size());
      clang::IdentifierInfo* identifier = preprocessor_.getIdentifierInfo(word);
      add(tokens, identifier->getTokenID(), at);
      tokens.back().setIdentifierInfo(identifier);
    }
    if (wrapped_) add(tokens, clang::tok::l_paren, at);  // comes by here, too
    enter(tokens);
  }

  // The arguments' last parenthesis has closed the wrapper.
  void close_wrapper(clang::SourceLocation at) {
    wrapped_ = false;
    llvm::SmallVector<clang::Token, 10> tokens;
    add(tokens, clang::tok::r_paren, at);
    enter(tokens);
  }

  static void add(llvm::SmallVectorImpl<clang::Token>& tokens, clang::tok::TokenKind kind,
                  clang::SourceLocation at) {
    tokens.emplace_back();
    tokens.back().startToken();
    tokens.back().setKind(kind);
    tokens.back().setLocation(at);
  }

  void enter(const llvm::SmallVectorImpl<clang::Token>& tokens) {
    auto copy = std::make_unique<clang::Token[]>(tokens.size());
    std::copy(tokens.begin(), tokens.end(), copy.get());
    preprocessor_.EnterTokenStream(std::move(copy), tokens.size(), true, false);
  }

  clang::Preprocessor& preprocessor_;
  seen last_ = seen::nothing;
  bool in_using_ = false;
  bool wrapped_ = false;
  unsigned depth_ = 0;
  llvm::StringRef name_;
};

class annotator : public clang::RecursiveASTVisitor<annotator> {
 public:
  using checked_attributes = llvm::SmallPtrSet<const clang::Attr*, 8>;

  annotator(clang::Sema& s, checked_attributes& checked) : sema_(s), checked_(checked) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl* f) {
    annotate(f);
    if (!f->isDependentContext()) check(f);
    return true;
  }

  // Traversal takes a lambda's parts, not the function they make.
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    return VisitFunctionDecl(lambda->getCallOperator());
  }

 private:
  void annotate(clang::FunctionDecl* f) {
    const clang::TypeSourceInfo* info = f->getTypeSourceInfo();
    if (info == nullptr) return;
    clang::TypeLoc type = info->getTypeLoc();
    llvm::SmallVector<const clang::AnnotateTypeAttr*, 4> found;
    for (;;) {
      if (const auto attributed = type.getAs<clang::AttributedTypeLoc>()) {
        if (const auto* t = llvm::dyn_cast_or_null<clang::AnnotateTypeAttr>(attributed.getAttr()))
          found.push_back(t);
        type = attributed.getModifiedLoc();
      } else if (const auto in_parentheses = type.getAs<clang::ParenTypeLoc>()) {
        type = in_parentheses.getInnerLoc();
      } else {
        break;
      }
    }
    for (const auto* t : found) {
      annotate(f, t);
      for (const auto* other : found)
        if (t != other && t->getAnnotation() == other->getAnnotation() &&
            t->getLocation() < other->getLocation() && checked_.insert(other).second)
          refuse(other->getLocation(), quoted(*t) + " is given twice");
    }
    if (found.size() > 1 && clang::isLambdaCallOperator(f) && f->isDependentContext())
      take_off(f, type);
  }

  // Clang 19 crashes where it instantiates a lambda whose type has more than one attribute. By now the function has them.
  // (The type as written has no deduced return type: the function keeps its own outside of templates.)
  void take_off(clang::FunctionDecl* f, clang::TypeLoc without) {
    clang::TypeSourceInfo* plain = sema_.Context.CreateTypeSourceInfo(without.getType());
    plain->getTypeLoc().initializeFullCopy(without);
    f->setType(without.getType());
    f->setTypeSourceInfo(plain);
  }

  // Templates get theirs before they are instantiated, and instantiation fills in the arguments.
  void annotate(clang::FunctionDecl* f, const clang::AnnotateTypeAttr* t) {
    if (!t->getAnnotation().starts_with(prefix) || annotation(f, t->getAnnotation()) != nullptr)
      return;
    llvm::SmallVector<clang::Expr*, 4> arguments(t->args_begin(), t->args_end());
    f->addAttr(clang::AnnotateAttr::CreateImplicit(
        sema_.Context, t->getAnnotation(), arguments.data(),
        static_cast<unsigned>(arguments.size()), t->getRange()));
  }

  void refuse(clang::SourceLocation at, const std::string& text) {
    sema_.Diag(at, error_id(sema_, text));
  }

  void check(const clang::FunctionDecl* f) {
    for (const auto* a : f->specific_attrs<clang::AnnotateAttr>())
      if (a->getAnnotation().starts_with(prefix) &&
          is_attribute_name(a->getAnnotation().drop_front(prefix.size())) &&
          checked_.insert(a).second)
        check(f, a);
  }

  template <class Attribute>
  static std::string quoted(const Attribute& a) {
    return "'sycl::" + a.getAnnotation().drop_front(prefix.size()).str() + "'";
  }

  void check(const clang::FunctionDecl* f, const clang::AnnotateAttr* a) {
    const std::string name = quoted(*a);
    const bool sub_group = a->getAnnotation().ends_with("sub_group_size");
    const bool sizes = a->getAnnotation().contains("group_size");
    if (sizes && (a->args_size() == 0 || a->args_size() > (sub_group ? 1U : 3U)))
      return refuse(a->getLocation(),
                    name + (sub_group ? " takes one argument" : " takes one to three arguments"));
    for (const auto* other : f->specific_attrs<clang::AnnotateAttr>())
      if (other != a && other->getAnnotation() == a->getAnnotation() &&
          a->getLocation() < other->getLocation())
        return refuse(other->getLocation(), name + " is given twice");
    for (const clang::Expr* e : a->args()) {
      if (e->isValueDependent())
        return refuse(a->getLocation(),
                      name +
                          " cannot be evaluated here: its argument depends on a template that is "
                          "being instantiated");
      clang::Expr::EvalResult value;
      if (!e->EvaluateAsInt(value, sema_.Context))
        return refuse(a->getLocation(), name + " needs integral constants");
      const llvm::APSInt& number = value.Val.getInt();
      if (!sizes) continue;
      if (number.isNegative() || number.isZero())
        return refuse(a->getLocation(), name + " needs sizes of at least 1");
      // Sizes that no device has are refused when the kernel is submitted.
      if (number.getActiveBits() > 64)
        return refuse(a->getLocation(), name + " needs sizes of at most 64 bits");
    }
  }

  clang::Sema& sema_;
  checked_attributes& checked_;
};

class attribute_consumer : public clang::SemaConsumer {
 public:
  void InitializeSema(clang::Sema& s) override { sema_ = &s; }
  void ForgetSema() override { sema_ = nullptr; }

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    if (!attribute_seen || sema_ == nullptr) return true;
    for (clang::Decl* d : group) annotator(*sema_, checked_).TraverseDecl(d);
    return true;
  }

 private:
  clang::Sema* sema_ = nullptr;
  annotator::checked_attributes checked_;
};

class attribute_action : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    attribute_seen = false;
    compiler.getPreprocessor().setTokenWatcher(name_inserter(compiler.getPreprocessor()));
    return std::make_unique<attribute_consumer>();
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<attribute_action> action_registration(
    "pianola-attributes", "SYCL kernel attributes");

}  // namespace
