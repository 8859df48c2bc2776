// FluxPeer: carries what the scheduler says to the job manager and to the KVS.
//
// Invariants
//  1. An alloc's request is kept, without its payload, from the moment it arrives until its
//     one final answer; errors are never sent as answers (RFC 27: that stops scheduling).
//  2. R is committed before SUCCESS: the scheduler sends SUCCESS after committed(). The Rs
//     of one pass go to the KVS in transactions of at most kMaxBatch.
//  3. Nothing calls back into the scheduler from inside a Peer method: outcomes that are
//     known at once are delivered by the next flush().
//
// All operations are O(1) but for the size of R.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "flux/handle.hpp"
#include "sched/scheduler.hpp"

namespace tenure::flux {

class FluxPeer : public sched::Peer {
 public:
  /// Most Rs in one KVS transaction.
  static constexpr std::size_t kMaxBatch = 256;

  /// What becomes of a commit; called from the reactor or from flush().
  using Committed = std::function<void(JobId, const Result<void>&)>;

  FluxPeer(flux_t* handle, Committed committed)
      : handle_(handle), committed_(std::move(committed)) {}

  /// Before the first pass: where R is written from.
  void serve(const sched::Scheduler& scheduler) { scheduler_ = &scheduler; }

  /// Keeps the request of an alloc. False: the job has one already.
  bool keep_alloc(JobId id, const flux_msg_t& request);
  void drop_alloc(JobId id) { allocs_.erase(id); }
  /// Sends what commit() collected, and delivers outcomes that are known already.
  void flush();
  bool needs_flush() const { return !batch_.empty() || !failed_.empty(); }

  void commit(const sched::AllocSuccess& success) override;
  void succeed(const sched::AllocSuccess& success) override;
  void deny(JobId id, std::string_view note) override;
  void cancel(JobId id) override;
  bool annotate(JobId id, const sched::Annotations& annotations) override;
  void log(sched::LogLevel level, std::string_view text) override;

 private:
  /// A transaction on its way.
  struct Batch {
    Future future;
    std::vector<JobId> jobs;
  };

  bool answer(JobId id, const boost::json::object& payload);
  void answer_last(JobId id, const boost::json::object& payload);
  void send_batch();
  void fail(const std::vector<JobId>& jobs, const Error& error);
  static void on_committed(flux_future_t* future, void* peer);

  flux_t* handle_;
  Committed committed_;
  const sched::Scheduler* scheduler_ = nullptr;
  boost::unordered_flat_map<JobId, Message> allocs_;
  /// R as SUCCESS carries it, from commit() to succeed().
  boost::unordered_flat_map<JobId, boost::json::object> stored_;
  KvsTransaction transaction_;
  std::vector<JobId> batch_;  ///< the jobs of transaction_
  boost::unordered_flat_map<flux_future_t*, Batch> under_way_;
  std::vector<std::pair<JobId, Error>> failed_;
};

}  // namespace tenure::flux
