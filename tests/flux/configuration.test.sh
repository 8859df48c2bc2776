#!/usr/bin/env bash
# Module arguments, the table [sched-tenure], Fluxion's tables, live reload.
source "$(dirname "$0")/common.sh"
in_flux --conf=sched-tenure.policy=hybrid --conf=sched-tenure.reservation-depth=3 \
  --conf=sched-fluxion-qmanager.queue-params.queue-depth=77 \
  --conf=sched-fluxion-resource.reserve-vtx-vec=1000

check 'the table of the scheduler and those of Fluxion are read'
equal "$(stat_of config.policy)" '"hybrid"'
equal "$(stat_of config.reservation-depth)" 3
equal "$(stat_of config.queue-depth)" 77
logged '[sched-fluxion-resource] reserve-vtx-vec is not taken over'

check 'arguments win'
flux module reload sched-tenure policy=easy pass-budget=5ms
equal "$(stat_of config.policy)" '"easy"'
equal "$(stat_of config.queue-depth)" 77
equal "$(stat_of config.pass-budget)" '"5ms"'

check 'a bad argument keeps the module from loading and says why'
flux module remove sched-tenure
refused '' flux module load sched-tenure policy=slow
logged "module argument: policy: "
refused '' flux module load sched-tenure colour=red
logged "unknown key 'colour'"
refused '' flux module load sched-tenure easy
logged "'easy' is not KEY=VALUE"
flux module load sched-tenure

check 'a new configuration is taken over while jobs run and wait'
running=$(submit -N4 -t 10m)
wait_start "$running"
jobs=()
for _ in 1 2 3; do jobs+=("$(submit -N4 -t 10m)"); done
eventually stat_is queue.planned-starts 3
flux config load <<'TOML'
[sched-tenure]
policy = "easy"
TOML
eventually stat_is queue.planned-starts 1
equal "$(stat_of config.queue-depth)" 1024

check 'a bad one is refused whole'
refused 'reservation-depth' flux config load <<'TOML'
[sched-tenure]
policy = "conservative"
reservation-depth = -1
TOML
equal "$(stat_of config.policy)" '"easy"'
refused 'alloc-limit' flux config load <<'TOML'
[sched-tenure]
alloc-limit = 4
TOML

check 'with a limit, the job manager offers as many jobs as that'
flux module reload sched-tenure alloc-limit=2
eventually stat_is queue.pending 2
eventually stat_is messages.allocs 2
flux cancel "${jobs[0]}"
eventually stat_is messages.allocs 3
cancel "$running" "${jobs[@]:1}"

check 'queues have their own policy; a job for no queue or an unknown one is denied'
flux module reload sched-tenure
flux config load <<'TOML'
[queues.debug]
[queues.batch.policy.scheduler]
policy = "conservative"
[sched-tenure]
policy = "fcfs"
TOML
flux queue start --all --quiet
running=$(submit -N4 -t 10m -q batch)
wait_start "$running"
first=$(submit -N4 -t 10m -q batch)
second=$(submit -N4 -t 10m -q batch)
third=$(submit -N4 -t 10m -q debug)
eventually stat_is queue.planned-starts 2
eventually test -n "$(estimate "$second")"
equal "$(estimate "$third")" ''
cancel "$running" "$first" "$second" "$third"
equal "$(allocated_nodes)" 0
