#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run the tests of one folder in one boot, and the rest in a fresh boot wherever one dies. See README in this folder.
#   suite.sh net|pair|interop [--kver K] [--peer-kver K] [--module M] [--peer-module M] [--only GLOB] [--cpus N]
#            [--budget SECONDS]   what is not through by then is reported as skipped
# Appends "PASS n FAIL n SKIP n LABEL" to $SMCX_RESULTS, if set. Exit status 1 if anything failed.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"

SUITE=$1
shift
KVER=6.12 PEER_KVER='' MODULE=smcx PEER_MODULE='' ONLY='*' CPUS=2 BUDGET=0
BUILD=()
while [ $# -gt 0 ]; do
	case $1 in
	--kver) KVER=$2; shift ;;
	--peer-kver) PEER_KVER=$2; shift ;;
	--module) MODULE=$2; shift ;;
	--peer-module) PEER_MODULE=$2; shift ;;
	--only) ONLY=$2; shift ;;
	--cpus) CPUS=$2; shift ;;
	--budget) BUDGET=$2; shift ;;
	--no-build) BUILD=(--no-build) ;;
	*) die "suite.sh: unknown option $1" ;;
	esac
	shift
done
PEER_KVER=${PEER_KVER:-$KVER}
PEER_MODULE=${PEER_MODULE:-$MODULE}
PAIR=()
LABEL="$SUITE $KVER"
if [ "$SUITE" != net ] && [ "$SUITE" != self ]; then
	PAIR=(--pair --peer-kver "$PEER_KVER" --peer-module "$PEER_MODULE")
	LABEL+=" <- $PEER_KVER"
fi
[ "$SUITE" != interop ] || LABEL="interop $KVER $MODULE <- $PEER_MODULE"
LABEL+="${CPUS:+, $CPUS cpu}"
DIR=$SMCX_BUILD/vm/$(tr -c 'a-zA-Z0-9.\n' '_' <<< "$LABEL")
PLAN=$DIR/plan
REPORT=$DIR/report
PASS=0 FAIL=0 SKIP=0 STRAY=0

# directive WORDS NAME: value of NAME=value, 1 for a bare NAME, nothing otherwise.
directive()
{
	sed -n "s/^\(.* \)\{0,1\}$2=\([^ ]*\).*/\2/p; s/^\(.* \)\{0,1\}$2\( .*\)\{0,1\}$/1/p" <<< "$1" | head -n 1
}

# applies WORDS: does a test with these directives belong into this run?
applies()
{
	local want kver
	want=$(directive "$1" module)
	[ "${want:-smcx}" = any ] || [ "${want:-smcx}" = "$MODULE" ] || [ "${want:-smcx}" = "$PEER_MODULE" ] || return 1
	want=$(directive "$1" client)
	[ -z "$want" ] || [ "$want" = "$PEER_MODULE" ] || return 1
	want=$(directive "$1" cpus)
	[ "${want:-1}" -le "$CPUS" ] || return 1
	want=$(directive "$1" kver)
	for kver in "$KVER" "$PEER_KVER"; do
		[ "$kver" != debug ] || [ -z "$(directive "$1" nodebug)" ] || return 1
		[ -z "$want" ] || [ "${kver/debug/6.12}" = "$want" ] || return 1
	done
}

# The plan: one line for each test, "folder name timeout reload".
discover()
{
	local file name words
	for file in "$SMCX_TOP/selftests/$SUITE"/*.sh "$SMCX_TOP/selftests/$SUITE"/*.c; do
		[ -f "$file" ] || continue
		name=$(basename "$file")
		words=$(sed -n '1,40s/^.*vm-test: *\(.*[^ */]\)[ */]*$/\1/p' "$file" | head -n 1)
		case $name in
		lib*.sh) continue ;;
		*.c) grep -q 'vm-test:' <(head -n 40 "$file") || continue
		     name=${name%.c} ;;
		esac
		# shellcheck disable=SC2053
		[[ ${name%.sh} == $ONLY ]] || continue
		applies "$words" || continue
		echo "$SUITE $name $(directive "$words" timeout | grep . || echo 60) $(directive "$words" reload | grep . || echo 0)"
	done
}

# Live: one line for each test that ended.
narrate()
{
	tail -q -n +1 -s 0.5 -F "$1" 2>/dev/null > >(sed -un 's/^@end \([^ ]*\) \([0-9]*\) \([0-9]*\)\r*$/  \1: exit \2, \3 s/p' >&2) &
	NARRATOR=$!
}

