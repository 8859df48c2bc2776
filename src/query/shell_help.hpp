// The text of `help`. Scripts compare it, so the lines of the replaced tool stand as they were.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tenure::query {

/// A decimal number, nothing before or behind it.
inline std::optional<std::int64_t> read_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

inline constexpr std::string_view kShellHelp =
    "INFO: match (m) -- Allocate or reserve matching resources (subcmd: allocate | "
    "allocate_with_satisfiability | allocate_orelse_reserve) | satisfiability | "
    "without_allocating | without_allocating_future: resource-query> match allocate jobspec\n"
    "INFO: multi-match (M) -- Allocate or reserve for multiple jobspecs (subcmd: allocate | "
    "allocate_with_satisfiability | allocate_orelse_reserve | without_allocating | "
    "without_allocating_future): resource-query> multi-match allocate jobspec1 jobspec2 ...\n"
    "INFO: update (u) -- Update resources with a JGF subgraph (subcmd: allocate | reserve), "
    "(reader: jgf | jgf_shorthand | rv1exec): resource-query> update allocate jgf jgf_file "
    "jobid starttime duration\n"
    "INFO: attach (j) -- Attach a JGF subgraph to the resource graph: resource-query> attach "
    "jgf_file\n"
    "INFO: remove (j) -- Remove a subgraph from the resource graph, specifying whether the "
    "target is a path (true) or idset (false): resource-query> remove (/path/to/node/ | "
    "idset) (true|false)\n"
    "INFO: find (f) -- Find resources matched with criteria (predicates: status={up|down} "
    "sched-now={allocated|free} sched-future={reserved|free} agfilter={true|false} "
    "names=hostlist jobid-alloc=jobid jobid-span=jobid jobid-tag=jobid jobid-reserved=jobid "
    "property=name): resource-query> find status=down and sched-now=allocated\n"
    "INFO: cancel (c) -- Cancel an allocation or reservation: resource-query> cancel jobid "
    "(optional subcmd: stats)\n"
    "INFO: partial-cancel (pc) -- Partially release an allocation: resource-query> "
    "partial-cancel jobid (file format: jgf | rv1exec) R_to_cancel.file (optional subcmd: "
    "stats)\n"
    "INFO: set-property (p) -- Add a property to a resource: resource-query> set-property "
    "resource PROPERTY=VALUE\n"
    "INFO: get-property (g) -- Get all properties of a resource: resource-query> "
    "get-property resource\n"
    "INFO: set-status (t) -- Set resource status on vertex: resource-query> set-status "
    "PATH_TO_VERTEX {up|down}\n"
    "INFO: get-status (e) -- Get the graph resource vertex status: resource-query> "
    "get-status PATH_TO_VERTEX\n"
    "INFO: list (l) -- List all jobs: resource-query> list\n"
    "INFO: info (i) -- Print info on a jobid: resource-query> info jobid\n"
    "INFO: stat (s) -- Print overall stats: resource-query> stat jobid\n"
    "INFO: cat (a) -- Print jobspec file: resource-query> cat jobspec\n"
    "INFO: help (h) -- Print help message: resource-query> help\n"
    "INFO: quit (q) -- Quit the session: resource-query> quit\n";

}  // namespace tenure::query
