#!/usr/bin/env bash
# The end of a running job moves: the plan and the estimate of the next job follow.
source "$(dirname "$0")/common.sh"
in_flux --conf=sched-tenure.policy=conservative --conf=sched-tenure.annotate-interval=0.1

check 'the next job is expected when the running one ends'
first=$(submit -N4 -t 10m)
wait_start "$first"
next=$(submit -N4 -t 10m)
third=$(submit -N1 -t 5m)
end=$(expiration "$first")
eventually estimate_is "$next" "$end"
equal "$(annotation "$next" selection_type)" reserved
contains "$(annotation "$next" reason_pending)" "needs 4 nodes, 0 free now"

check 'an extension moves every job behind it'
flux update "$first" duration=+1h
near "$(expiration "$first")" "$(awk -v e="$end" 'BEGIN { printf "%.3f", e + 3600 }')" 0.01
end=$(expiration "$first")
eventually estimate_is "$next" "$end"
eventually estimate_is "$third" "$(awk -v e="$end" 'BEGIN { printf "%.3f", e + 600 }')"

check 'the new end is known after the scheduler was reloaded'
flux module reload sched-tenure
eventually estimate_is "$next" "$end"

check 'a cut moves them up'
flux update "$first" duration=-30m
end=$(expiration "$first")
eventually estimate_is "$next" "$end"

check 'extended again and again, the last value counts'
for _ in 1 2 3 4 5; do flux update "$first" duration=+10m; done
end=$(expiration "$first")
eventually estimate_is "$next" "$end"

check 'an end in the past is refused by the job manager and changes nothing'
refused 'past' flux update "$first" duration=10ms
equal "$(expiration "$first")" "$end"
eventually estimate_is "$next" "$end"

check 'without an end, nothing can be planned behind the job'
flux update "$first" duration=0
equal "$(expiration "$first")" 0
eventually test -z "$(estimate "$next")"
unplanned() { [[ -z $(estimate "$next") && $(annotation "$next" reason_pending) == *'without an end'* ]]; }
eventually unplanned

check 'with an end again, the estimate is back'
flux update "$first" duration=2h
eventually estimate_is "$next" "$(expiration "$first")"

check 'a running job with the same end again: nothing is planned'
searches=$(stat_of match.placement-searches)
flux update "$first" duration=2h
equal "$(stat_of match.placement-searches)" "$searches"

check 'the next job starts as soon as the first is gone'
flux cancel "$first"
wait_start "$next"
cancel "$next" "$third"
equal "$(allocated_nodes)" 0
