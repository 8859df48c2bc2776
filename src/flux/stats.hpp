// What `flux module stats sched-tenure` prints: queue, passes, depths, pass times with
// percentiles, expiration updates, annotations, match counters. docs/flux.md names each.
#pragma once

#include <boost/json.hpp>

#include "flux/pass_loop.hpp"
#include "sched/scheduler.hpp"
#include "sched/site_config.hpp"

namespace tenure::flux {

boost::json::object stats(const sched::Scheduler& scheduler, const PassLoop& loop,
                          const sched::SiteConfig& site);

}  // namespace tenure::flux
