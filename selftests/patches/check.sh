#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make check-patches: for 6.12 and 6.1, patches/ apply to Debian's newest source, the kernel builds without net/smc and with
# the module placed into the tree (make in-tree), two machines with it boot, and sockets between them are SMC.
# check.sh [LINE...] [files]: only these kernel lines; "files": compile what is patched and the module, no kernel, no machine.
# The last line is "N passed, N failed, N skipped".
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/../vm/common.sh"

LOGS=$SMCX_BUILD/patches
SMCX_RESULTS=$LOGS/results
export SMCX_RESULTS SMCX_BUILD

# point LABEL COMMAND...
point()
{
	local label=$1
	shift
	say "== $label"
	if "$@" > "$LOGS/log" 2>&1; then
		echo "PASS 1 FAIL 0 SKIP 0 $label" >> "$SMCX_RESULTS"
	else
		echo "PASS 0 FAIL 1 SKIP 0 $label" >> "$SMCX_RESULTS"
		tail -n 20 "$LOGS/log" | sed 's/^/   /' >&2
		return 1
	fi
}

has_no_smc() { ! grep '^CONFIG_SMC=' "$1/.config" && grep '^CONFIG_TCP_SMC_OPTION=y' "$1/.config"; }

check_line()
{
	local line=$1 dir rel before
	point "$line: the patches apply" "$here/kernel.sh" "$line" tree || return
	point "$line: what they touch compiles, and the module in the tree" "$here/kernel.sh" "$line" files || return
	dir=$SMCX_CACHE/patched/$line/build
	point "$line: CONFIG_SMC is off, the option is on" has_no_smc "$dir"
	if [ -n "$FILES" ]; then
		echo "PASS 0 FAIL 0 SKIP 1 $line: boot" >> "$SMCX_RESULTS"
		return
	fi
	point "$line: the kernel builds" "$here/kernel.sh" "$line" || return
	rel=$(cat "$dir/include/config/kernel.release")
	mkdir -p "$SMCX_BUILD/$rel"
	cp "$dir/net/smcx/smcx.ko" "$SMCX_BUILD/$rel/smcx.ko"
	point "$line: make in-tree boots it, and the module loads" \
		env BOOT=1 "$SMCX_TOP/userspace/packaging/in-tree.sh" "$SMCX_CACHE/patched/$line/tree" "$dir"
	# Each connection of this test is proven to be SMC through sock_diag.
	before=$(wc -l < "$SMCX_RESULTS")
	"$here/../vm/suite.sh" pair --kver "patched-$line" --no-build --cpus 1 --only api-create >&2 || true
	[ "$(wc -l < "$SMCX_RESULTS")" -gt "$before" ] ||
		echo "PASS 0 FAIL 1 SKIP 0 $line: sockets between two machines (did not run)" >> "$SMCX_RESULTS"
}

LINES=() FILES=
for word; do
	case $word in
	files) FILES=1 ;;
	*) LINES+=("$word") ;;
	esac
done
[ ${#LINES[@]} -gt 0 ] || LINES=(6.12 6.1)
mkdir -p "$LOGS"
: > "$SMCX_RESULTS"
if [ -z "$FILES" ]; then
	make -s -C "$SMCX_TOP" tools && make -s -C "$SMCX_TOP/selftests" BUILD="$SMCX_BUILD" || die "the tests do not build"
fi
for line in "${LINES[@]}"; do
	check_line "$line"
done
awk '{ pass += $2; fail += $4; skip += $6 }
	END { printf "%d passed, %d failed, %d skipped\n", pass, fail, skip; exit fail > 0 || pass == 0 }' "$SMCX_RESULTS"
