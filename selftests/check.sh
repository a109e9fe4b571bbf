#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make check: cheapest first; the last line is "N passed, N failed, N skipped".
# make check-full (--full): every test in virtual machines in full, and the harness itself.
# make check-debug (--debug): all tests in virtual machines under the debug kernel, with one and two CPUs.
# SMCX_CHECK_MINUTES (56) bounds make check; 0: no bound. check.sh STEP...: only these steps (files, static, unit, fuzz, tools,
# build, harness, net, pair, interop, debug, debug_if_built, all_net, all_pair, all_debug).
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/vm/common.sh"

LOGS=$SMCX_BUILD/check
SMCX_RESULTS=$LOGS/results
LIMIT=${SMCX_CHECK_MINUTES:-56}
DEBUG_PID= DEBUG_EARLY=
BUILT=
export SMCX_RESULTS SMCX_BUILD

record() { echo "PASS $1 FAIL $2 SKIP $3 $4" >> "$SMCX_RESULTS"; }

# step LABEL COMMAND...: a step of one point, or of as many as the TAP lines it prints.
step()
{
	local label=$1 log rc pass fail skip
	shift
	log=$LOGS/$(tr -c 'a-zA-Z0-9.\n' '_' <<< "$label").log
	say "== $label"
	"$@" > "$log" 2>&1 < /dev/null
	rc=$?
	skip=$(grep -cE '^ok .*# *SKIP' "$log")
	pass=$(($(grep -c '^ok ' "$log") - skip))
	fail=$(grep -c '^not ok ' "$log")
	if [ $rc -ne 0 ] && [ "$fail" -eq 0 ]; then
		fail=1
	elif [ $rc -eq 0 ] && [ $((pass + fail + skip)) -eq 0 ]; then
		pass=1
	fi
	record "$pass" "$fail" "$skip" "$label"
	if [ "$fail" -ne 0 ]; then
		say "   FAILED $label (log: $log)"
		grep -E '^not ok|[Ee]rror|warning' "$log" | head -n 20 | sed 's/^/   /' >&2
		[ $rc -eq 0 ] || tail -n 20 "$log" | sed 's/^/   /' >&2
	fi
}

# suite MINUTES ARGS...: tests in virtual machines count for themselves. A slow machine runs out of time, not of patience:
# what a suite's share or the whole limit does not allow is reported as skipped, by name.
suite()
{
	local before share=$(($1 * 60)) left=$((LIMIT * 60 - SECONDS))
	shift
	say "== $*"
	if [ $LIMIT -gt 0 ]; then
		share=$((share < left ? share : left))
		if [ $share -lt 60 ]; then
			record 0 0 1 "$* (no time left)"
			return
		fi
		set -- "$@" --budget $share
	fi
	before=$(wc -l < "$SMCX_RESULTS")
	"$here/vm/suite.sh" "$@" >&2 || true
	if [ "$(wc -l < "$SMCX_RESULTS")" -eq "$before" ]; then
		record 0 1 0 "$* (did not run)"
	fi
}

step_files() { step "files" "$here/static/files.py"; }

step_static()
{
	local kver
	for kver in 6.1 6.12; do
		step "static checks, $kver" "$here/static/kernel.sh" $kver
	done
	BUILT=1
}

step_unit() { step "unit tests" make -C "$here/unit" check BUILD="$SMCX_BUILD"; }
step_fuzz() { step "fuzzing" make -C "$here/fuzz" check BUILD="$SMCX_BUILD"; }

step_tools()
{
	step "tools" make -C "$SMCX_TOP" tools
	step "installing" "$here/packages/config.sh"
	step "tools' tests" make -C "$SMCX_TOP/userspace" check BUILD="$SMCX_BUILD"
}

step_harness()
{
	say "== harness"
	"$here/vm/self.sh" --no-build
}

step_build()
{
	local kver
	for kver in 6.1 6.12; do
		[ -n "$BUILT" ] || step "module, $kver" make -C "$SMCX_TOP" KVER=$kver module
	done
	step "test programs" make -C "$here" BUILD="$SMCX_BUILD"
}

# What make check takes from the suites: each layer, each kind of socket, both kernels; the long runs are make check-full's.
step_net()
{
	suite 12 net --kver 6.12 --no-build
	suite 8 net --kver 6.1 --no-build --only '@(create|connect|fallback|netlink|oob|owner)'
}

