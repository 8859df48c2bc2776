// Fanout: one observer that passes everything on to several, in their order.
//
// Invariant: every callback of Observer is passed on; a new one must be added here too.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "emul/instance.hpp"

namespace tenure::emul {

class Fanout final : public Observer {
 public:
  /// They must outlive the fan-out; null pointers are left out.
  explicit Fanout(std::initializer_list<Observer*> observers) {
    for (Observer* observer : observers) {
      if (observer != nullptr) observers_.push_back(observer);
    }
  }

  void on_submit(JobId id) override {
    for (Observer* o : observers_) o->on_submit(id);
  }
  void on_deny(JobId id, std::string_view note) override {
    for (Observer* o : observers_) o->on_deny(id, note);
  }
  void on_start(JobId id, const sched::AllocSuccess& success) override {
    for (Observer* o : observers_) o->on_start(id, success);
  }
  void on_annotate(JobId id, const sched::Annotations& annotations) override {
    for (Observer* o : observers_) o->on_annotate(id, annotations);
  }
  void on_update(JobId id, const Result<std::optional<Time>>& end) override {
    for (Observer* o : observers_) o->on_update(id, end);
  }
  void on_finish(JobId id, FinishReason reason) override {
    for (Observer* o : observers_) o->on_finish(id, reason);
  }
  void on_free(JobId id, const Idset& ranks, bool final) override {
    for (Observer* o : observers_) o->on_free(id, ranks, final);
  }
  void on_cancel(JobId id) override {
    for (Observer* o : observers_) o->on_cancel(id);
  }
  void on_nodes(const Idset& ranks, NodeChange change) override {
    for (Observer* o : observers_) o->on_nodes(ranks, change);
  }
  void on_settled() override {
    for (Observer* o : observers_) o->on_settled();
  }
  void on_log(sched::LogLevel level, std::string_view text) override {
    for (Observer* o : observers_) o->on_log(level, text);
  }
  void on_fault(std::string_view text) override {
    for (Observer* o : observers_) o->on_fault(text);
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace tenure::emul
