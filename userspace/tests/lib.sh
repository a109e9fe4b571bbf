# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests: counting, TAP, a folder for the time of the test.
set -u
run=$BIN/smc_run
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
failed=0

point()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}

# check TEXT COMMAND...: succeeds?
check()
{
	local text=$1
	shift
	"$@" > "$tmp/out" 2>&1 || { sed 's/^/# /' "$tmp/out"; false; }
	point $? "$text"
}

# exits TEXT STATUS WORDS COMMAND...: that exit status, and those words on standard error?
exits()
{
	local text=$1 status=$2 words=$3 rc
	shift 3
	"$@" > /dev/null 2> "$tmp/err"
	rc=$?
	[ $rc -eq "$status" ] && [[ $(cat "$tmp/err") =~ $words ]] || { echo "# status $rc"; sed 's/^/# /' "$tmp/err"; false; }
	point $? "$text"
}
