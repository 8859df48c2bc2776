// GRUG recipes and JGF documents for tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tenure::graph {

/// A recipe from its node and edge elements. Keys are those of the format, by name.
inline std::string recipe(std::string_view elements) {
  std::string text = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">)";
  for (const auto* key : {"root", "type", "basename", "unit", "size", "subsystem"}) {
    text += fmt::format(R"(<key id="{0}" for="node" attr.name="{0}" attr.type="string"/>)", key);
  }
  for (const auto* key :
       {"e_subsystem", "relation", "id_scope", "id_start", "id_stride", "gen_method", "multi_scale",
        "as_tgt_subsystem", "as_tgt_uplvl", "as_src_uplvl"}) {
    text += fmt::format(R"(<key id="{0}" for="edge" attr.name="{0}" attr.type="string"/>)", key);
  }
  return text + R"(<graph id="g" edgedefault="directed">)" + std::string(elements) +
         "</graph></graphml>";
}

/// "root=1 type=node" as data elements.
inline std::string data(std::string_view words) {
  std::string text;
  while (!words.empty()) {
    const auto word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const auto equals = word.find('=');
    text +=
        fmt::format(R"(<data key="{}">{}</data>)", word.substr(0, equals), word.substr(equals + 1));
  }
  return text;
}

inline std::string recipe_node(std::string_view id, std::string_view words) {
  return fmt::format(R"(<node id="{}">{}</node>)", id, data(words));
}

inline std::string recipe_edge(std::string_view from, std::string_view to,
                               std::string_view words = "") {
  return fmt::format(R"(<edge id="e" source="{}" target="{}">{}</edge>)", from, to, data(words));
}

/// 2 racks of 3 nodes of 2 sockets of 4 cores, a gpu and 2 memories, and 2 SSDs a rack.
inline std::string lab_recipe() {
  return recipe(recipe_node("cluster", "type=cluster root=1") + recipe_node("rack", "type=rack") +
                recipe_node("node", "type=node") + recipe_node("socket", "type=socket") +
                recipe_node("core", "type=core") + recipe_node("gpu", "type=gpu") +
                recipe_node("memory", "type=memory size=4 unit=GB") +
                recipe_node("ssd", "type=ssd size=100 unit=GB") +
                recipe_edge("cluster", "rack", "multi_scale=2") +
                recipe_edge("rack", "node", "multi_scale=3 id_scope=1") +
                recipe_edge("rack", "ssd", "multi_scale=2") +
                recipe_edge("node", "socket", "multi_scale=2") +
                recipe_edge("socket", "core", "multi_scale=4 id_scope=1") +
                recipe_edge("socket", "gpu", "id_scope=1") +
                recipe_edge("socket", "memory", "multi_scale=2 id_scope=1"));
}

}  // namespace tenure::graph