# fold STATUS FILE...: add the results of these outputs to the totals, print what failed, forget what was run. A test that
# the emulator cut on one machine has no result on the other.
fold()
{
	local kind test rest pass fail skip status=$1
	shift
	cat "$@" > "$REPORT.now"
	if [ "$status" = 5 ] && [ "$STRAY" -lt 4 ]; then
		awk '$1 == "CUT" { cut[$2] } { line[NR] = $0; test[NR] = $2 }
		     END { for (i = 1; i <= NR; i++) if (line[i] ~ /^CUT/ || !(test[i] in cut)) print line[i] }' \
			"$REPORT.now" > "$REPORT.uncut"
		mv "$REPORT.uncut" "$REPORT.now"
	fi
	while read -r kind test rest; do
		case $kind in
		RESULT)
			read -r pass fail skip _ <<< "$rest"
			PASS=$((PASS + pass))
			FAIL=$((FAIL + fail))
			SKIP=$((SKIP + skip))
			[ "$fail" -eq 0 ] || echo "  FAILED $test [$LABEL]"
			;;
		WHY) echo "    $test: $rest" ;;
		esac
	done < <(sort -s -k2,2 "$REPORT.now")
	awk '$1 == "RESULT" { print $2 }' "$REPORT.now" | sort -u > "$REPORT.done"
	awk 'FILENAME == ARGV[1] { done[$1]; next } !(($1 "/" $2) in done)' "$REPORT.done" "$PLAN" > "$PLAN.rest"
	mv "$PLAN.rest" "$PLAN"
}

# why FOLDER: what the machines of this boot had to say.
why() { sed 's/^/    /' "$1/why" | head -n 48; }

out_of_time() { [ "$BUDGET" -gt 0 ] && [ "$SECONDS" -ge "$BUDGET" ]; }

# give_up: the tests nobody had time for, by name.
give_up()
{
	local folder name rest
	while read -r folder name rest; do
		echo "    $folder/$name: skipped, no time left [$LABEL]"
		SKIP=$((SKIP + 1))
	done < "$PLAN"
	: > "$PLAN"
}

# A test that began and never ended took its machine down (or the emulator did, which deserves one more try).
blame()
{
	local status=$1 keep=$2 cut
	cut=$(awk '$1 == "CUT" { print $2 }' "$REPORT.now" | sort -u | head -n 1)
	# between tests, what ran has its result and what did not runs in the next boot
	if [ "$status" = 5 ] && [ "$STRAY" -lt 4 ]; then
		STRAY=$((STRAY + 1))
		echo "  stray fault of the emulator${cut:+ in $cut}: once more"
		return
	fi
	if [ -n "$cut" ]; then
		FAIL=$((FAIL + 1))
		echo "  FAILED $cut [$LABEL]: a machine died or hung (logs: $keep)"
		why "$keep"
		awk -v cut="$cut" '($1 "/" $2) != cut' "$PLAN" > "$PLAN.rest"
		mv "$PLAN.rest" "$PLAN"
	elif [ "$status" != 0 ] && ! awk '$1 == "RESULT" && $4 > 0 { bad = 1 } END { exit !bad }' "$REPORT.now"; then
		# Nobody's fault in particular: start-up, a leak found at the end, ...
		FAIL=$((FAIL + 1))
		echo "  FAILED outside of a test [$LABEL] (logs: $keep)"
		why "$keep"
		[ "$status" != 4 ] || : > "$PLAN"
	fi
}

main()
{
	local boot=0 before role status keep slow=1 limit longest
	mkdir -p "$DIR"
	rm -rf "$DIR"/boot*
	discover > "$PLAN"
	[ -s "$PLAN" ] || { say "no tests for $LABEL"; return; }
	[ "$KVER" != debug ] && [ "$PEER_KVER" != debug ] || slow=5
	say "$LABEL: $(wc -l < "$PLAN") tests"
	while [ -s "$PLAN" ] && [ $boot -lt 20 ]; do
		boot=$((boot + 1))
		keep=$DIR/boot$boot
		mkdir -p "$keep"
		before=$(wc -l < "$PLAN")
		limit=$(awk -v slow=$slow '{ sum += $3 * slow + 15 } END { print sum + 200 * slow }' "$PLAN")
		longest=$(awk -v slow=$slow '$3 > max { max = $3 } END { print max * slow + 150 }' "$PLAN")
		[ "$BUDGET" -eq 0 ] || limit=$((limit < BUDGET - SECONDS ? limit : BUDGET - SECONDS))
		cp "$PLAN" "$keep/plan"
		narrate "$keep/server.out"
		status=0
		"$here/run.sh" --kver "$KVER" "${PAIR[@]}" --module "$MODULE" --cpus "$CPUS" --timeout "$limit" \
			--idle "$longest" --keep "$keep" --plan "$keep/plan" "${BUILD[@]}" ${SMC_TOOLS:+--add "$SMC_TOOLS"} \
			2> "$keep/why" || status=$?
		kill "$NARRATOR" 2>/dev/null || true
		BUILD=(--no-build)
		for role in server ${PAIR:+client}; do
			touch "$keep/$role.out"
			awk -f "$here/tap.awk" "$keep/$role.out" > "$keep/$role.tap"
		done
		fold "$status" "$keep"/*.tap
		if out_of_time; then
			why "$keep"
			give_up
			break
		fi
		blame "$status" "$keep"
		if [ "$(wc -l < "$PLAN")" -eq "$before" ] && [ "$status" != 5 ]; then
			echo "  FAILED [$LABEL]: no progress, $before tests not run"
			cat "$keep/why"
			FAIL=$((FAIL + before))
			break
		fi
	done
	say "$LABEL: $PASS passed, $FAIL failed, $SKIP skipped"
	[ -z "${SMCX_RESULTS:-}" ] || echo "PASS $PASS FAIL $FAIL SKIP $SKIP $LABEL" >> "$SMCX_RESULTS"
	[ "$FAIL" -eq 0 ]
}

main
