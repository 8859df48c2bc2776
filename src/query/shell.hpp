// Shell: the commands of `tenure query`, one line at a time (docs/query.md).
//
// Text in, text out: the shell opens no file, reads no clock and knows no terminal; its
// surroundings give it all three, so that sessions are tested as they are.
//
// Job ids count up from 1; satisfiability and the matches that allocate nothing use none, a
// failed match does. Unknown commands are ignored, as scripts expect.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "query/emission.hpp"
#include "query/find_expression.hpp"
#include "query/ledger.hpp"

namespace tenure::query {

class Shell {
 public:
  using Sink = std::function<void(std::string_view)>;
  struct Surroundings {
    Sink result;  ///< resources, and the INFO lines about them
    Sink info;    ///< list, info, stat, help
    Sink error;
    std::function<Result<std::string>(const std::string& path)> read_file;
    std::function<double()> seconds;  ///< a monotonic clock
  };
  enum class Traverser { simple, flexible };
  enum class Figures { hidden, shown };
  struct Options {
    Format format = Format::simple;
    Traverser traverser = Traverser::simple;  ///< flexible takes or_slot and xor_slot
    Figures figures = Figures::hidden;        ///< time and visits of every match
    Ledger::Options ledger{};
  };

  Shell(graph::ResourceGraph graph, Options options, Surroundings surroundings);

  enum class Next { go_on, quit };
  Next execute(std::string_view line);

  const Ledger& ledger() const { return ledger_; }

 private:
  using Words = std::vector<std::string>;
  enum class MatchKind { allocate, or_test, or_reserve, test, dry_now, dry_later };
  struct Noted {
    std::string jobspec;
    double seconds = 0;
  };
  struct Command;
  static const std::vector<Command>& commands();

  bool match_file(MatchKind kind, const std::string& file);
  bool match_request(MatchKind kind, const std::string& file, const match::TreeRequest& request,
                     const std::string& queue);
  Result<MatchOutcome> look(MatchKind kind, const match::TreeRequest& request);
  void show_claim(std::int64_t id, std::string_view state, const Claim& claim,
                  const std::string& queue);
  void show_failure(std::int64_t id, bool is_never);
  void show_figures(double seconds);
  void show_block(const std::vector<std::string>& lines);
  bool emit_claim(std::string_view who, const Emission& emission);
  void show_job(std::int64_t id, const LedgerJob& job);

  void match(const Words& words);
  void multi_match(const Words& words);
  void update(const Words& words);
  void update_end(const Words& words);
  void attach(const Words& words);
  void remove(const Words& words);
  void find(const Words& words);
  void cancel(const Words& words);
  void partial_cancel(const Words& words);
  void set_property(const Words& words);
  void get_property(const Words& words);
  void set_status(const Words& words);
  void get_status(const Words& words);
  void list(const Words& words);
  void show_info(const Words& words);
  void stat(const Words& words);
  void cat(const Words& words);
  void help(const Words& words);

  Options options_;
  Surroundings out_;
  Ledger ledger_;
  std::int64_t next_id_ = 1;
  std::map<std::int64_t, Noted> noted_;
  std::uint64_t matched_ = 0;
  double least_seconds_ = 0;
  double most_seconds_ = 0;
  double all_seconds_ = 0;
};

/// The vertices that satisfy the expression with those above them, in preorder, as granted
/// exclusively. O(vertices x (predicates + jobs)).
std::vector<match::Grant> find_vertices(const Ledger& ledger, const FindExpression& expression);

}  // namespace tenure::query
