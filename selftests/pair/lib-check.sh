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

# until_ok COMMAND...: for at most 5 seconds, on a machine that is not slow
until_ok() {
	local tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt $((50 * SLOW)) ] || return 1
		sleep 0.1
	done
}

# milliseconds since the boot
now_ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }

# decoded KIND PATTERN: lines that smcx decode shows of the file "capture"
decoded() {
	smcx decode "$PWD/capture" "$1" | grep -E -c "$2"
}
