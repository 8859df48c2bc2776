// Rig: a scheduler on a small machine and a peer that writes down what it hears.
//
// Time is a parameter everywhere. Commits wait in `commits` until the test gives their
// outcome, so that anything can come in between.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sched/codec.hpp"
#include "sched/scheduler.hpp"

namespace tenure::sched::testing {

inline Time at(std::int64_t seconds) { return Time::seconds(seconds); }
inline Duration secs(std::int64_t seconds) { return Duration::seconds(seconds); }
inline Idset ids(std::string_view text) { return *Idset::parse(text); }

struct RecordingPeer : Peer {
  struct Annotation {
    JobId id;
    Annotations annotations;
  };

  void commit(const AllocSuccess& success) override { commits.push_back(success); }
  void succeed(const AllocSuccess& success) override {
    answers[success.start.id].push_back("success");
    successes.push_back(success);
  }
  void deny(JobId id, std::string_view note) override {
    answers[id].push_back("deny");
    notes[id] = note;
  }
  void cancel(JobId id) override { answers[id].push_back("cancel"); }
  bool annotate(JobId id, const Annotations& annotations) override {
    ++attempts;
    if (deaf) return false;
    sent.push_back({id, annotations});
    return true;
  }
  void log(LogLevel level, std::string_view text) override {
    logs.emplace_back(level, std::string(text));
  }

  std::vector<std::string> answers_of(std::uint64_t id) const {
    const auto found = answers.find(JobId(id));
    return found == answers.end() ? std::vector<std::string>{} : found->second;
  }
  std::size_t logged(LogLevel level) const {
    std::size_t count = 0;
    for (const auto& entry : logs) count += entry.first == level ? 1 : 0;
    return count;
  }

  std::deque<AllocSuccess> commits;
  std::vector<AllocSuccess> successes;
  std::map<JobId, std::vector<std::string>> answers;
  std::map<JobId, std::string> notes;
  std::vector<Annotation> sent;
  std::vector<std::pair<LogLevel, std::string>> logs;
  std::size_t attempts = 0;
  bool deaf = false;  ///< annotate() fails
};

/// `nodes` nodes of 4 cores on ranks 0 …, until `expiration` (0: without end).
inline boost::json::value inventory(std::uint32_t nodes, std::int64_t expiration = 0) {
  return boost::json::parse(fmt::format(
      R"({{"version": 1, "execution": {{
        "R_lite": [{{"rank": "0-{0}", "children": {{"core": "0-3"}}}}],
        "starttime": 0, "expiration": {1}, "nodelist": ["n[0-{0}]"]}}}})",
      nodes - 1, expiration));
}

struct RigOptions {
  std::uint32_t nodes = 4;
  std::string up = "all";
  std::int64_t expiration = 0;
  boost::json::object config = {{"policy", "easy"}};
  std::vector<std::string> queues = {};
};

class Rig {
 public:
  explicit Rig(const RigOptions& options = {}) {
    auto acquired = decode_acquire_initial(boost::json::object{
        {"resources", inventory(options.nodes, options.expiration)},
        {"up", options.up == "all" ? fmt::format("0-{}", options.nodes - 1) : options.up}});
    CHECK(acquired.has_value(), "{}", acquired.error().message);
    const auto config = apply(Config{}, options.config);
    CHECK(config.has_value(), "{}", config.error().message);
    SchedulerSettings settings;
    settings.config = *config;
    for (const std::string& name : options.queues) {
      plan::QueueOptions queue;
      queue.name = name;
      settings.config.options.queues.push_back(std::move(queue));
    }
    scheduler = std::make_unique<Scheduler>(*std::move(acquired), std::move(settings), peer);
  }

  static std::shared_ptr<const jobspec::Jobspec> spec(jobspec::Shorthand shorthand) {
    auto parsed = jobspec::parse(jobspec::write(shorthand));
    CHECK(parsed.has_value(), "{}", parsed.error().message);
    return std::make_shared<const jobspec::Jobspec>(*std::move(parsed));
  }
  static std::shared_ptr<const jobspec::Jobspec> whole(std::uint64_t nodes, Duration duration) {
    jobspec::Shorthand shorthand;
    shorthand.nodes = nodes;
    shorthand.slots = nodes;
    shorthand.exclusive = true;
    shorthand.duration = duration;
    return spec(shorthand);
  }
  void alloc(std::uint64_t id, std::shared_ptr<const jobspec::Jobspec> jobspec, Time now,
             std::uint32_t priority = 16) {
    scheduler->alloc(
        AllocRequest{JobId(id), Priority(priority), UserId(1000), now, std::move(jobspec)}, now);
  }
  void alloc(std::uint64_t id, std::uint64_t nodes, Duration duration, Time now,
             std::uint32_t priority = 16) {
    alloc(id, whole(nodes, duration), now, priority);
  }
  /// The outcome of the oldest commit.
  void commit_next(const Result<void>& outcome = {}) {
    CHECK(!peer.commits.empty());
    const JobId id = peer.commits.front().start.id;
    peer.commits.pop_front();
    scheduler->committed(id, outcome);
  }
  /// Passes and commits until nothing more starts at `now`.
  void settle(Time now) {
    scheduler->run_pass(now);
    while (!peer.commits.empty()) {
      while (!peer.commits.empty()) commit_next();
      scheduler->run_pass(now);
    }
  }
  void free(std::uint64_t id, std::string_view ranks = "",
            plan::Engine::Release kind = plan::Engine::Release::final) {
    scheduler->free(FreeRequest{JobId(id), ids(ranks), kind});
  }
  Result<void> expire(std::uint64_t id, Time expiration) {
    return scheduler->expiration(ExpirationRequest{JobId(id), expiration});
  }
  std::optional<Time> planned(std::uint64_t id) const {
    const auto* entry = scheduler->engine().find_planned(JobId(id));
    if (entry == nullptr || entry->outcome != plan::PlannedJob::Outcome::reserved) {
      return std::nullopt;
    }
    return entry->placement.span.start;
  }
  Time end_of(std::uint64_t id) const {
    const auto* allocation = scheduler->engine().find_allocation(JobId(id));
    CHECK(allocation != nullptr, "job {} holds nothing", id);
    return allocation->span.end;
  }
  Idset held(std::uint64_t id) const {
    const auto* allocation = scheduler->engine().find_allocation(JobId(id));
    return allocation ? scheduler->engine().graph().ranks_of(allocation->resources) : Idset();
  }
  /// What the job manager shows for a job, from all annotations sent.
  struct View {
    std::optional<Time> t_estimate;
    std::optional<std::string> reason_pending;
    std::optional<std::string> selection_type;
  };
  View view(std::uint64_t id) const {
    View shown;
    for (const auto& [job, changes] : peer.sent) {
      if (job != JobId(id)) continue;
      if (changes.t_estimate) shown.t_estimate = *changes.t_estimate;
      if (changes.reason_pending) shown.reason_pending = *changes.reason_pending;
      if (changes.selection_type) shown.selection_type = *changes.selection_type;
    }
    return shown;
  }

  std::unique_ptr<RecordingPeer> owned = std::make_unique<RecordingPeer>();
  RecordingPeer& peer = *owned;  ///< a rig may move, its peer may not
  std::unique_ptr<Scheduler> scheduler;
};

}  // namespace tenure::sched::testing
