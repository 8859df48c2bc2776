#include "query/shell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "jobspec/canonical.hpp"
#include "jobspec/yaml.hpp"
#include "query/shell_help.hpp"

namespace tenure::query {

namespace json = boost::json;

namespace {

constexpr std::string_view kLine = "INFO: =============================\n";

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r\n", i);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r\n", begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
    i = end;
  }
  return words;
}

/// Types that the graph does not have, and slots of other kinds than the traverser takes.
Result<void> check_types(const std::vector<jobspec::ResourceVertex>& resources,
                         const graph::ResourceGraph& graph, Shell::Traverser traverser) {
  using Slot = jobspec::ResourceVertex::Slot;
  for (const jobspec::ResourceVertex& vertex : resources) {
    const bool is_choice = vertex.slot == Slot::any || vertex.slot == Slot::one;
    if (is_choice && traverser == Shell::Traverser::simple) {
      return failure(ErrorCode::unsupported, "{} needs the traverser policy flexible", vertex.type);
    }
    if (!vertex.is_slot() && !graph.topology().has_kind(vertex.type) &&
        !graph.has_type(vertex.type)) {
      return failure(ErrorCode::invalid,
                     "Value of \"type\" must be a resource type known to fluxion");
    }
    if (auto ok = check_types(vertex.with, graph, traverser); !ok) return ok;
  }
  return {};
}

}  // namespace

Shell::Shell(graph::ResourceGraph graph, Options options, Surroundings surroundings)
    : options_(std::move(options)),
      out_(std::move(surroundings)),
      ledger_(std::move(graph), options_.ledger) {}

struct Shell::Command {
  std::string_view name;
  std::string_view brief;
  std::size_t least = 1;  ///< words, the command included
  std::size_t most = 1;
  void (Shell::*run)(const Words&) = nullptr;
};

const std::vector<Shell::Command>& Shell::commands() {
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  static const std::vector<Command> kCommands{
      {"match", "m", 3, 3, &Shell::match},
      {"multi-match", "M", 3, kAny, &Shell::multi_match},
      {"update", "u", 3, 7, &Shell::update},
      {"attach", "j", 2, 2, &Shell::attach},
      {"remove", "j", 3, 3, &Shell::remove},
      {"find", "f", 2, kAny, &Shell::find},
      {"cancel", "c", 2, 3, &Shell::cancel},
      {"partial-cancel", "pc", 4, 5, &Shell::partial_cancel},
      {"set-property", "p", 3, 3, &Shell::set_property},
      {"get-property", "g", 2, 2, &Shell::get_property},
      {"set-status", "t", 3, 3, &Shell::set_status},
      {"get-status", "e", 2, 2, &Shell::get_status},
      {"list", "l", 1, kAny, &Shell::list},
      {"info", "i", 2, 2, &Shell::show_info},
      {"stat", "s", 1, kAny, &Shell::stat},
      {"cat", "a", 2, 2, &Shell::cat},
      {"help", "h", 1, kAny, &Shell::help},
  };
  return kCommands;
}

Shell::Next Shell::execute(std::string_view line) {
  const Words words = split(line);
  if (words.empty()) return Next::go_on;
  if (words[0] == "quit" || words[0] == "q") return Next::quit;
  for (const Command& command : commands()) {
    if (words[0] != command.name && words[0] != command.brief) continue;
    if (words.size() < command.least || words.size() > command.most) {
      out_.error("ERROR: malformed command\n");
    } else {
      (this->*command.run)(words);
    }
    break;
  }
  return Next::go_on;
}

void Shell::show_block(const std::vector<std::string>& lines) {
  out_.result(kLine);
  for (const std::string& line : lines) out_.result(fmt::format("INFO: {}\n", line));
  out_.result(kLine);
}

// ---- match --------------------------------------------------------------------------------

namespace {

struct MatchWord {
  std::string_view word;
  int kind;
};

}  // namespace

void Shell::match(const Words& words) {
  Words all{words[0], words[1], words[2]};
  multi_match(all);
}

