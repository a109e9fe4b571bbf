#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make demo: two machines, nginx on one, wrk on the other, over TCP and over SMC-R in turn; Debian's 6.1 and 6.12, and
# the in-tree smc of 6.12 (6.1's hangs on soft-RoCE) as the yardstick in the same kind of run. smcx sets up connections
# in three ways: as the standard says, without exchanging keys for each, and with the Proposal in the SYN. Proves by the modules' own
# counters that every SMC connection was SMC. Settings: ROUNDS, SECONDS_PER_RUN, CONNECTIONS, MODES (close, far,
# keepalive), RUNS.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/../vm/common.sh"

ROUNDS=${ROUNDS:-3}
SECONDS_PER_RUN=${SECONDS_PER_RUN:-3}
CONNECTIONS=${CONNECTIONS:-1 10 200}
MODES=${MODES:-close far keepalive}
RUNS=${RUNS:-6.12:smcx 6.12:smc 6.1:smcx}
DIR=$SMCX_BUILD/demo
RESULTS=$DIR/results

bench()
{
	local kver=${1%:*} module=${1#*:} keep=$DIR/${1/:/-} rc=0 limit
	limit=$(($(wc -w <<< "$CONNECTIONS") * $(wc -w <<< "$MODES") * 4 * ROUNDS * (SECONDS_PER_RUN + 6) + 120))
	say "$kver, $module: $ROUNDS rounds, about $((limit / 3 / 60 + 1)) minutes"
	mkdir -p "$keep"
	watch "$keep/client.out"
	"$SMCX_TOP/selftests/vm/run.sh" --kver "$kver" --pair --module "$module" --timeout $limit --keep "$keep" --quiet \
		--no-build --env "ROUNDS=$ROUNDS" --env "SECONDS_PER_RUN=$SECONDS_PER_RUN" \
		--env "CONNECTIONS='$CONNECTIONS'" --env "MODES='$MODES'" -- /tests/perf/http.sh || rc=$?
	kill "$WATCHER" 2>/dev/null || true
	[ $rc -eq 0 ] || { FAILED=1; say "$kver, $module: the run failed (logs: $keep)"; }
	sed -n "s/^@\(result\|proof\) /$kver $module \1 /p" "$keep/client.out" | tr -d '\r' >> "$RESULTS"
	[ $rc -ne 0 ] || sed "/^@/d; s/^/    /" "$keep/client.out" > "$keep/counters"
}

# Only what is wrong with it is of interest here.
build()
{
	local kver
	[ -z "${NO_BUILD:-}" ] || return 0
	say "building (what the compiler is at: $DIR/build.log)"
	"$here/../vm/deps.sh" build vm
	: > "$DIR/build.log"
	for kver in $(tr ' ' '\n' <<< "$RUNS" | sed -n 's/:smcx$//p' | sort -u); do
		make -s -C "$SMCX_TOP" KVER="$kver" module >> "$DIR/build.log" || die "the module does not build"
	done
	make -s -C "$SMCX_TOP" tools >> "$DIR/build.log" || die "the tools do not build"
	make -s -C "$SMCX_TOP/selftests" BUILD="$SMCX_BUILD" >> "$DIR/build.log" || die "the test programs do not build"
}

# What sed writes goes to the terminal; what tail says of a file that is not there yet does not.
watch()
{
	rm -f "$1"
	tail -q -n +1 -s 0.5 -F "$1" > >(sed -un 's/^@result \([0-9]*\) \([a-z]*\) \([0-9]*\) \([a-z]*\) \([0-9.]*\).*/    round \1: \2 c=\3 \4: \5 per second/p' >&2) 2>/dev/null &
	WATCHER=$!
}

main()
{
	local run
	FAILED=''
	mkdir -p "$DIR"
	: > "$RESULTS"
	build
	for run in $RUNS; do
		bench "$run"
	done
	awk -f "$here/table.awk" "$RESULTS" || FAILED=1
	[ -z "$FAILED" ]
}

main
