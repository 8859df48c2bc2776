// Every tidy rule fails on a bad sample and leaves the good one next to it alone.
#include "tidy/rules.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Lines = std::vector<std::size_t>;

Lines lines(const std::vector<Finding>& findings) {
  Lines found;
  for (const Finding& finding : findings) found.push_back(finding.line);
  return found;
}

std::string repeat(std::size_t times, std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::vector<Finding> banned(std::string_view code, std::string path = "src/plan/x.cpp") {
  return check_banned(scan(std::move(path), code));
}

TEST(Scan, BlanksCommentsStringsAndCharacters) {
  const auto file = scan("x.cpp",
                         "int a = 1'000;  // new\n"
                         "/* new\n"
                         "   new */ f(\"new \\\" new\", '\"');\n"
                         "const char* raw = R\"x(new \")\" new)x\"; g();\n"
                         "#include \"base/new.hpp\"\n");
  ASSERT_EQ(file.code.size(), file.text.size());
  EXPECT_EQ(file.code[0], "int a = 1'000;        ");
  EXPECT_EQ(file.code[1], "      ");
  EXPECT_EQ(file.code[2], "          f(\"          \", ' ');");
  EXPECT_EQ(file.code[3].find("new"), std::string::npos);
  EXPECT_TRUE(file.code[3].ends_with("; g();"));
  EXPECT_EQ(file.code[4], file.text[4]);
}

TEST(Layers, AnUpwardOrSidewardIncludeIsFound) {
  const auto check = [](std::string path, std::string_view code) {
    return check_layers(scan(std::move(path), code));
  };
  EXPECT_THAT(check("src/graph/x.cpp", "#include \"base/time.hpp\"\n#include \"plan/job.hpp\"\n"),
              ElementsAre(Finding{"src/graph/x.cpp", 2, "graph must not include plan"}));
  EXPECT_THAT(lines(check("src/profile/x.hpp", "#include \"jobspec/jobspec.hpp\"\n")),
              ElementsAre(1));
  EXPECT_THAT(lines(check("src/base/x.hpp", "#  include \"graph/shape.hpp\"\n")), ElementsAre(1));
  EXPECT_THAT(lines(check("src/flux/x.cpp", "#include \"cli/common.hpp\"\n")), ElementsAre(1));
  EXPECT_THAT(lines(check("src/plan/x.cpp", "#include \"job.hpp\"\n")), ElementsAre(1));
  EXPECT_THAT(lines(check("src/util/x.cpp", "int a;\n")), ElementsAre(0));
  EXPECT_THAT(check("src/cli/x.cpp", "#include \"emul/a.hpp\"\n#include \"base/b.hpp\"\n"),
              IsEmpty());
  EXPECT_THAT(check("src/graph/x.cpp", "// #include \"plan/job.hpp\"\n#include <plan/y>\n"),
              IsEmpty());
  EXPECT_THAT(lines(check("src/graph/x.cpp", "#include <plan/job.hpp>\n")), ElementsAre(1));
  EXPECT_THAT(check("src/graph/x.cpp", "#include <boost/json.hpp>\n#include <flux/core.h>\n"),
              IsEmpty());
  EXPECT_THAT(check("tests/base/x.cpp", "#include \"plan/job.hpp\"\n"), IsEmpty());
}

TEST(Sizes, LongFilesLinesAndFunctionsAreFound) {
  const auto check = [](std::string path, std::string_view code) {
    return lines(check_sizes(scan(std::move(path), code)));
  };
  EXPECT_THAT(check("x.hpp", repeat(kMaxHeaderLines, "int a;\n")), IsEmpty());
  EXPECT_THAT(check("x.hpp", repeat(kMaxHeaderLines + 1, "int a;\n")), ElementsAre(0));
  EXPECT_THAT(check("x.cpp", repeat(kMaxSourceLines, "int a;\n")), IsEmpty());
  EXPECT_THAT(check("x.cpp", repeat(kMaxSourceLines + 1, "int a;\n")), ElementsAre(0));
  EXPECT_THAT(check("x.cpp", "\n" + repeat(kMaxColumns, "ƒ") + "\n"), IsEmpty());
  EXPECT_THAT(check("x.cpp", "\n" + repeat(kMaxColumns + 1, "x") + "\n"), ElementsAre(2));
}

TEST(Sizes, AFunctionIsMeasuredFromItsDeclarationToItsBrace) {
  const auto check = [](std::string_view head, std::size_t body) {
    return lines(
        check_sizes(scan("x.cpp", "\n" + std::string(head) + repeat(body, "  a();\n") + "}\n")));
  };
  EXPECT_THAT(check("void f() {\n", kMaxFunctionLines - 2), IsEmpty());
  for (const auto* head :
       {"void f() {\n", "A::A() : a_{1}, b_(2) {\n", "auto f(A a = {}) -> B {\n",
        "template <class T>\nvoid f() noexcept {\n", "namespace n { class A { void f() const {\n",
        "std::vector<int> f() {\n", "TEST(A, b) {\n", "int A::f() const {\n"}) {
    EXPECT_THAT(check(head, kMaxFunctionLines - 1), ElementsAre(2)) << head;
  }
  for (const auto* head : {"namespace n {\n", "struct A : B {\n", "enum class A {\n",
                           "const std::array<int, 3> kA{\n"}) {
    EXPECT_THAT(check(head, kMaxFunctionLines + 9), IsEmpty()) << head;
  }
}

TEST(Header, OpensWithACommentAndThePragma) {
  const auto check = [](std::string path, std::string_view code) {
    return lines(check_header(scan(std::move(path), code)));
  };
  EXPECT_THAT(check("x.hpp", "// A thing.\n//\n#pragma once\nint a;\n"), IsEmpty());
  EXPECT_THAT(check("x.hpp", "#pragma once\nint a;\n"), ElementsAre(1));
  EXPECT_THAT(check("x.hpp", "// A thing.\nint a;\n#pragma once\n"), ElementsAre(0));
  EXPECT_THAT(check("x.hpp", ""), ElementsAre(1, 0));
  EXPECT_THAT(check("x.cpp", "int a;\n"), IsEmpty());
}

TEST(Banned, IsFoundInEveryLayer) {
  for (const auto* code : {"out << std::endl;", "assert(a);", "  assert (a);", "auto* a = new A;",
                           "f(new A());", "::new (a) A;", "new A;", "std::malloc(1);", "delete a;",
                           "  delete[] a;", "if (a) delete a;", "using namespace std;", "goto end;",
                           "void f(const void* a);", "int f(void*, int a);"}) {
    EXPECT_THAT(lines(banned(code)), ElementsAre(1)) << code;
    EXPECT_THAT(lines(banned(code, "src/cli/x.cpp")), ElementsAre(1)) << code;
    EXPECT_THAT(banned(code, "tests/plan/x.cpp"), IsEmpty()) << code;
  }
  for (const auto* code :
       {"static_assert(a);", "A(const A&) = delete;", "A() =delete;", "set_new(new_end, a.news);",
        "namespace a { using b::c; }", "// new: assert(a)", "f(\"delete a\");", "renew();"}) {
    EXPECT_THAT(banned(code), IsEmpty()) << code;
  }
}

TEST(Banned, TheLibraryDoesNotPrint) {
  for (const auto* code :
       {"std::cout << 1;", "std::cerr << 1;", "printf(a);", "std::fprintf(a);", "fputs(a, b);",
        "#include <iostream>", "fmt::print(\"\");", "fmt::print(stderr, a);"}) {
    EXPECT_THAT(lines(banned(code)), ElementsAre(1)) << code;
    EXPECT_THAT(lines(banned(code, "src/emul/x.cpp")), ElementsAre(1)) << code;
    EXPECT_THAT(banned(code, "src/cli/x.cpp"), IsEmpty()) << code;
  }
  EXPECT_THAT(banned("std::snprintf(a, b, c); blueprint(a); fmt::print(*stream_, a);"), IsEmpty());
  EXPECT_THAT(banned("std::fprintf(stderr, a);", "src/base/check.cpp"), IsEmpty());
}

TEST(Banned, TheEngineHasNoClockThreadFileEnvironmentOrRandomness) {
  for (const auto* code : {"std::chrono::steady_clock::now();",
                           "clock_gettime(a, b);",
                           "std::time(a);",
                           "time(nullptr);",
                           "#include <chrono>",
                           "#include \"base/file.hpp\"",
                           "rand();",
                           "std::random_device a;",
                           "std::mt19937_64 a;",
                           "std::thread a;",
                           "std::jthread a;",
                           "std::mutex a;",
                           "std::atomic<int> a;",
                           "thread_local int a;",
                           "#include <mutex>",
                           "sleep_for(a);",
                           "getenv(a);",
                           "std::ifstream a;",
                           "std::filesystem::path a;",
                           "fopen(a, b);",
                           "errno = 1;"}) {
    for (const auto* layer : {"base", "graph", "jobspec", "profile", "match", "plan", "sched"}) {
      EXPECT_THAT(lines(banned(code, fmt::format("src/{}/x.cpp", layer))), ElementsAre(1)) << code;
    }
    EXPECT_THAT(banned(code, "src/flux/x.cpp"), IsEmpty()) << code;
  }
  EXPECT_THAT(banned("submit_time(0); brand(a); runtime(a); int errnum; operand(2);"), IsEmpty());
}

TEST(Text, StraySpacesTabsAndMarksAreFound) {
  const auto check = [](std::string_view code) { return lines(check_text(scan("x.cpp", code))); };
  EXPECT_THAT(check("a; \n\tb;\nc;\r\n// TO"
                    "DO: d\n/* FIX"
                    "ME */\n"),
              ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(check("a;\nb;"), ElementsAre(2));
  EXPECT_THAT(check("a;\n  // to do: nothing; METHODOLOGY\n"), IsEmpty());
}

TEST(DeadFiles, UncompiledSourcesAndUnusedHeadersAreFound) {
  const std::vector<SourceFile> files{scan("src/base/a.hpp", ""),
                                      scan("src/base/b.hpp", ""),
                                      scan("src/base/a.cpp", "#include \"base/a.hpp\"\n"),
                                      scan("src/base/c.cpp", ""),
                                      scan("tests/base/d.cpp", ""),
                                      scan("src/flux/e.cpp", "")};
  const auto findings = check_dead_files(files, {"src/base/a.cpp"});
  EXPECT_THAT(findings,
              ElementsAre(Finding{"src/base/b.hpp", 0, "nobody includes this header"},
                          Finding{"src/base/c.cpp", 0, "no target compiles this file"},
                          Finding{"tests/base/d.cpp", 0, "no target compiles this file"}));
}

}  // namespace
}  // namespace tenure::tidy