void Shell::multi_match(const Words& words) {
  static const std::map<std::string, MatchKind, std::less<>> kKinds{
      {"allocate", MatchKind::allocate},
      {"allocate_with_satisfiability", MatchKind::or_test},
      {"allocate_orelse_reserve", MatchKind::or_reserve},
      {"satisfiability", MatchKind::test},
      {"without_allocating", MatchKind::dry_now},
      {"without_allocating_future", MatchKind::dry_later},
  };
  const auto kind = kKinds.find(words[1]);
  if (kind == kKinds.end()) {
    out_.error(fmt::format("ERROR: unknown subcmd {}\n", words[1]));
    return;
  }
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (!match_file(kind->second, words[i])) return;
  }
}

/// True when the jobspec was matched.
bool Shell::match_file(MatchKind kind, const std::string& file) {
  const auto text = out_.read_file(file);
  if (!text) {
    out_.error(fmt::format("ERROR: can't open {}\n", file));
    return false;
  }
  const auto refuse = [&](const Error& error) {
    out_.error(fmt::format("ERROR: {}\n", error.message));
    return false;
  };
  const auto document = jobspec::read_yaml(*text, file);
  if (!document) return refuse(document.error());
  const auto job = jobspec::parse_canonical(document->value);
  if (!job) return refuse(document->locate(job.error()));
  if (auto ok = check_types(job->resources, ledger_.graph(), options_.traverser); !ok) {
    return refuse(within(file, ok.error()));
  }
  const auto request = match::compile(*job);
  if (!request) return refuse(within(file, request.error()));
  return match_request(kind, file, *request, job->queue);
}

Result<MatchOutcome> Shell::look(MatchKind kind, const match::TreeRequest& request) {
  if (kind == MatchKind::test) return ledger_.satisfiability(request);
  if (kind == MatchKind::or_reserve || kind == MatchKind::dry_later) {
    return ledger_.match_earliest(request);
  }
  auto outcome = ledger_.match_now(request);
  if (kind != MatchKind::or_test || !outcome) return outcome;
  if (!std::holds_alternative<NotNow>(*outcome)) return outcome;
  auto possible = ledger_.satisfiability(request);
  if (possible && std::holds_alternative<Claim>(*possible)) return outcome;
  return possible;
}

bool Shell::match_request(MatchKind kind, const std::string& file,
                          const match::TreeRequest& request, const std::string& queue) {
  const bool is_dry =
      kind == MatchKind::test || kind == MatchKind::dry_now || kind == MatchKind::dry_later;
  const std::int64_t id = next_id_;
  if (!is_dry) ++next_id_;
  const double before = out_.seconds();
  const auto outcome = look(kind, request);
  const double seconds = out_.seconds() - before;
  if (!outcome) {
    out_.error(fmt::format("ERROR: {}: {}\n", file, outcome.error().message));
    if (kind != MatchKind::test) show_failure(id, false);
    return false;
  }
  const Claim* claim = std::get_if<Claim>(&*outcome);
  const bool is_never = std::holds_alternative<match::Infeasible>(*outcome);
  if (kind == MatchKind::test) {
    if (claim != nullptr) {
      const std::vector<match::Grant> nothing;
      emit_claim("match_allocate", {.graph = &ledger_.graph(), .granted = &nothing});
    }
    show_block({claim != nullptr ? "Satisfiable request" : "Unsatisfiable request"});
    return claim != nullptr;
  }
  if (claim == nullptr) {
    show_failure(id, is_never);
    return false;
  }
  ++matched_;
  all_seconds_ += seconds;
  least_seconds_ = matched_ == 1 ? seconds : std::min(least_seconds_, seconds);
  most_seconds_ = std::max(most_seconds_, seconds);
  const bool is_later = claim->span.start > Time();
  std::string_view state = is_later ? "RESERVED" : "ALLOCATED";
  if (is_dry) {
    state = "MATCHED";
  } else {
    const auto added = ledger_.add(id, is_later ? JobState::reserved : JobState::allocated, *claim);
    CHECK(added.has_value());
    noted_[id] = {file, seconds};
  }
  show_claim(id, state, *claim, queue);
  if (options_.figures == Figures::shown) show_figures(seconds);
  return true;
}

