#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The harness tests itself: known outcomes of selftests/self must be reported as such, or no other result means anything.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"

results=$(mktemp)
trap 'rm -f "$results"' EXIT
status=0
log=$(SMCX_RESULTS=$results "$here/suite.sh" self --module none --cpus 1 "$@" 2>&1) || status=$?
want="PASS 5 FAIL 5 SKIP 1"
bad=0
[ "$status" -eq 1 ] || { say "harness: exit status $status of a suite that must fail"; bad=1; }
grep -q "^$want " "$results" || { say "harness: want $want, have $(cat "$results")"; bad=1; }
for name in 2-fail 3-plan 4-splat 5-hang 6-panic; do
	grep -q "FAILED self/$name" <<< "$log" || { say "harness: $name is not reported"; bad=1; }
done
if [ $bad -ne 0 ]; then
	sed 's/^/    /' <<< "$log" >&2
	[ -z "${SMCX_RESULTS:-}" ] || echo "PASS 0 FAIL 1 SKIP 0 harness" >> "$SMCX_RESULTS"
	exit 1
fi
say "harness: reports failures, splats, time-outs and panics as it must"
[ -z "${SMCX_RESULTS:-}" ] || echo "PASS 1 FAIL 0 SKIP 0 harness" >> "$SMCX_RESULTS"
