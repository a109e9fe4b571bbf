#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel.sh KVER: what a kernel's own build says about kmod/: W=1, sparse, kernel-doc, and the layers of the objects.
# The module it builds for that is left where the tests take theirs from.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/../vm/common.sh"

rel=$("$here/../vm/kernel.sh" release "$1")
kdir=$("$here/../vm/kernel.sh" kdir "$rel")
out=$SMCX_BUILD/static
log=$out/$rel.log
bad=0
mkdir -p "$out"
# Everything anew: only compiled files get warned about. Objects of deleted sources must not linger either.
rm -rf "${out:?}/$rel"
if ! make -C "$SMCX_TOP" BUILD="$out" KVER="$rel" KFLAGS="W=1 C=2 CHECK=sparse" module > "$log" 2>&1; then
	tail -n 30 "$log"
	exit 1
fi
mkdir -p "$SMCX_BUILD/$rel"
cp "$out/$rel/smcx.ko" "$SMCX_BUILD/$rel/smcx.ko"
# The kernel's own headers are not ours to mend.
if grep -E "(^|/)kmod/[^ ]*: *(warning|error|note)|modpost: .*(WARNING|ERROR)" "$log" |
	grep -v 'Skipping BTF' | sed "s|$out/$rel/||" | sort -u | grep .; then
	bad=1
fi
# Without the reports of other files, whose build lines carry the word as well.
doc=$(find -L "$kdir" "$kdir/../linux-headers-${rel%-amd64}-common" -path '*scripts/kernel-doc' 2>/dev/null | head -n 1)
if [ -z "$doc" ]; then
	echo "no kernel-doc in the kernel headers"
	bad=1
else
	find "$SMCX_TOP/kmod" -name '*.[ch]' -print0 | xargs -0 perl "$doc" -none > "$out/$rel.doc" 2>&1 || true
	if grep -E 'warning|error' "$out/$rel.doc" | sed "s|$SMCX_TOP/||" | sort -u | grep .; then
		bad=1
	fi
fi
"$here/layers.py" "$SMCX_TOP/kmod" "$out/$rel/kmod" || bad=1
[ $bad -ne 0 ] || echo "$rel: W=1, sparse, kernel-doc and layers are fine"
exit $bad
