#include "match/tree_request.hpp"

#include <algorithm>
#include <set>

namespace tenure::match {
namespace {

using jobspec::ResourceVertex;
using Slot = ResourceVertex::Slot;
using List = std::vector<Need>;

enum class Place { outside, in_slot };

Result<std::vector<List>> expand(const std::vector<ResourceVertex>& vertices, Place place);

Need need_of(const ResourceVertex& vertex, Place place) {
  Need need;
  need.type = vertex.is_slot() ? std::string() : vertex.type;
  need.label = vertex.label;
  need.count = vertex.count;
  const bool exclusive = vertex.exclusive.value_or(place == Place::in_slot);
  need.access = !exclusive                         ? Need::Access::shared
                : vertex.exclusive.value_or(false) ? Need::Access::whole
                                                   : Need::Access::exclusive;
  return need;
}

/// The vertex in each of its alternatives.
Result<std::vector<Need>> expand_vertex(const ResourceVertex& vertex, Place place) {
  std::vector<Need> result;
  if (vertex.with.empty()) return std::vector<Need>{need_of(vertex, place)};
  const auto below = expand(vertex.with, vertex.is_slot() ? Place::in_slot : place);
  if (!below) return below.error();
  for (const List& with : *below) {
    Need need = need_of(vertex, place);
    need.with = with;
    result.push_back(std::move(need));
  }
  return result;
}

/// Every list so far with each of the choices behind it.
Result<std::vector<List>> product(const std::vector<List>& lists,
                                  const std::vector<Need>& choices) {
  if (lists.size() * choices.size() > jobspec::kMaxAlternatives) {
    return failure(ErrorCode::limit, "resources: xor_slots stand for more than {} requests",
                   jobspec::kMaxAlternatives);
  }
  std::vector<List> result;
  for (const Need& choice : choices) {
    for (List list : lists) {
      list.push_back(choice);
      result.push_back(std::move(list));
    }
  }
  return result;
}

/// All or_slots of a list are one slot with several contents.
void join_or_slots(List& list, List contents) {
  if (contents.empty()) return;
  Need slot = std::move(contents.front());
  for (std::size_t i = 1; i < contents.size(); ++i) {
    slot.others.push_back(std::move(contents[i].with));
  }
  list.push_back(std::move(slot));
}

Result<std::vector<List>> expand(const std::vector<ResourceVertex>& vertices, Place place) {
  std::vector<List> lists(1);
  List any;
  std::vector<Need> one;
  for (const ResourceVertex& vertex : vertices) {
    auto choices = expand_vertex(vertex, place);
    if (!choices) return choices.error();
    if (vertex.slot == Slot::one) {
      std::ranges::move(*choices, std::back_inserter(one));
    } else if (vertex.slot == Slot::any) {
      any.push_back(std::move(choices->front()));
    } else {
      auto longer = product(lists, *choices);
      if (!longer) return longer;
      lists = *std::move(longer);
    }
  }
  for (List& list : lists) join_or_slots(list, any);
  if (one.empty()) return lists;
  return product(lists, one);
}

void collect_types(const Need& need, std::set<std::string>& types) {
  if (!need.is_slot()) types.insert(need.type);
  for (const Need& child : need.with) collect_types(child, types);
  for (const auto& content : need.others) {
    for (const Need& child : content) collect_types(child, types);
  }
}

/// Siblings that name one type twice, or hold others, may meet whatever the graph; leaf
/// siblings of different types meet only when one type lies inside another.
void judge(const List& list, TreeRequest& request) {
  std::set<std::string> seen;
  bool meets = false;
  for (const Need& need : list) {
    std::set<std::string> types;
    collect_types(need, types);
    for (const std::string& type : types) meets = !seen.insert(type).second || meets;
    meets = meets || (list.size() > 1 && (types.size() > 1 || !need.others.empty()));
    judge(need.with, request);
    for (const auto& content : need.others) judge(content, request);
  }
  if (list.size() < 2) return;
  if (meets) request.siblings = TreeRequest::Siblings::competing;
  request.sibling_types.insert(seen.begin(), seen.end());
}

}  // namespace

Result<TreeRequest> compile(const jobspec::Canonical& jobspec) {
  TreeRequest request;
  auto lists = expand(jobspec.resources, Place::outside);
  if (!lists) return lists.error();
  request.alternatives = *std::move(lists);
  request.constraint = jobspec.constraint;
  request.duration = jobspec.duration;
  for (const List& list : request.alternatives) judge(list, request);
  return request;
}

}  // namespace tenure::match
