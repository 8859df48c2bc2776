#!/usr/bin/env bash
# Single requests of RFC 27: what is refused, with which error, and what it leaves as it was.
source "$(dirname "$0")/common.sh"
in_flux --conf=sched-tenure.policy=conservative --conf=sched-tenure.annotate-interval=0.1

first=$(submit -N4 -t 10m)
wait_start "$first"
next=$(submit -N4 -t 10m)
id=$(flux job id "$first")
end=$(expiration "$first")
eventually estimate_is "$next" "$end"

expire() { rpc sched.expiration "{\"id\": $1, \"expiration\": $2}"; }

check 'a wrong expiration is EINVAL with the value, and logged'
refused 'EINVAL' expire "$id" -1
refused '-1' expire "$id" -1
refused 'EINVAL' expire "$id" '"soon"'
refused 'EINVAL' rpc sched.expiration "{\"id\": $id}"
refused 'EINVAL' expire "$id" 1000
logged 'expiration refused'

check 'an unknown or pending job is ENOENT with its state'
refused 'ENOENT' expire 123456789 2000000000
refused 'is not known here' expire 123456789 2000000000
refused 'is pending' expire "$(flux job id "$next")" 2000000000

check 'the plan is as it was'
eventually estimate_is "$next" "$end"

check 'a real-valued expiration is taken over'
real=$(awk -v e="$end" 'BEGIN { printf "%.3f", e + 100.5 }')
equal "$(expire "$id" "$real")" null
eventually estimate_is "$next" "$real" 0.01

check 'guests may not speak for the job manager'
for topic in sched.alloc sched.free sched.cancel sched.prioritize sched.expiration; do
  refused 'EPERM' as_guest rpc $topic "{\"id\": $id, \"expiration\": 0, \"jobs\": []}"
done
refused 'EPERM' as_guest rpc sched-tenure.config-reload '{}'
eventually estimate_is "$next" "$real" 0.01

check 'feasibility is answered at once, to guests too'
jobspec() { flux submit --dry-run "$@" true; }
equal "$(rpc feasibility.check "{\"jobspec\": $(jobspec -N4)}")" null
equal "$(as_guest rpc feasibility.check "{\"jobspec\": $(jobspec -N2 -n2)}")" null
refused 'needs 5' rpc feasibility.check "{\"jobspec\": $(jobspec -N5)}"
refused 'EINVAL' rpc feasibility.check '{"jobspec": {"version": 1}}'
refused 'jobspec is missing' rpc feasibility.check '{}'

check 'a job that can never run is denied with what is missing'
denied=$(flux submit -N7 true)
flux job wait-event -t 30 "$denied" exception >/dev/null
contains "$(flux job eventlog "$denied")" 'needs 7'

check 'resource-status has what is there, given away and down'
status=$(rpc sched.resource-status '{}')
equal "$(jq -r '.all.execution.R_lite[0].rank' <<<"$status")" 0-3
equal "$(jq -r '.allocated.execution.R_lite[0].rank' <<<"$status")" 0-3
equal "$(jq -r '.down.execution.R_lite | length' <<<"$status")" 0

check 'a malformed request is logged and nothing else'
flux python -c 'import flux; flux.Flux().rpc("sched.free", {"id": "x"}, flags=1)'
flux python -c 'import flux; flux.Flux().rpc("sched.cancel", {}, flags=1)'
flux python -c 'import flux; flux.Flux().rpc("sched.alloc", {}, flags=1)'
eventually logged 'sched.free: '
eventually logged 'sched.alloc: '

check 'a pending job whose duration changes is planned anew'
flux update "$next" duration=20m
behind=$(submit -N4 -t 1m)
eventually estimate_is "$behind" "$(awk -v r="$real" 'BEGIN { printf "%.3f", r + 1200 }')"

check 'a canceled alloc is answered: the job is gone, the one behind it moves up'
flux cancel "$next"
wait_clean "$next"
eventually estimate_is "$behind" "$real"

check 'priority decides who is first'
urgent=$(submit -N4 -t 1m)
flux job urgency "$urgent" 31
eventually estimate_is "$urgent" "$real"
cancel "$first" "$behind" "$urgent"
equal "$(allocated_nodes)" 0
equal "$(stat_of queue.pending)" 0