void Shell::show_claim(std::int64_t id, std::string_view state, const Claim& claim,
                       const std::string& queue) {
  emit_claim("match_allocate", {.graph = &ledger_.graph(),
                                .granted = &claim.selection.granted,
                                .span = claim.span,
                                .queue = queue});
  const std::int64_t start = whole_seconds(claim.span.start);
  show_block({fmt::format("JOBID={}", id), fmt::format("RESOURCES={}", state),
              fmt::format("SCHEDULED AT={}", start == 0 ? "Now" : std::to_string(start))});
}

void Shell::show_failure(std::int64_t id, bool is_never) {
  std::vector<std::string> lines{"No matching resources found"};
  if (is_never) lines.emplace_back("Unsatisfiable request");
  lines.push_back(fmt::format("JOBID={}", id));
  show_block(lines);
}

void Shell::show_figures(double seconds) {
  const std::uint64_t visits = ledger_.counters().steps;
  out_.result(fmt::format(
      "INFO: ELAPSE={:g}\nINFO: PREORDER VISIT COUNT={}\nINFO: POSTORDER VISIT COUNT={}\n", seconds,
      visits, visits));
}

/// False, with the error told, when the format can hold nothing of it.
bool Shell::emit_claim(std::string_view who, const Emission& emission) {
  const auto text = emit(options_.format, emission);
  if (text) {
    out_.result(*text);
    return true;
  }
  const std::string_view writer = who == "find" ? "find" : "match";
  out_.error(fmt::format("{}: ERROR: {} writer emit: Invalid argument\n", who, writer));
  return false;
}

// ---- jobs ---------------------------------------------------------------------------------

void Shell::show_job(std::int64_t id, const LedgerJob& job) {
  const Noted& noted = noted_[id];
  out_.info(fmt::format("INFO: {}, {}, {}, {}, {:g}\n", id, to_string(job.state),
                        whole_seconds(job.span.start), noted.jobspec, noted.seconds));
}

void Shell::list(const Words&) {
  for (const auto& [id, job] : ledger_.jobs()) show_job(id, job);
}

void Shell::show_info(const Words& words) {
  const auto id = read_integer(words[1]);
  const LedgerJob* job = id ? ledger_.find(*id) : nullptr;
  if (job == nullptr) {
    out_.error(fmt::format("info: ERROR: nonexistent job {}\n", words[1]));
    return;
  }
  show_job(*id, *job);
}

void Shell::cancel(const Words& words) {
  if (words.size() == 3 && words[2] != "stats") {
    out_.error("ERROR: malformed command\n");
    return;
  }
  const auto id = read_integer(words[1]);
  const LedgerJob* job = id ? ledger_.find(*id) : nullptr;
  const std::size_t visited = job == nullptr ? 0 : job->selection.granted.size();
  if (job == nullptr || !ledger_.cancel(*id)) {
    out_.error(fmt::format("cancel: ERROR: nonexistent job {}\n", words[1]));
    return;
  }
  if (words.size() == 3) {
    out_.result(
        fmt::format("CANCEL PREORDER COUNT=\"{0}\"\nCANCEL POSTORDER COUNT=\"{0}\"\n", visited));
  }
}

void Shell::stat(const Words&) {
  const double average = matched_ == 0 ? 0 : all_seconds_ / static_cast<double>(matched_);
  out_.info(
      fmt::format("INFO: Num. of Jobs Matched: {}\nINFO: Min. Match Time: {:g}\n"
                  "INFO: Max. Match Time: {:g}\nINFO: Avg. Match Time: {:g}\n",
                  matched_, least_seconds_, most_seconds_, average));
}

void Shell::cat(const Words& words) {
  const auto text = out_.read_file(words[1]);
  if (!text) {
    out_.error(fmt::format("ERROR: can't open {}\n", words[1]));
    return;
  }
  out_.info(*text);
}

void Shell::help(const Words&) { out_.info(kShellHelp); }

}  // namespace tenure::query
