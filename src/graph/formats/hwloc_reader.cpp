#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <set>

#include "graph/formats/hwloc.hpp"
#include "graph/graph_builder.hpp"

namespace tenure::graph {
namespace {

constexpr std::uint32_t kNode = 0xffffffffU;  ///< parent of what is directly in the node

struct Inside {
  std::uint32_t parent;  ///< in the list, or kNode
  std::string type;
  std::string name = {};
  std::int64_t id = -1;
  std::int64_t size = 1;
  std::string unit = {};
  std::string device = {};  ///< LinuxDeviceID
};

struct Machine {
  std::string host;
  std::vector<Inside> inside;  ///< parents first
};

std::string_view attribute(const pugi::xml_node& element, const char* name) {
  return element.attribute(name).value();
}

std::string_view info(const pugi::xml_node& element, std::string_view name) {
  for (const pugi::xml_node child : element.children("info")) {
    if (name == attribute(child, "name")) return attribute(child, "value");
  }
  return {};
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// The type of the vertex for an object of hwloc; empty: none, what is inside counts.
std::string_view vertex_type(const pugi::xml_node& object) {
  struct Name {
    std::string_view hwloc;
    std::string_view type;
  };
  constexpr Name kNames[] = {
      {"Package", "socket"},  {"Socket", "socket"},   {"Core", "core"},
      {"PU", "pu"},           {"Group", "group"},     {"L1Cache", "L1cache"},
      {"L2Cache", "L2cache"}, {"L3Cache", "L3cache"}, {"NUMANode", "numanode"}};
  const std::string_view type = attribute(object, "type");
  for (const Name& name : kNames) {
    if (name.hwloc == type) return name.type;
  }
  if (type != "Cache") return {};  // of hwloc 1: depth says which, cache_type 2 is instructions
  const std::string_view depth = attribute(object, "depth");
  if (attribute(object, "cache_type") == "2") return {};
  return depth == "1" ? "L1cache" : depth == "2" ? "L2cache" : depth == "3" ? "L3cache" : "";
}

bool is_memory(const pugi::xml_node& object) {
  const std::string_view type = attribute(object, "type");
  if (type != "NUMANode" && type != "MemCache") return false;
  // In files of hwloc 1 a NUMANode has the sockets in it.
  for (const pugi::xml_node child : object.children("object")) {
    if (!is_memory(child)) return false;
  }
  return true;
}

/// Stops at an element that lies too deep.
class DepthLimit : public pugi::xml_tree_walker {
 public:
  bool for_each(pugi::xml_node&) override { return depth() <= static_cast<int>(kMaxHwlocDepth); }
};

class MachineReader {
 public:
  explicit MachineReader(const HwlocOptions& options) : allow_(options.allow) {}

  Result<Machine> read(const pugi::xml_node& machine) {
    machine_.host = info(machine, "HostName");
    // hwloc 3 has it beside the objects.
    if (machine_.host.empty()) machine_.host = info(machine.root().child("topology"), "HostName");
    if (auto done = read_inside(machine, kNode); !done) return done.error();
    for (const Gpu& gpu : gpus_) machine_.inside[gpu.vertex].id = gpu_number(gpu);
    return std::move(machine_);
  }

 private:
  struct Gpu {
    std::string bus;
    std::uint32_t vertex;
    int rank;  ///< of its kind: the lowest is the one that counts
    std::optional<std::int64_t> number;
  };

  bool is_allowed(std::string_view type) const {
    return allow_.empty() || std::find(allow_.begin(), allow_.end(), type) != allow_.end();
  }

  /// The parent of what is inside: the new vertex, or `parent` for a type that is not loaded.
  std::uint32_t add(std::string_view type, std::uint32_t parent) {
    if (type.empty() || !is_allowed(type)) return parent;
    machine_.inside.push_back(
        {.parent = parent, .type = std::string(type), .id = next_[std::string(type)]++});
    return static_cast<std::uint32_t>(machine_.inside.size() - 1);
  }

  /// Recurses: the depth of the document has been checked.
  Result<void> read_inside(const pugi::xml_node& object, std::uint32_t vertex) {
    std::uint32_t around = vertex;
    for (const pugi::xml_node child : object.children("object")) {
      if (is_memory(child)) read_memory(child, vertex, around);
    }
    for (const pugi::xml_node child : object.children("object")) {
      if (is_memory(child)) continue;
      const std::string_view type = attribute(child, "type");
      if (type.empty()) return failure(ErrorCode::invalid, "an object has no type");
      if (type == "Machine") return failure(ErrorCode::invalid, "a Machine is inside another");
      const std::uint32_t inside =
          type == "OSDev" ? read_device(child, around) : add(vertex_type(child), around);
      if (auto done = read_inside(child, inside); !done) return done.error();
    }
    return {};
  }

  void read_memory(const pugi::xml_node& object, std::uint32_t vertex, std::uint32_t& around) {
    if (attribute(object, "type") == "NUMANode") {
      const std::uint32_t numa = add("numanode", vertex);
      if (around == vertex) around = numa;
    }
    for (const pugi::xml_node child : object.children("object")) {
      read_memory(child, vertex, around);
    }
  }

  std::uint32_t read_device(const pugi::xml_node& device, std::uint32_t parent) {
    constexpr std::string_view kKinds[] = {"CUDA", "RSMI", "OpenCL"};
    std::string_view kind = attribute(device, "subtype");
    if (kind.empty()) kind = info(device, "CoProcType");
    const auto known = std::find(std::begin(kKinds), std::end(kKinds), kind);
    if (known != std::end(kKinds)) {
      read_gpu(device, parent, static_cast<int>(known - std::begin(kKinds)));
    } else if (is_block(device) && is_allowed("storage")) {
      const std::uint32_t vertex = add("storage", parent);
      Inside& storage = machine_.inside[vertex];
      storage.name = attribute(device, "name");
      const std::int64_t kib = number(info(device, "Size")).value_or(0);
      storage.size = std::max<std::int64_t>(kib, 0) / 1000 * 1024 / 1'000'000;
      if (storage.size > 0) storage.unit = "GB";
      if (storage.size == 0) storage.size = 1;
      storage.device = info(device, "LinuxDeviceID");
    }
    return parent;
  }

  /// One per device of the bus; the best kind gives the number.
  void read_gpu(const pugi::xml_node& device, std::uint32_t parent, int rank) {
    if (!is_allowed("gpu")) return;
    const std::string bus(attribute(device.parent(), "pci_busid"));
    const auto digits = trailing_number(attribute(device, "name"));
    const auto its_number = digits < 0 ? std::nullopt : std::optional(digits);
    const auto same = std::find_if(gpus_.begin(), gpus_.end(),
                                   [&](const Gpu& gpu) { return !bus.empty() && gpu.bus == bus; });
    if (same == gpus_.end()) {
      gpus_.push_back({bus, add("gpu", parent), rank, its_number});
    } else if (rank < same->rank) {
      same->rank = rank;
      same->number = its_number;
    }
  }

  /// The number that the device has, or the next that no gpu has.
  std::int64_t gpu_number(const Gpu& gpu) {
    std::int64_t number = gpu.number.value_or(0);
    while (!gpu_numbers_.insert(number).second) ++number;
    return number;
  }

  /// hwloc 3 has a set of bits (1: storage), earlier ones a number (0: block device).
  bool is_block(const pugi::xml_node& device) const {
    const std::string_view version = device.root().child("topology").attribute("version").value();
    const auto type = number(attribute(device, "osdev_type"));
    const bool has_bits = !version.empty() && number(version.substr(0, version.find('.'))) >= 3;
    return type && (has_bits ? (*type & 1) != 0 : *type == 0);
  }

  const std::vector<std::string>& allow_;
  Machine machine_;
  std::map<std::string, std::int64_t> next_;
  std::vector<Gpu> gpus_;
  std::set<std::int64_t> gpu_numbers_;
};

Result<void> add_node(GraphBuilder& builder, GraphBuilder::Handle root, const Machine& machine,
                      std::int64_t rank) {
  const std::string& host = machine.host;
  const auto node = builder.add({.type = "node",
                                 .name = host,
                                 .id = host.empty() ? rank : trailing_number(host),
                                 .rank = rank});
  if (!node) return node.error();
  builder.contain(root, *node);
  std::vector<GraphBuilder::Handle> handles;
  for (const Inside& inside : machine.inside) {
    const auto handle = builder.add({.type = inside.type,
                                     .name = inside.name,
                                     .id = inside.id,
                                     .size = inside.size,
                                     .unit = inside.unit});
    if (!handle) return handle.error();
    builder.contain(inside.parent == kNode ? *node : handles[inside.parent], *handle);
    if (!inside.device.empty()) builder.set_property(*handle, "LinuxDeviceID", inside.device);
    handles.push_back(*handle);
  }
  return {};
}

/// The outermost object; files of hwloc 1 may have a System around the machine.
Result<pugi::xml_node> find_machine(const pugi::xml_document& document) {
  const pugi::xml_node topology = document.child("topology");
  if (!topology) return failure(ErrorCode::invalid, "topology: is missing");
  pugi::xml_node object = topology.child("object");
  if (attribute(object, "type") == "System") object = object.child("object");
  if (attribute(object, "type") != "Machine") {
    return failure(ErrorCode::invalid, "topology.object: has no Machine");
  }
  if (object.next_sibling("object")) {
    return failure(ErrorCode::invalid, "topology: has more than one machine");
  }
  return object;
}

}  // namespace

Result<ResourceGraph> read_hwloc(std::string_view text, const HwlocOptions& options) {
  pugi::xml_document document;
  const auto parsed = document.load_buffer(text.data(), text.size(), pugi::parse_default);
  if (!parsed) {
    return failure(ErrorCode::invalid, "byte {}: {}", parsed.offset, parsed.description());
  }
  DepthLimit limit;
  if (!document.traverse(limit)) {
    return failure(ErrorCode::limit, "elements are nested deeper than {} levels", kMaxHwlocDepth);
  }
  const auto object = find_machine(document);
  if (!object) return object.error();
  Result<Machine> machine = MachineReader(options).read(*object);
  if (!machine) return machine.error();
  if (options.nodes == 0 || options.nodes > kMaxNodes) {
    return failure(ErrorCode::invalid, "{} nodes are not from 1 to {}", options.nodes, kMaxNodes);
  }
  if (options.nodes > 1) machine->host.clear();
  GraphBuilder builder;
  const auto root = builder.add({.type = "cluster", .id = 0});
  if (!root) return root.error();
  for (std::uint64_t k = 0; k < options.nodes; ++k) {
    auto added = add_node(builder, *root, *machine, static_cast<std::int64_t>(k));
    if (!added) return added.error();
  }
  return std::move(builder).build();
}

}  // namespace tenure::graph
