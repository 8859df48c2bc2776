// Protocol messages (RFC 27, RFC 28): a session, one message a line, "TOPIC PAYLOAD", with a
// live scheduler.
//
// What is decoded is encoded and decoded as the same; what is refused changes nothing; each
// alloc is answered exactly once; after each complete pass the plan is that from scratch.
// Besides the topics of the RFCs: "pass SECONDS", "stored ID" and "not-stored ID" (the
// outcome of a commit).
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "fuzz/target.hpp"
#include "plan/from_scratch.hpp"
#include "sched/rig.hpp"

namespace tenure::fuzz {
namespace {

namespace json = boost::json;
using testing::difference_from_scratch;

/// Whole microseconds are exact in JSON's reals up to here (the year 2255).
constexpr std::int64_t kExactMicroseconds = 9'000'000'000'000'000;

bool is_exact(Time time) { return time.is_never() || time.count() < kExactMicroseconds; }

/// Answers, held against the allocs that are pending.
class Peer : public sched::Peer {
 public:
  void commit(const sched::AllocSuccess& success) override {
    require(pending.contains(success.start.id), "a commit for a job that does not wait");
    require(committing.insert(success.start.id).second, "two commits of one job under way");
  }
  void succeed(const sched::AllocSuccess& success) override {
    const auto& start = success.start;
    require(!start.placement.resources.empty(), "job {} is given nothing", start.id.value());
    answered(start.id);
  }
  void deny(JobId id, std::string_view) override { answered(id); }
  void cancel(JobId id) override { answered(id); }
  bool annotate(JobId id, const sched::Annotations& annotations) override {
    require(pending.contains(id), "an annotation for job {}, which does not wait", id.value());
    require(!annotations.empty(), "an annotation without a key");
    return true;
  }
  void log(sched::LogLevel, std::string_view) override {}

  std::set<JobId> pending;
  std::set<JobId> committing;

