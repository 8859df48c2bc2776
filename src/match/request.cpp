#include "match/request.hpp"

#include <algorithm>

namespace tenure::match {

namespace {

using jobspec::Resource;

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return jobspec::kMaxCount;
  return std::min(product, jobspec::kMaxCount);
}

/// The units of one slot; siblings of one type are added up.
Result<std::vector<UnitCount>> units_of_slot(const Resource& slot, std::string_view path) {
  std::vector<UnitCount> units;
  for (const Resource& resource : slot.with) {
    if (!resource.with.empty() || resource.type == "slot" || resource.type == "node") {
      return failure(ErrorCode::unsupported,
                     "{}: {} inside a slot; a slot may hold counts of cores and gpus", path,
                     resource.type);
    }
    const auto same = std::ranges::find(units, resource.type, &UnitCount::type);
    if (same == units.end()) {
      units.push_back({resource.type, resource.count});
    } else {
      same->count += std::min(resource.count, jobspec::kMaxCount - same->count);
    }
  }
  std::ranges::sort(units, {}, &UnitCount::type);
  return units;
}

std::string make_key(const Request& request) {
  std::string key = fmt::format("{}:{}", static_cast<int>(request.form), request.slots_per_node);
  for (const UnitCount& unit : request.per_slot)
    key += fmt::format(":{}={}", unit.type, unit.count);
  return key + "|" + request.constraint.to_string();
}

}  // namespace

std::uint64_t Request::per_node(const UnitCount& unit) const {
  return saturating_multiply(unit.count, slots_per_node);
}

Result<Request> compile(const jobspec::Jobspec& jobspec) {
  if (jobspec.resources.size() != 1) {
    return failure(ErrorCode::unsupported, "resources: {} elements; one node or slot is supported",
                   jobspec.resources.size());
  }
  const Resource* slot = &jobspec.resources.front();
  Request request;
  request.constraint = jobspec.constraint;
  std::string path = "resources[0].with";
  if (slot->type == "node") {
    request.nodes = slot->count;
    request.form = slot->exclusive ? Request::Form::whole_nodes : Request::Form::slots_on_nodes;
    if (slot->with.size() != 1 || slot->with.front().type != "slot") {
      return failure(ErrorCode::unsupported, "{}: a node must hold exactly one slot", path);
    }
    slot = &slot->with.front();
    path += "[0].with";
    request.slots_per_node = slot->count;
    request.slots = saturating_multiply(request.nodes, slot->count);
    if (slot->exclusive) request.form = Request::Form::whole_nodes;
  } else if (slot->type == "slot") {
    request.form = Request::Form::slots_anywhere;
    request.slots_per_node = 1;
    request.slots = slot->count;
  } else {
    return failure(ErrorCode::unsupported, "resources[0].type: '{}'; node or slot is supported",
                   slot->type);
  }
  auto units = units_of_slot(*slot, path);
  if (!units) return units.error();
  request.per_slot = std::move(*units);
  if (request.per_slot.empty()) {
    return failure(ErrorCode::unsupported, "{}: a slot without cores", path);
  }
  request.key = make_key(request);
  return request;
}

}  // namespace tenure::match
