#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The module comes and goes: while sockets are open, while they are being made, with network namespaces that end, and
# beside in-tree smc, which owns the same address family.
# vm-test: timeout=240 reload
. /tests/lib.sh
n=0
bad=0
echo "1..8"

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		bad=1
	fi
}

loaded() {
	[ -d /sys/module/smcx ]
}

# Sockets of its own keep the module; when they are closed it goes.
/tests/net/holder > ready &
holder=$!
for try in $(seq 50); do [ -s ready ] && break; sleep 0.1; done
rmmod smcx 2> why
! loaded
stays=$?
grep -q 'in use' why || { cat why; stays=0; }
[ $stays = 1 ]
result $? "module stays while sockets are open"
kill -9 $holder
wait $holder 2> /dev/null
mod_unload
result $? "module goes when they are closed"
mod_load || exit 1

# Namespaces end with sockets in every state.
rc=0
for i in 1 2 3 4 5 6 7 8; do
	/tests/net/holder --netns --exit > /dev/null || rc=1
done
result $rc "namespaces end with their sockets"
/tests/net/holder --netns > ready &
holder=$!
for try in $(seq 50); do [ -s ready ] && break; sleep 0.1; done
kill -9 $holder
wait $holder 2> /dev/null
mod_unload
result $? "module goes after a killed namespace"

# Loading and unloading while others ask for sockets.
rc=0
mod_load
/tests/net/holder --churn &
churn=$!
loads=0
for i in $(seq 40); do
	if rmmod smcx 2> /dev/null; then
		loads=$((loads + 1))
		mod_load || { rc=1; break; }
	fi
done
echo "# $loads times unloaded under churn"
kill -9 $churn
wait $churn 2> /dev/null
loaded && [ $loads -gt 0 ] || rc=1
result $rc "loads and unloads while sockets are made"

# In-tree smc cannot come in beside it, nor it beside in-tree smc: with a message that names the module.
modprobe smc 2> /dev/null
loaded && ! [ -d /sys/module/smc ]
result $? "in-tree smc is refused while this module is loaded"
mod_unload
if modprobe smc; then
	dmesg > before
	insmod /tests/smcx.ko 2> why
	! loaded && dmesg | tail -n 5 | grep 'smcx' | grep -q -w 'smc'
	result $? "refuses to load beside in-tree smc, and says so"
	rmmod smc_diag 2> /dev/null
	rmmod smc
else
	n=$((n + 1))
	echo "ok $n # SKIP this kernel has no in-tree smc"
fi
mod_load
result $? "loads again after in-tree smc has gone"
exit $bad
