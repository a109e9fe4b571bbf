#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What bash offers for smc_run. TAP. Environment: BIN (smc_run).
. "${0%/*}/lib.sh"
. "${0%/*}/../completion/smc_run"

# offers WORD WORDS...: is WORD among the offers at the end of the line WORDS?
offers()
{
	local wanted=$1
	shift
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_smc_run 2> /dev/null
	printf '%s\n' "${COMPREPLY[@]}" | tee "$tmp/offers" | grep -qxF -e "$wanted"
}
check "methods" offers seccomp smc_run --method = ""
check "... beginning like this" offers preload smc_run --method = pre
check "programs" offers env smc_run -v en
check "programs after a value" offers env smc_run --sndbuf = 1M en
check "sizes" offers 256K smc_run -t ""
# Every option of the help, and no other.
for option in $("$run" --help | grep -o -e '--[a-z-]*=\?' | sort -u); do
	check "option $option" offers "$option" smc_run --
done
check "and no other" test "$(wc -l < "$tmp/offers")" -eq "$("$run" --help | grep -o -e '--[a-z-]*=\?' | sort -u | wc -l)"
echo "1..$n"
exit $failed
