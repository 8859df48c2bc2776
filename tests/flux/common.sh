# Helpers of the tests in a real Flux instance. A test script sources this file, says what
# instance it needs and then makes its checks:
#
#   source "$(dirname "$0")/common.sh"
#   in_flux --nodes=4 --cores=4       # from here on inside a new instance with sched-tenure
#   check "what must hold"            # names the checks that follow
#   equal "$(command)" expected
#   eventually test -f there
#
# Nothing sleeps for a fixed time: `eventually` asks again until it holds or time is up.
# Environment: TENURE_FLUX_DIR, the build's flux/ folder. Exit status: 0, 1 when a check
# failed, 77 when flux-core is not here.
set -euo pipefail

readonly patience=${TENURE_TEST_PATIENCE:-30}  # seconds until a condition must hold
current_check='start'

skip() {
  printf 'SKIPPED: %s\n' "$*" >&2
  exit 77
}

fail() {
  printf 'FAILED: %s\n  %s\n' "$current_check" "$*" >&2
  flux dmesg 2>/dev/null | grep -v 'debug\[' | tail -n 20 >&2 || true
  exit 1
}

# in_flux [--nodes=N] [--cores=N] [--brokers=N] [flux start options...]: goes on inside an
# instance whose scheduler is sched-tenure: one broker with fake nodes, or, with --brokers, as many
# on this machine with what it has. The scheduler's configuration: --conf=sched-tenure.KEY=VALUE.
in_flux() {
  [[ -z ${TENURE_TEST_INSIDE:-} ]] || return 0
  local nodes=4 cores=4 brokers=0 options=()
  for option; do
    case $option in
      --nodes=*) nodes=${option#*=} ;;
      --cores=*) cores=${option#*=} ;;
      --brokers=*) brokers=${option#*=} ;;
      *) options+=("$option") ;;
    esac
  done
  command -v flux >/dev/null || skip "flux is not on PATH and pkg-config does not find flux-core"
  [[ -f ${TENURE_FLUX_DIR:-}/modules/sched-tenure.so ]] || skip "this build has no sched-tenure.so"
  tenure_environment
  local folder status=0
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  if ((brokers)); then
    options=(-s"$brokers" "${options[@]}")
  else
    options=(-s1 --conf=fake-resources.nnodes="$nodes"
      --conf=fake-resources.cores-per-node="$cores" "${options[@]}")
  fi
  TENURE_TEST_INSIDE=$folder timeout --kill-after=10 "${TENURE_TEST_TIMEOUT:-240}" \
    flux start "${options[@]}" bash "$0" || status=$?
  exit "$status"
}

# The search paths under which flux finds what this build made.
tenure_environment() {
  export FLUX_MODULE_PATH_PREPEND=$TENURE_FLUX_DIR/modules
  export FLUX_EXEC_PATH_PREPEND=$TENURE_FLUX_DIR/cmd
  export FLUX_MODPROBE_PATH_APPEND=$TENURE_FLUX_DIR/modprobe
}

check() {
  current_check=$1
  printf '  %s\n' "$1"
}

equal() {
  [[ $1 == "$2" ]] || fail "got '$1', expected '$2'"
}

# near A B TOLERANCE: numbers that differ by at most TOLERANCE.
near() {
  awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { d = a - b; exit !(a != "" && d <= most && -d <= most) }' ||
    fail "got '$1', expected $2 within $3"
}

# contains TEXT PART
contains() {
  [[ $1 == *"$2"* ]] || fail "'$2' is not in: $1"
}

# refused PART COMMAND...: the command fails, and says PART.
refused() {
  local part=$1 output
  shift
  if output=$("$@" 2>&1); then fail "succeeded: $*"; fi
  contains "$output" "$part"
}

# eventually COMMAND...: the command succeeds within the patience.
eventually() {
  local end=$((SECONDS + patience))
  until "$@" 2>/dev/null; do
    ((SECONDS < end)) || fail "still not after $patience s: $*"
    sleep 0.05
  done
}

# submit OPTIONS...: the id of a new job that runs until it is canceled.
submit() {
  flux submit --setattr=system.exec.test.run_duration=10000s "$@" true
}

# A job that ends by itself after a moment.
submit_short() {
  flux submit --setattr=system.exec.test.run_duration=0.01s "$@" true
}

wait_start() {
  flux job wait-event -t "$patience" "$1" start >/dev/null || fail "job $1 did not start"
}

wait_clean() {
  flux job wait-event -t "$patience" "$1" clean >/dev/null || fail "job $1 did not end"
}

# cancel JOB...: and waits until their resources are free.
cancel() {
  flux cancel "$@"
  for job; do wait_clean "$job"; done
}

estimate() {
  flux jobs -no '{annotations.sched.t_estimate}' "$1"
}

annotation() {
  flux jobs -no "{annotations.sched.$2}" "$1"
}

# The end of a running job as the job manager has it.
expiration() {
  flux job info "$1" R | jq .execution.expiration
}

# estimate_is JOB TIME [TOLERANCE]: the job is expected to start then.
estimate_is() {
  awk -v a="$(estimate "$1")" -v b="$2" -v most="${3:-1}" \
    'BEGIN { d = a - b; exit !(a != "" && d <= most && -d <= most) }'
}

stat_of() {
  flux module stats --parse="$1" "${2:-sched-tenure}"
}

stat_is() {
  [[ $(stat_of "$1") == "$2" ]]
}

# rpc TOPIC PAYLOAD: prints the answer, or fails with "ERRNO NAME: text".
rpc() {
  flux python - "$@" <<'PYTHON'
import errno, json, sys
import flux

topic, payload = sys.argv[1:3]
try:
    print(json.dumps(flux.Flux().rpc(topic, json.loads(payload)).get()))
except OSError as error:
    sys.exit(f"{errno.errorcode.get(error.errno, error.errno)}: {error.strerror}")
PYTHON
}

# as_guest COMMAND...: as another user without the owner's role.
as_guest() {
  FLUX_HANDLE_USERID=$(($(id -u) + 1)) FLUX_HANDLE_ROLEMASK=0x2 "$@"
}

# logged TEXT: the scheduler said so.
logged() {
  flux dmesg | grep -F sched-tenure | grep -qF "$1"
}

# What the scheduler says it has given away, against the running jobs: nodes allocated.
allocated_nodes() {
  flux resource list -s allocated -no '{nnodes}'
}
