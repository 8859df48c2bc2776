#!/usr/bin/env bash
# Counts instructions of the benchmarks in instructions.txt and fails when one needs more
# than a tenth above its count. Instructions, unlike seconds, are the same on a busy machine.
#
# usage: instructions.sh TENURE_BENCH [--print]   (--print: the table with the present counts)
set -euo pipefail
bench=$1 mode=${2:-check}
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
# Another compiler makes other code: the counts are those of one.
table=$(dirname "${BASH_SOURCE[0]}")/instructions.txt
status=0 checked=0
while read -r name function expected; do
  [[ $name != \#* ]] || continue
  log=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$function" \
    "$bench" --benchmark_filter="^$name\$" --benchmark_min_time=0 2>&1) || { echo "$log"; exit 1; }
  count=$(sed -n 's/^==[0-9]*== Collected : \([0-9]*\)$/\1/p' <<<"$log")
  [[ -n $count && $count != 0 ]] || { echo "$name: $function was never called"; exit 1; }
  checked=$((checked + 1))
  if [[ $mode == --print ]]; then
    printf '%-25s %-38s %9d\n' "$name" "$function" "$count"
  elif ((count * 10 > expected * 11)); then
    echo "$name: $count instructions, $expected are on record (more than a tenth above)"
    status=1
  elif ((count * 10 < expected * 9)); then
    echo "$name: $count instructions, $expected are on record: record the better count"
  fi
done <"$table"
echo "$checked counts checked"
exit "$status"
