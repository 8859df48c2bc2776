#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tidy/rules.hpp"

namespace tenure::tidy {
namespace {

namespace fs = std::filesystem;

std::vector<Source> sources() {
  std::vector<Source> all;
  const fs::path root(TENURE_SOURCE_DIR);
  for (const char* folder : {"src", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      all.push_back({fs::relative(entry.path(), root), text.str()});
    }
  }
  return all;
}

TEST(Tidy, EverySourceKeepsTheRules) {
  const auto all = sources();
  ASSERT_GT(all.size(), 50U);
  for (const Source& source : all) {
    for (const std::string& complaint : complaints(source)) {
      ADD_FAILURE() << source.path << ": " << complaint;
    }
  }
}

bool complains(std::string path, std::string text, std::string_view about) {
  for (const std::string& complaint : complaints({std::move(path), std::move(text)})) {
    if (complaint.find(about) != std::string::npos) return true;
  }
  return false;
}

std::string header(const std::string& text) { return "// A sample.\n#pragma once\n" + text; }

TEST(TidyRules, EachIsBrokenByASample) {
  const std::string long_function = "void f() {\n" + std::string(80, '\n') + "}\n";
  std::string many_lines;
  for (int i = 0; i < 301; ++i) many_lines += "int x;\n";
  EXPECT_TRUE(complains("src/base/a.hpp", header(many_lines), "size:"));
  EXPECT_TRUE(complains("src/base/a.cpp", many_lines + many_lines + many_lines, "size:"));
  EXPECT_TRUE(complains("src/base/a.cpp", long_function, "a function of"));
  EXPECT_TRUE(complains("src/base/a.cpp", std::string(101, 'x') + "\n", "columns"));
  EXPECT_TRUE(complains("src/base/a.cpp", "#include \"plan/engine.hpp\"\n", "arrows"));
  EXPECT_TRUE(complains("src/plan/a.cpp", "#include \"sched/config.hpp\"\n", "arrows"));
  EXPECT_TRUE(complains("src/plan/a.cpp", "auto t = std::chrono::steady_clock::now();\n", "clock"));
  EXPECT_TRUE(complains("src/plan/a.cpp", "std::cout << 1;\n", "prints"));
  EXPECT_TRUE(complains("src/plan/a.cpp", "std::thread t;\n", "thread"));
  EXPECT_TRUE(complains("src/plan/a.cpp", "getenv(\"X\");\n", "environment"));
  EXPECT_TRUE(complains("src/plan/a.cpp", "std::random_device d;\n", "random"));
  EXPECT_TRUE(complains("src/cli/a.cpp", "assert(x);\n", "assert"));
  EXPECT_TRUE(complains("src/cli/a.cpp", "auto* p = new int;\n", "owns"));
  EXPECT_TRUE(complains("src/cli/a.cpp", "using namespace std;\n", "namespace"));
  EXPECT_TRUE(complains("src/cli/a.cpp", std::string("// TO") + "DO later\n", "unfinished"));
  EXPECT_TRUE(complains("src/cli/a.cpp", "void f(void* x) {}\n", "untyped"));
  EXPECT_TRUE(complains("src/base/a.hpp", "#pragma once\n", "opening"));
  EXPECT_TRUE(complains("src/base/a.hpp", "// A sample.\n", "pragma"));
}

TEST(TidyRules, AGoodSampleIsLeftAlone) {
  EXPECT_TRUE(complaints({"src/plan/a.hpp", header("#include \"match/matcher.hpp\"\n")}).empty());
  EXPECT_TRUE(complaints({"src/cli/a.cpp", "std::cout << 1;\n"}).empty());
}

}  // namespace
}  // namespace tenure::tidy
