# SPDX-License-Identifier: GPL-2.0
# Sourced on the host and in the guest: what no kernel log of ours may contain.

SPLATS='WARNING:|BUG:|Oops|[Gg]eneral protection|possible circular locking|possible recursive locking'
SPLATS="$SPLATS|inconsistent lock state|suspicious RCU usage|INFO: task .* blocked|self-detected stall|detected stalls"
SPLATS="$SPLATS|soft lockup|KASAN|unreferenced object|refcount_t|UBSAN|scheduling while atomic|sleeping function called"
SPLATS="$SPLATS|Kernel panic|double fault|Unable to handle|kernel NULL pointer|ODEBUG:|DMA-API:.*(error|leak|not)|list_(add|del) corruption"
SPLATS="$SPLATS|Possible unsafe locking|hogged CPU|workqueue lockup|bad page|Bad page|leaked reference|waiting for .* to become free"
SPLATS="$SPLATS|held lock freed|still has locks held|Object [0-9a-f]* not freed|objects remaining"

# Harmless lines that match: announcements while booting.
SPLAT_NOISE='KASAN.*(initialized|enabled)|kasan: KernelAddressSanitizer|ODEBUG: selftest passed|WARNING: This is.*debug|DMA-API: preallocated|DMA-API: debugging enabled|UBSAN: enabled'

# splats < LOG: the offending lines.
splats() {
	grep -E "$SPLATS" | grep -vE "$SPLAT_NOISE" || true
}

# from_splat < LOG: the first of these lines and what follows it, the trace.
from_splat() {
	awk -v splats="$SPLATS" -v noise="$SPLAT_NOISE" '!left && $0 ~ splats && $0 !~ noise { left = 25 }
	     left { print; if (!--left) exit }'
}

# stray_fault [PAIRED] < LOG: faults the emulator is known to raise by itself: any fault with address bits in the flags
# register (no processor has flags there), a debug exception or breakpoint nobody armed, between two machines a virtual cable
# that stopped taking packets; and any oops of a kernel that no module of ours has tainted yet. Worth another try, and a word
# in the report.
stray_fault() {
	awk -v paired="${1:-}" '/exc_debug_kernel|int3: 0000/ { hit = 1 }
	     paired && /NETDEV WATCHDOG: .*transmit queue/ { hit = 1 }
	     /Oops/ { oops = 1 }
	     oops && /Not tainted/ { hit = 1 }
	     match($0, /EFLAGS: [0-9a-f]+/) {
		flags = substr($0, RSTART + 8, RLENGTH - 8)
		sub(/^0+/, "", flags)
		if (length(flags) > 6)
			hit = 1
	     }
	     END { exit !hit }'
}
