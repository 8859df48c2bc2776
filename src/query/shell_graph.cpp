// Commands of the shell about the graph, and about allocations given as R.
#include <fmt/format.h>

#include "query/claims.hpp"
#include "query/shell.hpp"
#include "query/shell_help.hpp"

namespace tenure::query {

namespace json = boost::json;

using graph::Vertex;

// ---- allocations given as R ---------------------------------------------------------------

void Shell::update(const Words& words) {
  if (words.size() == 3) return update_end(words);
  const auto refuse = [&](std::string_view text) { out_.error(fmt::format("ERROR: {}\n", text)); };
  if (words.size() != 7) return refuse("malformed command");
  if (words[1] != "allocate" && words[1] != "reserve") {
    return refuse(fmt::format("unknown subcmd {}", words[1]));
  }
  const auto format = parse_claim_format(words[2]);
  if (!format) return refuse(format.error().message);
  const auto text = out_.read_file(words[3]);
  if (!text) return refuse(fmt::format("can't open {}", words[3]));
  const auto id = read_integer(words[4]);
  const auto start = read_integer(words[5]);
  const auto duration = read_integer(words[6]);
  if (!id || *id < 0) return refuse(fmt::format("jobid {} is not a number from 0", words[4]));
  if (!start || *start < 0) return refuse(fmt::format("starttime {} is negative", words[5]));
  if (!duration || *duration <= 0)
    return refuse(fmt::format("duration {} is not above 0", words[6]));
  if (ledger_.find(*id) != nullptr) return refuse("existing Jobid");
  const double before = out_.seconds();
  const auto exclusive = read_claim(*format, *text, ledger_.graph());
  if (!exclusive) return refuse(fmt::format("{}: {}", words[3], exclusive.error().message));
  Claim claim{Span{Time::seconds(*start), Time::seconds(*start) + Duration::seconds(*duration)},
              select(ledger_.graph(), *exclusive)};
  const auto state = words[1] == "allocate" ? JobState::allocated : JobState::reserved;
  if (auto added = ledger_.add(*id, state, claim); !added) {
    return refuse(fmt::format("{}: {}", words[3], added.error().message));
  }
  noted_[*id] = {words[3], out_.seconds() - before};
  next_id_ = std::max(next_id_, *id + 1);
  show_claim(*id, to_string(state), claim, {});
}

/// `update ID duration=…` and `update ID expiration=…`.
void Shell::update_end(const Words& words) {
  const auto refuse = [&](std::string_view text) {
    out_.error(fmt::format("update: ERROR: {}\n", text));
  };
  const auto id = read_integer(words[1]);
  const LedgerJob* job = id ? ledger_.find(*id) : nullptr;
  if (job == nullptr) return refuse(fmt::format("nonexistent job {}", words[1]));
  constexpr std::string_view kDuration = "duration=";
  constexpr std::string_view kExpiration = "expiration=";
  const std::string_view change = words[2];
  Time end;
  if (change.starts_with(kDuration)) {
    const auto duration = parse_fsd(change.substr(kDuration.size()));
    if (!duration) return refuse(duration.error().message);
    end = job->span.start + *duration;
  } else if (change.starts_with(kExpiration)) {
    const auto seconds = parse_fsd(change.substr(kExpiration.size()));
    if (!seconds) return refuse(seconds.error().message);
    end = Time() + *seconds;
  } else {
    return refuse(
        fmt::format("{} is neither duration=FSD nor expiration=SECONDS", in_quotes(change)));
  }
  if (auto moved = ledger_.set_end(*id, end); !moved) return refuse(moved.error().message);
  show_block({fmt::format("JOBID={}", *id), fmt::format("EXPIRATION={}", format_seconds(end))});
}

void Shell::partial_cancel(const Words& words) {
  const auto refuse = [&](std::string_view text) {
    out_.error(fmt::format("partial_cancel: ERROR: {}\n", text));
  };
  const auto format = parse_claim_format(words[2]);
  if (!format || (words.size() == 5 && words[4] != "stats")) {
    out_.error("ERROR: malformed command\n");
    return;
  }
  const auto id = read_integer(words[1]);
  const LedgerJob* job = id ? ledger_.find(*id) : nullptr;
  if (job == nullptr || job->state == JobState::canceled) {
    return refuse(fmt::format("nonexistent job {}", words[1]));
  }
  const auto text = out_.read_file(words[3]);
  if (!text) {
    out_.error(fmt::format("ERROR: can't open {}\n", words[3]));
    return;
  }
  const auto part = read_part(*format, *text, ledger_.graph(), job->selection);
  if (!part) return refuse(fmt::format("{}: {}", words[3], part.error().message));
  if (auto freed = ledger_.release(*id, *part); !freed) return refuse(freed.error().message);
  if (words.size() == 5) {
    out_.result(fmt::format("CANCEL PREORDER COUNT=\"{0}\"\nCANCEL POSTORDER COUNT=\"{0}\"\n",
                            part->size()));
  }
}

// ---- grow and shrink ----------------------------------------------------------------------

void Shell::attach(const Words& words) {
  const auto text = out_.read_file(words[1]);
  if (!text) {
    out_.error(fmt::format("ERROR: can't open {}\n", words[1]));
    return;
  }
  auto grown = grow(ledger_.graph(), *text);
  if (!grown) {
    out_.error(fmt::format("attach: ERROR: {}: {}\n", words[1], grown.error().message));
    return;
  }
  ledger_.replace_graph(*std::move(grown));
}

void Shell::remove(const Words& words) {
  const auto refuse = [&](std::string_view text) {
    out_.error(fmt::format("remove: ERROR: {}\n", text));
  };
  if (words[2] == "false") {
    const auto ranks = Idset::parse(words[1]);
    if (!ranks) return refuse(ranks.error().message);
    ledger_.remove(*ranks);
    return;
  }
  if (words[2] != "true") {
    out_.error("ERROR: malformed command\n");
    return;
  }
  const auto v = graph::Vertices(ledger_.graph()).find_path(words[1]);
  if (!v) return refuse(fmt::format("Could not find path {} in resource graph.", words[1]));
  if (auto removed = ledger_.remove(*v); !removed) return refuse(removed.error().message);
}

// ---- find ---------------------------------------------------------------------------------

void Shell::find(const Words& words) {
  const std::string text = fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "));
  const auto expression = FindExpression::parse(text);
  if (!expression) {
    out_.error(fmt::format("findfind: {}\n", expression.error().message));
    return;
  }
  const std::vector<match::Grant> found = find_vertices(ledger_, *expression);
  Emission emission{.graph = &ledger_.graph(), .granted = &found};
  if (expression->shows_filters()) {
    emission.extra = [&](Vertex v) {
      json::object filters;
      for (const auto& [type, amount] : ledger_.usage().amounts(v)) {
        filters[type] = fmt::format("used:{}, total:{}", amount.used, amount.total);
      }
      json::object extra;
      if (!filters.empty()) extra["agfilter"] = std::move(filters);
      return extra;
    };
  }
  if (!emit_claim("find", emission)) return;
  show_block({fmt::format("EXPRESSION=\"{}\"", text)});
}

// ---- properties and status ----------------------------------------------------------------

void Shell::set_property(const Words& words) {
  const std::string_view property = words[2];
  const std::size_t equals = property.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == property.size()) {
    out_.result("Incorrect input format. \nPlease use `set-property <resource> PROPERTY=VALUE`.\n");
    return;
  }
  const auto v = graph::Vertices(ledger_.graph()).find_path(words[1]);
  if (!v) {
    out_.result(fmt::format("Couldn't find path {} in resource graph.\n", words[1]));
    return;
  }
  ledger_.set_property(*v, property.substr(0, equals), property.substr(equals + 1));
}