# The Proposal in the SYN lives on TCP's insides, and so do the sockets: both kernels.
step_pair()
{
	local both='api-@(create|fds|msg|shut)|connstorm-core|fallback|groups|hostile|hammer|datacdc|rkeyskip|stop|trust'
	both+='|onertt|onertt-@(plain|plain6|bytes|trips|smc|smc6|server|fastopen|replay)'
	suite 27 pair --kver 6.12 --no-build \
		--only "@($both|api-@(connect|oob|ready|sockopt|splice|uring)|closematrix|nopath|wrap|netdevs|routed|sockmap|sigio|auto|conninfo|tools|fields|reasons|faulty|limits|idleclients)"
	suite 19 pair --kver 6.1 --no-build --only "@($both)"
	suite 3 pair --kver 6.12 --peer-kver 6.1 --no-build --only '@(api-create|datacdc|onertt|stop)'
}

step_interop()
{
	suite 4 interop --kver 6.12 --module smcx --peer-module smc --no-build
	suite 6 interop --kver 6.12 --module smc --peer-module smcx --no-build
}

step_all_net()
{
	suite 0 net --kver 6.12 --no-build
	suite 0 net --kver 6.1 --no-build
}

# The debug kernel takes minutes to compile, machines of one processor's worth of work leave room for it.
debug_begin()
{
	nice -n 19 make -C "$SMCX_TOP" KVER=debug module > "$LOGS/debug-kernel.log" 2>&1 < /dev/null &
	DEBUG_PID=$!
}

debug_ready()
{
	wait "$DEBUG_PID" || { tail -n 20 "$LOGS/debug-kernel.log"; return 1; }
}

# What make check can afford of make check-debug, where the debug kernel is in the cache.
step_debug()
{
	[ -n "$DEBUG_PID" ] || debug_begin
	step "module, debug kernel" debug_ready
	suite 5 net --kver debug --no-build --only '@(create|netlink|fds)'
	suite 7 pair --kver debug --no-build --only '@(api-create|hammer|trust)'
}

step_debug_if_built()
{
	if "$here/vm/debug-kernel.sh" --is-built; then
		step_debug
	else
		say "== debug kernel: not built here yet ('make check-debug' does it), its tests are skipped"
		record 0 0 1 "debug kernel (not in the cache)"
	fi
}

step_all_pair()
{
	suite 0 pair --kver 6.12 --no-build
	suite 0 pair --kver 6.1 --no-build
	suite 0 pair --kver 6.12 --peer-kver 6.1 --no-build --only '@(api-*|stream)'
}

step_all_debug()
{
	local cpus
	step "module, debug kernel" make -C "$SMCX_TOP" KVER=debug module
	for cpus in 1 2; do
		suite 0 net --kver debug --cpus $cpus --no-build
		suite 0 pair --kver debug --cpus $cpus --no-build
	done
}

main()
{
	local name steps="files static unit fuzz tools build net pair interop debug_if_built"
	local sets="build vm check kernel"
	case ${1:-} in
	--full) steps="files static unit fuzz tools build harness all_net all_pair interop debug" LIMIT=0 DEBUG_EARLY=1 ;;
	--debug) steps="tools build all_debug" LIMIT=0 ;;
	"") ;;
	*) steps="$*" ;;
	esac
	for name in $steps; do
		declare -F "step_$name" > /dev/null || die "no step '$name'; the steps stand at the top of selftests/check.sh"
	done
	mkdir -p "$LOGS"
	: > "$SMCX_RESULTS"
	# shellcheck disable=SC2086
	"$here/vm/deps.sh" $sets || die "cannot install what is missing"
	[ -z "$DEBUG_EARLY" ] || debug_begin
	for name in $steps; do
		"step_$name"
		say "   ($((SECONDS / 60)) min)"
	done
	awk -v minutes=$((SECONDS / 60)) '
		{ pass += $2; fail += $4; skip += $6 }
		$4 { $1 = $2 = $3 = $5 = $6 = ""; bad = bad "  " $4 " failed:" $0 "\n" }
		END {
			printf "%sall done after %d minutes\n", bad, minutes
			printf "%d passed, %d failed, %d skipped\n", pass, fail, skip
			exit fail > 0 || pass == 0
		}' "$SMCX_RESULTS"
}

main "$@"
