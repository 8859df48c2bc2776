// JobTable: what the emulated job manager and execution system know of each job.
//
// Invariants
//  1. Ids are 1, 2, 3 … in submission order and never reused.
//  2. A job is in one state; `granted` is what its first R said and never shrinks, `freed`
//     the ranks of it that were released since.
//
// Lookup is O(1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "base/idset.hpp"
#include "emul/instance.hpp"
#include "plan/job.hpp"

namespace tenure::emul {

struct Job {
  JobId id;
  Submission asked;  ///< jobspec and `parsed` are kept up to date
  Priority priority;
  Time submit;
  JobState state = JobState::pending;
  bool denied = false;
  bool outstanding = false;                  ///< an alloc waits for its answer
  bool resend = false;                       ///< its CANCEL makes way for a new alloc
  bool committed = false;                    ///< R is in the KVS
  Duration duration = Duration::infinite();  ///< present walltime; infinite: unlimited
  std::optional<Time> start;
  Time expiration = Time::never();
  std::optional<Time> timer;  ///< of its end while it runs, of its free in the epilog
  std::uint64_t nslots = 1;
  graph::ResourceSet granted;  ///< in the machine's own numbering
  Idset ranks;                 ///< of `granted`
  Idset freed;

  bool holds_resources() const { return state == JobState::running || state == JobState::epilog; }
  plan::QueueKey key() const { return plan::QueueKey{priority, submit, id}; }
  Time end() const {
    return asked.runtime ? std::min(*start + *asked.runtime, expiration) : expiration;
  }
};

class JobTable {
 public:
  Job& add(Submission submission, Time now) {
    Job& job = jobs_.emplace_back();
    job.id = JobId(jobs_.size());
    job.priority = submission.priority.value_or(Priority(submission.urgency));
    job.submit = now;
    job.asked = std::move(submission);
    return job;
  }
  /// nullptr when there is no such job.
  const Job* find(JobId id) const {
    return id.value() >= 1 && id.value() <= jobs_.size() ? &jobs_[id.value() - 1] : nullptr;
  }
  Job* find(JobId id) { return const_cast<Job*>(std::as_const(*this).find(id)); }
  /// Requires that the job exists.
  const Job& at(JobId id) const {
    const Job* job = find(id);
    CHECK(job != nullptr, "no job {}", id.value());
    return *job;
  }
  Job& at(JobId id) { return const_cast<Job&>(std::as_const(*this).at(id)); }

  auto begin() { return jobs_.begin(); }
  auto end() { return jobs_.end(); }
  auto begin() const { return jobs_.begin(); }
  auto end() const { return jobs_.end(); }

 private:
  std::deque<Job> jobs_;  ///< references stay valid
};

}  // namespace tenure::emul
