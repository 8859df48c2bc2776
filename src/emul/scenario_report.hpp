// ScenarioReport: what the instance does, as the events of docs/scenarios.md.
//
// Times become seconds relative to the start (integers when whole), job ids the scenario's
// labels, in texts too. Counts for the summary are kept on the way.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emul/instance.hpp"
#include "emul/output.hpp"
#include "plan/impact.hpp"
#include "sched/plan_view.hpp"

namespace tenure::emul {

/// Seconds from `start` to `time`: an integer when whole, null for never().
boost::json::value relative_seconds(Time time, Time start);
/// The same as text, for the reasons that the scheduler writes.
std::string relative_text(Time time, Time start);

/// The name of a job, if it has one.
using JobNames = std::function<std::optional<std::string>(JobId)>;
/// The text with each job id (ƒ…) that has a name replaced by it.
std::string with_job_names(std::string_view text, const JobNames& names);

struct Mismatch {
  std::string what;  ///< "start of A"
  boost::json::value expected;
  boost::json::value actual;
};

class ScenarioReport final : public Observer {
 public:
  ScenarioReport(Time start, Output& output) : start_(start), output_(&output) {}
  /// Must be called before anything else; the instance must outlive the report.
  void watch(const Instance& instance) { instance_ = &instance; }

  // ---- Observer ----------------------------------------------------------------------
  void on_submit(JobId id) override;
  void on_deny(JobId id, std::string_view note) override;
  void on_start(JobId id, const sched::AllocSuccess& success) override;
  void on_annotate(JobId id, const sched::Annotations& annotations) override;
  void on_update(JobId id, const Result<std::optional<Time>>& end) override;
  void on_finish(JobId id, FinishReason reason) override;
  void on_free(JobId id, const Idset& ranks, bool final) override;
  void on_cancel(JobId id) override;
  void on_fault(std::string_view text) override;

  // ---- answers to questions ----------------------------------------------------------
  void plan();
  /// The answer to `impact`; an error: the job manager would refuse already.
  void impact(JobId id, const Result<plan::Impact>& impact,
              const std::optional<plan::FreeUntil>& free);
  void expect(const std::vector<Mismatch>& mismatches);
  enum class End { exhausted, stopped };
  void summary(End end);

  boost::json::value seconds(Time time) const { return relative_seconds(time, start_); }
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  struct Held {
    std::uint64_t nodes = 0;
    Time since;
  };

  boost::json::object event(std::string_view kind) const;
  boost::json::object event(std::string_view kind, JobId id) const;
  boost::json::value name(JobId id) const;
  sched::PlanTerms terms() const;
  /// Job ids (ƒ…) replaced by labels.
  std::string with_labels(std::string_view text) const;
  void account(JobId id, std::uint64_t nodes);

  Time start_;
  Output* output_;
  const Instance* instance_ = nullptr;
  std::vector<std::string> faults_;
  std::vector<JobId> submitted_;
  std::map<JobId, Held> held_;
  std::uint64_t started_ = 0;
  std::uint64_t denied_ = 0;
  std::uint64_t canceled_ = 0;
  std::map<FinishReason, std::uint64_t> finished_;
  std::map<JobId, Time> submit_time_;
  double wait_sum_ = 0;
  double wait_max_ = 0;
  double node_seconds_ = 0;
  std::optional<Time> first_start_;
  std::uint64_t failed_expectations_ = 0;
};

}  // namespace tenure::emul
