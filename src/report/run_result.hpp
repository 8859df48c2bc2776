// The result file of a scenario: a recorder beside its output, and the document.
//
// Units are nodes when every request is for whole nodes, else cores. A job ends as `killed` when
// its expiration cut a run time that the scenario gives; without one nobody knows of work left,
// and it ends as `done`.
//
// Invariant: job i of the record has the id i + 1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emul/announcements.hpp"
#include "emul/down_log.hpp"
#include "emul/instance.hpp"
#include "emul/job_record.hpp"
#include "emul/replay.hpp"
#include "report/machine_units.hpp"
#include "report/result.hpp"
#include "sched/snapshot.hpp"

namespace tenure::report {

class RunRecorder final : public emul::Observer {
 public:
  /// Must be called before anything else; the instance must live until result().
  void watch(const emul::Instance& instance) { instance_ = &instance; }

  void on_submit(JobId id) override;
  void on_deny(JobId id, std::string_view note) override;
  void on_start(JobId id, const sched::AllocSuccess& success) override;
  void on_update(JobId id, const Result<std::optional<Time>>& end) override;
  void on_finish(JobId id, emul::FinishReason reason) override;
  void on_cancel(JobId id) override;
  void on_nodes(const Idset& ranks, emul::NodeChange change) override;
  void on_settled() override;

  /// Of a run that began at `start`, as it is now. `head` has producer, name and config.
  std::string result(ResultHead head, Time start) const;

 private:
  emul::JobRecord& of(JobId id) { return jobs_[id.value() - 1]; }
  /// With units, and the plan at the end.
  std::vector<emul::JobRecord> final_jobs(UnitKind kind, const Cluster& cluster) const;
  bool shares_any() const;

  const emul::Instance* instance_ = nullptr;
  std::vector<emul::JobRecord> jobs_;
  std::map<JobId, graph::ResourceSet> granted_;
  emul::Announcements announcements_;
  std::vector<emul::ExtensionEvent> events_;
  emul::DownLog down_;
};

/// What a snapshot says, as a result: what runs, what is planned, and what waits without a
/// plan; `command` is snapshot. Nothing of the past is known, so that submissions of running
/// jobs are given as their starts, and there are no metrics but counts. Plans the snapshot's
/// engine.
std::string snapshot_result(sched::Snapshot& snapshot, std::string_view name,
                            std::string_view producer);

}  // namespace tenure::report