 private:
  void answered(JobId id) {
    require(pending.erase(id) == 1, "an answer for job {}, which does not wait", id.value());
  }
};

class Session {
 public:
  Session() {
    auto acquired = sched::decode_acquire_initial(
        json::object{{"resources", sched::testing::inventory(4, 100'000)}, {"up", "0-3"}});
    require(acquired.has_value(), "the inventory is refused");
    scheduler_ =
        std::make_unique<sched::Scheduler>(*std::move(acquired), sched::SchedulerSettings{}, peer_);
  }

  void take(std::string_view line) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view topic = line.substr(0, blank);
    const std::string_view rest = line.substr(std::min(blank + 1, line.size()));
    if (topic == "pass") return pass(number(rest));
    if (topic == "stored" || topic == "not-stored") return store(topic == "stored", number(rest));
    const auto payload = as_json(rest);
    if (!payload) return;
    const std::string before = testing::text_of(scheduler_->engine());
    const auto outcome = message(topic, *payload);
    if (outcome) return;
    check_error(outcome.error());
    require(before == testing::text_of(scheduler_->engine()), "refused ({}), and something changed",
            outcome.error().message);
  }

  /// Whatever is still open is answered once.
  void close() {
    while (!peer_.committing.empty()) store(true, peer_.committing.begin()->value());
    for (const JobId id : std::set<JobId>(peer_.pending)) scheduler_->cancel(id);
    require(peer_.pending.empty(), "job {} was never answered",
            peer_.pending.empty() ? 0 : peer_.pending.begin()->value());
  }

 private:
  static std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  void pass(std::uint64_t seconds) {
    now_ = now_ +
           Duration::seconds(static_cast<std::int64_t>(std::min<std::uint64_t>(seconds, 100'000)));
    scheduler_->run_pass(now_);
    // Starts are in the engine already, whatever becomes of their commits.
    const std::string difference = difference_from_scratch(scheduler_->engine(), now_);
    require(difference.empty(), "{}", difference);
  }

  void store(bool stored, std::uint64_t id) {
    if (peer_.committing.erase(JobId(id)) == 0) return;  // nothing was asked for
    scheduler_->committed(JobId(id),
                          stored ? Result<void>{} : failure(ErrorCode::io, "the store is full"));
  }

  Result<void> message(std::string_view topic, const json::value& payload) {
    if (topic == "alloc") return alloc(payload);
    if (topic == "cancel") return cancel(payload);
    if (topic == "free") return free(payload);
    if (topic == "prioritize") return prioritize(payload);
    if (topic == "expiration") return expiration(payload);
    if (topic == "update") return update(payload);
    if (topic == "hello") return hello(payload);
    if (topic == "acquire") return acquire(payload);
    if (topic == "reconfigure" && payload.is_object()) {
      return scheduler_->reconfigure(payload.get_object());
    }
    return {};
  }

  Result<void> alloc(const json::value& payload) {
    const auto envelope = sched::decode_alloc(payload);
    if (!envelope) return envelope.error();
    const bool known = peer_.pending.contains(envelope->id) ||
                       scheduler_->engine().find_allocation(envelope->id) != nullptr;
    if (!known) peer_.pending.insert(envelope->id);
    auto spec = jobspec::parse(*envelope->jobspec);
    if (!spec) {
      scheduler_->alloc_unreadable(envelope->id, spec.error());
      return {};
    }
    const sched::AllocRequest request{envelope->id, envelope->priority, envelope->user,
                                      envelope->submit,
                                      std::make_shared<const jobspec::Jobspec>(*std::move(spec))};
    const json::value sent = sched::encode(request, *envelope->jobspec);
    const auto again = sched::decode_alloc(sent);
    require(again.has_value() && again->id == request.id && again->priority == request.priority &&
                again->user == request.user && *again->jobspec == *envelope->jobspec &&
                (!is_exact(request.submit) || again->submit == request.submit),
            "an alloc is decoded as another");
    scheduler_->alloc(request, now_);
    return {};
  }

  Result<void> cancel(const json::value& payload) {
    const auto id = sched::decode_cancel(payload);
    if (!id) return id.error();
    scheduler_->cancel(*id);
    return {};
  }

  Result<void> free(const json::value& payload) {
    const auto request = sched::decode_free(payload);
    if (!request) return request.error();
    if (const json::value* r = payload.as_object().if_contains("R");
        r != nullptr && !r->is_null()) {
      const auto again = sched::decode_free(sched::encode(*request, *r));
      require(again.has_value() && again->id == request->id && again->ranks == request->ranks &&
                  again->kind == request->kind,
              "a free is decoded as another");
    }
    scheduler_->free(*request);
    return {};
  }

  Result<void> prioritize(const json::value& payload) {
    const auto request = sched::decode_prioritize(payload);
    if (!request) return request.error();
    const auto again = sched::decode_prioritize(sched::encode(*request));
    require(again.has_value() && again->jobs == request->jobs, "other priorities are decoded");
    scheduler_->prioritize(*request);
    return {};
  }

  Result<void> expiration(const json::value& payload) {
    const auto request = sched::decode_expiration(payload);
    if (!request) return request.error();
    const auto again = sched::decode_expiration(sched::encode(*request));
    require(again.has_value() && again->id == request->id &&
                (!is_exact(request->expiration) || again->expiration == request->expiration),
            "an expiration is decoded as another");
    return scheduler_->expiration(*request);
  }

  Result<void> update(const json::value& payload) {
    const auto request = sched::decode_acquire_update(payload);
    if (!request) return request.error();
    const auto again = sched::decode_acquire_update(sched::encode(*request));
    require(again.has_value() && again->up == request->up && again->down == request->down &&
                again->shrink == request->shrink && again->property_add == request->property_add &&
                again->property_remove == request->property_remove &&
                again->expiration.has_value() == request->expiration.has_value(),
            "an update is decoded as another");
    scheduler_->update(*request);
    return {};
  }

  /// {"R": …, "duration": seconds, …}: the R of a hello comes from another service.
  Result<void> hello(const json::value& payload) {
    const json::object* object = payload.if_object();
    const json::value* r = object == nullptr ? nullptr : object->if_contains("R");
    const json::value null;
    const auto job = sched::decode_hello(payload, r == nullptr ? null : *r, std::nullopt,
                                         scheduler_->engine().graph());
    if (!job) return job.error();
    scheduler_->hello(*job);
    return {};
  }

  static Result<void> acquire(const json::value& payload) {
    const auto initial = sched::decode_acquire_initial(payload);
    if (!initial) return initial.error();
    return {};
  }

  Peer peer_;
  std::unique_ptr<sched::Scheduler> scheduler_;
  Time now_ = Time::seconds(1000);
};

}  // namespace
}  // namespace tenure::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tenure::fuzz;  // NOLINT: the entry point alone stands outside
  constexpr int kMaxMessages = 200;
  std::string_view text = as_text(bytes, size);
  Session session;
  for (int i = 0; i < kMaxMessages && !text.empty(); ++i) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    session.take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  session.close();
  return 0;
}
