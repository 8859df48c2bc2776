// tenure graph on a small recipe and what is made of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "command.hpp"

namespace {

using cli_testing::Outcome;
using cli_testing::tenure;
using ::testing::HasSubstr;

constexpr const char* kRecipe = R"(<graphml>
<key id="root" for="node" attr.name="root" attr.type="int"/>
<key id="type" for="node" attr.name="type" attr.type="string"/>
<key id="size" for="node" attr.name="size" attr.type="long"/>
<key id="unit" for="node" attr.name="unit" attr.type="string"/>
<key id="multi_scale" for="edge" attr.name="multi_scale" attr.type="int"/>
<graph id="g" edgedefault="directed">
<node id="c"><data key="type">cluster</data><data key="root">1</data></node>
<node id="n"><data key="type">node</data></node>
<node id="k"><data key="type">core</data></node>
<node id="m"><data key="type">memory</data><data key="size">8</data>
<data key="unit">GB</data></node>
<edge id="e0" source="c" target="n"><data key="multi_scale">3</data></edge>
<edge id="e1" source="n" target="k"><data key="multi_scale">4</data></edge>
<edge id="e2" source="n" target="m"><data key="multi_scale">2</data></edge>
</graph></graphml>
)";

class Graph : public ::testing::Test {
 protected:
  Graph()
      : folder_(std::filesystem::temp_directory_path() /
                ("tenure-graph-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    write("lab.graphml", kRecipe);
  }
  ~Graph() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(Graph, CountsAndOutlineAreShown) {
  const Outcome outcome = tenure("graph " + file("lab.graphml"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output,
            file("lab.graphml") + R"(: grug, 22 vertices, 3 nodes (ranks 0-2), 4 kinds of 3 levels

type      vertices
cluster          1
node             3
core            12
memory           6  48 GB

cluster
  3 node
    4 core
    2 memory 8 GB
)");
  EXPECT_THAT(tenure("graph --json " + file("lab.graphml")).output,
              HasSubstr(R"("types":{"cluster":1,"node":3,"core":12,"memory":6})"));
}

TEST_F(Graph, AGraphIsConvertedAndReadAgain) {
  for (const std::string format : {"r", "jgf"}) {
    const std::string made = file(format + ".json");
    EXPECT_EQ(tenure("graph " + file("lab.graphml") + " --to " + format + " -o " + made).output,
              "");
    EXPECT_THAT(tenure("graph " + made).output, HasSubstr(": " + format + ", 22 vertices"));
  }
  EXPECT_THAT(tenure("graph " + file("lab.graphml") + " --to rv1exec").output,
              HasSubstr(R"("R_lite":[{"rank":"0-2","children":{"core":"0-3"}}])"));
  EXPECT_EQ(tenure("graph " + file("lab.graphml") + " -o " + file("lab.svg")).status, 0);
  EXPECT_TRUE(std::filesystem::exists(file("lab.svg")));
}

TEST_F(Graph, BadUseAndBadFilesNameWhatIsWrong) {
  const std::string lab = file("lab.graphml");
  const std::pair<std::string, std::string> cases[] = {
      {"graph " + file("missing"), "missing: cannot be read"},
      {"graph --format xml " + lab, "--format: 'xml' is no format of graphs: r, rv1exec"},
      {"graph --to png " + lab, "--to: 'png' is no format that graphs are written in"},
      {"graph -o x.txt " + lab, "--output: 'x.txt' does not say in which format"},
      {"graph --format jgf " + lab, "lab.graphml: byte 0"},
      {"graph " + folder_.string(), "cannot be read"},
  };
  for (const auto& [arguments, text] : cases) {
    const Outcome outcome = tenure(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.output, HasSubstr(text));
  }
  write("empty.json", "");
  EXPECT_THAT(tenure("graph " + file("empty.json")).output, HasSubstr("empty.json: is empty"));
}

}  // namespace
