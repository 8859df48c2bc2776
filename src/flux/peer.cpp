#include "flux/peer.hpp"

#include <utility>

#include "sched/codec.hpp"

namespace tenure::flux {

namespace json = boost::json;

bool FluxPeer::keep_alloc(JobId id, const flux_msg_t& request) {
  if (allocs_.contains(id)) return false;
  Message kept(flux_msg_copy(&request, false));
  CHECK(kept != nullptr, "out of memory");
  allocs_.emplace(id, std::move(kept));
  return true;
}

bool FluxPeer::answer(JobId id, const json::object& payload) {
  const auto alloc = allocs_.find(id);
  if (alloc == allocs_.end()) return false;
  return flux_respond(handle_, alloc->second.get(), json::serialize(payload).c_str()) == 0;
}

void FluxPeer::answer_last(JobId id, const json::object& payload) {
  if (!answer(id, payload)) {
    log(sched::LogLevel::error, last_error("answer to sched.alloc").message);
  }
  allocs_.erase(id);
}

void FluxPeer::commit(const sched::AllocSuccess& success) {
  const JobId id = success.start.id;
  const auto key = kvs_key(id, "R");
  if (!key) return fail({id}, key.error());
  if (!transaction_) transaction_.reset(flux_kvs_txn_create());
  json::object r = sched::encode_r(success, scheduler_->engine().graph(), scheduler_->scheduling());
  const std::string text = json::serialize(r);
  if (!transaction_ || flux_kvs_txn_put(transaction_.get(), 0, key->c_str(), text.c_str()) < 0) {
    return fail({id}, last_error("R"));
  }
  batch_.push_back(id);
  r.erase("scheduling");  // the job manager drops it from the answer
  stored_[id] = std::move(r);
  if (batch_.size() >= kMaxBatch) send_batch();
}

void FluxPeer::flush() {
  send_batch();
  for (const auto& [id, error] : std::exchange(failed_, {})) committed_(id, error);
  send_batch();  // a failed commit may make way for a waiting one
}

void FluxPeer::send_batch() {
  if (batch_.empty()) return;
  std::vector<JobId> jobs = std::exchange(batch_, {});
  const KvsTransaction transaction = std::move(transaction_);
  Future future(flux_kvs_commit(handle_, nullptr, 0, transaction.get()));
  if (!future || flux_future_then(future.get(), -1, on_committed, this) < 0) {
    return fail(jobs, last_error("commit of R"));
  }
  flux_future_t* const key = future.get();
  under_way_.emplace(key, Batch{std::move(future), std::move(jobs)});
}

void FluxPeer::fail(const std::vector<JobId>& jobs, const Error& error) {
  for (const JobId id : jobs) failed_.emplace_back(id, error);
}

void FluxPeer::on_committed(flux_future_t* future, void* peer) {
  auto& self = *static_cast<FluxPeer*>(peer);
  const auto found = self.under_way_.find(future);
  const Batch batch = std::move(found->second);
  self.under_way_.erase(found);
  Result<void> outcome;
  if (flux_future_get(future, nullptr) < 0) outcome = error_of(future, "commit of R");
  for (const JobId id : batch.jobs) self.committed_(id, outcome);
}

void FluxPeer::succeed(const sched::AllocSuccess& success) {
  const JobId id = success.start.id;
  json::object payload = sched::encode_success(success);
  const auto r = stored_.find(id);
  CHECK(r != stored_.end(), "job {} succeeds and its R was not stored", id.value());
  payload["R"] = std::move(r->second);
  stored_.erase(r);
  answer_last(id, payload);
}

void FluxPeer::deny(JobId id, std::string_view note) {
  stored_.erase(id);
  answer_last(id, sched::encode_deny(id, note));
}

void FluxPeer::cancel(JobId id) {
  stored_.erase(id);
  answer_last(id, sched::encode_cancel(id));
}

bool FluxPeer::annotate(JobId id, const sched::Annotations& annotations) {
  return answer(id, sched::encode_annotate(id, annotations));
}

void FluxPeer::log(sched::LogLevel level, std::string_view text) {
  flux::log(handle_, level, text);
}

}  // namespace tenure::flux