void Shell::get_property(const Words& words) {
  const graph::Vertices vertices(ledger_.graph());
  const auto v = vertices.find_path(words[1]);
  if (!v) {
    out_.result(fmt::format("Could not find path {} in resource graph.\n", words[1]));
    return;
  }
  const auto properties = vertices.properties(*v);
  if (properties.empty()) {
    out_.result(fmt::format("No properties were found for {} (vtx's uniq_id={}).\n", words[1],
                            vertices.uniq_id(*v)));
    return;
  }
  for (const auto& [name, value] : properties) {
    out_.result(fmt::format("{}={}\n", name, value));
  }
}

void Shell::set_status(const Words& words) {
  if (words[2] != "up" && words[2] != "down") {
    out_.error("ERROR: unrecognized status\n");
    return;
  }
  const auto v = graph::Vertices(ledger_.graph()).find_path(words[1]);
  if (!v) {
    out_.error(fmt::format("ERROR: Could not find path {} in resource graph.\n", words[1]));
    return;
  }
  ledger_.set_status(*v, words[2] == "up" ? graph::Status::up : graph::Status::down);
}

void Shell::get_status(const Words& words) {
  const graph::Vertices vertices(ledger_.graph());
  const auto v = vertices.find_path(words[1]);
  if (!v) {
    out_.error(fmt::format("ERROR: Could not find path {} in resource graph.\n", words[1]));
    return;
  }
  const bool is_up = vertices.status(*v) == graph::Status::up;
  out_.result(fmt::format("{} is {}\n", words[1], is_up ? "up" : "down"));
}

}  // namespace tenure::query
