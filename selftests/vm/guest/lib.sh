# SPDX-License-Identifier: GPL-2.0
# Guest side functions, sourced by init, by the runner and by tests that want them.

# rxe_add, rxe_del: the software RDMA device on eth0.
rxe_add() {
	modprobe crc32_generic 2>/dev/null
	modprobe rdma_rxe 2>/dev/null
	rdma link add "$IBDEV" type rxe netdev "$DEV"
}

rxe_del() {
	rdma link delete "$IBDEV"
}

# mod_load: the module under test, as a user gets it. The in-tree one needs two entries that smcx does
# without; its EID is the default one of smcx, so that the two find each other.
mod_load() {
	case $MODULE in
	smcx)
		for dep in $(modinfo -F depends /tests/smcx.ko | tr ',' ' '); do
			modprobe "$dep" || return 1
		done
		insmod /tests/smcx.ko $MODPARAMS
		;;
	smc)
		modprobe smc && modprobe smc_diag && smcnl ueid add SMCX.DEFAULT && smcnl pnet add NET1 "$DEV" "$IBDEV" 1
		;;
	esac
}

# mod_unload: fails if the module is still in use after 70 seconds (TIME_WAIT sockets of the core may pin it for 60).
mod_unload() {
	case $MODULE in
	smcx) set -- smcx ;;
	smc) set -- smc_diag smc ;;
	*) return 0 ;;
	esac
	for name; do
		unload_tries=0
		until rmmod "$name" 2>/dev/null; do
			unload_tries=$((unload_tries + 1))
			if [ $unload_tries -ge $((70 * SLOW)) ]; then
				rmmod "$name"
				return 1
			fi
			sleep 1
		done
	done
}

# leak_scan: what kmemleak finds goes to the kernel log, where the host looks for it. Two scans: an object must be
# unreferenced for a while to count.
leak_scan() {
	leak=/sys/kernel/debug/kmemleak
	[ -e $leak ] || return 0
	sleep 5
	echo scan > $leak
	sleep 6
	echo scan > $leak
	cat $leak > /run/leaks
	if [ -s /run/leaks ]; then
		cat /run/leaks
		sed 's/^/kmemleak: /' /run/leaks | head -n 200 | while read -r line; do
			echo "$line" > /dev/kmsg
		done
	fi
}
