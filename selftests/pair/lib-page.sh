# SPDX-License-Identifier: GPL-2.0
# Sourced by tests that fetch pages from an nginx on the other machine, and look at what carried them.
. /tests/perf/libhttp.sh

# value NAME: of smcx stat, 0 if it is not there
value() { smcx stat | awk -v k="$1" '$1 == k { n = $2 } END { print n + 0 }'; }

# page ADDRESS COUNTER: comes from port 81, and this counter grows
page() {
	local before=$(value "$2")
	smc_run curl -m $((15 * SLOW)) -sSf -o page "http://$1:81/1k" && [ "$(value "$2")" -gt "$before" ]
}
