# SPDX-License-Identifier: GPL-2.0
# Sourced by tests in shell whose points are commands; they end with "1..$n" and status $bad.
n=0
bad=0

# check TEXT COMMAND...: a point; what the command says is shown if it fails
check() {
	n=$((n + 1))
	local text=$1
	shift
	if "$@" > out 2>&1; then
		echo "ok $n - $text"
	else
		sed 's/^/# /' out
		echo "not ok $n - $text"
		bad=1
	fi
}

# decoded KIND PATTERN: lines that smcx decode shows of the file "capture"
decoded() {
	smcx decode "$PWD/capture" "$1" | grep -E -c "$2"
}
