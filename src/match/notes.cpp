#include "match/notes.hpp"

#include "graph/vertices.hpp"

namespace tenure::match {

void Notes::add(const Need& need, std::uint64_t have, graph::Vertex scope) {
  Note& note = notes_[&need];
  if (have >= note.best) note = {have, scope};
}

std::string Notes::missing(const std::vector<Need>& needs,
                           const graph::ResourceGraph& graph) const {
  const graph::Vertices vertices(graph);
  for (const Need& need : needs) {
    const auto note = notes_.find(&need);
    if (note == notes_.end()) continue;
    if (need.count.at_most(note->second.best)) continue;
    // Nothing at all: the reason lies below, if anything was looked at there.
    if (note->second.best == 0) {
      if (std::string below = missing(need.with, graph); !below.empty()) return below;
    }
    const std::string name =
        need.is_slot() ? fmt::format("slot {}", in_quotes(need.label)) : need.type;
    return fmt::format("{}: needs {} per {}, has {}", name, need.count.to_string(),
                       vertices.type(note->second.scope), note->second.best);
  }
  return {};
}

}  // namespace tenure::match
