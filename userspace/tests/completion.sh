#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What bash offers for smc_run and smcx. TAP. Environment: BIN (smc_run, smcx).
. "${0%/*}/lib.sh"
for file in "${0%/*}"/../completion/*; do
	check "${file##*/}: bash reads it and says nothing" test -z "$(bash -uec ". '$file'" 2>&1 || echo failed)"
	. "$file"
done
complete=_smc_run

# offers WORD WORDS...: is WORD among the offers at the end of the line WORDS?
offers()
{
	local wanted=$1
	shift
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	$complete 2> /dev/null
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

complete=_smcx
# Every command of the help, and no other.
commands=$("$BIN/smcx" --help | sed -n '/^  sock/,/^$/s/^  \([a-z].*\)/\1/p' | sed 's/   .*//; s/\[.*//; s/ [A-Z].*//' | tr -d ',')
for command in $commands; do
	check "smcx $command" offers "$command" smcx ""
done
check "and no other" test "$(wc -l < "$tmp/offers")" -eq "$(wc -w <<< "$commands")"
check "what a command takes" offers add smcx trust ""
check "... all of it" offers flush smcx trust ""
for command in peers trust eid pnet auto; do
	check "$command show" offers show smcx "$command" ""
done
check "... and its words" offers cookie smcx trust add 10.0.0.0/8 ""
check "options of a command" offers --setup smcx stat --s
echo "1..$n"
exit $failed
