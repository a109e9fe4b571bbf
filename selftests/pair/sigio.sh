#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A listener with O_ASYNC gets SMC connections and lives.
# vm-test: timeout=60
. /tests/pair/lib-check.sh

carried() { smcx stat | awk '$1 == "server_v2" { print $2 }'; }

if [ "$ROLE" = server ]; then
	before=$(carried)
	/tests/pair/sigio serve "$SELF" 5000 5 > serve.out 2>&1 &
	until ss -Hltn | grep -q :5000; do sleep 0.1; done
	peer sync listening $((30 * SLOW))
	check "five echoes from an O_ASYNC listener" wait $!
	check "all over SMC" test $(($(carried) - before)) -ge 5
else
	peer sync listening $((30 * SLOW))
	check "five connections" /tests/pair/sigio ask "$PEER" 5000 5
fi
peer sync done $((30 * SLOW))
echo "1..$n"
exit $bad
