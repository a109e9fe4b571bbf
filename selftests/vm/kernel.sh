#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Kernels under test, by short name (6.1, 6.12, debug, patched-6.1, patched-6.12: see ../patches) or by release.
#   kernel.sh release NAME    the release, the newest in the package index; builds the debug or patched kernel if need be
#   kernel.sh kdir NAME       the folder to build modules against
#   kernel.sh image NAME      the boot image (downloads the package into the cache)
#   kernel.sh modules NAME    the folder with modules.dep (lib/modules/RELEASE); nothing for kernels of our own
# SMCX_KERNEL=<build folder of a kernel>: that one, whatever the name.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"

# Debian 12 ships 6.1 as the default kernel and 6.12 as a backport within the release.
declare -A META=([6.1]=linux-headers-amd64 [6.12]=linux-headers-6.12-amd64)

newest()
{
	local line=$1 release
	release=$(apt-cache depends "${META[$line]}" 2>/dev/null |
		  sed -n "s/^ *Depends: linux-headers-\(${line//./\\.}\..*-amd64\)$/\1/p" | head -n 1) || true
	if [ -z "$release" ]; then
		# No package index: what is installed will do.
		release=$(find /lib/modules -mindepth 1 -maxdepth 1 -name "$line.*-amd64" -printf '%f\n' 2>/dev/null |
			  sort -V | tail -n 1)
	fi
	[ -n "$release" ] || die "no kernel $line in the package index (apt-get update?)"
	echo "$release"
}

release()
{
	case $1 in
	6.1 | 6.12) newest "$1" ;;
	debug) cat "$("$here/debug-kernel.sh")/include/config/kernel.release" ;;
	patched-*) cat "$("$here/../patches/kernel.sh" "${1#patched-}")/include/config/kernel.release" ;;
	*) echo "$1" ;;
	esac
}

kdir()
{
	case $1 in
	debug | *-smcx-debug) "$here/debug-kernel.sh" ;;
	*-smcx-patched) readlink -f "$SMCX_CACHE/patched/$1" ;;
	*) echo "/lib/modules/$(release "$1")/build" ;;
	esac
}

# The image package is unpacked, never installed: it is no kernel for this machine.
unpacked()
{
	local rel dir deb
	rel=$(release "$1")
	dir=$SMCX_CACHE/kernel/$rel
	if [ ! -e "$dir/.unpacked" ]; then
		deb=$(fetch_deb "linux-image-$rel-unsigned")
		say "unpacking kernel $rel"
		rm -rf "$dir"
		mkdir -p "$dir"
		dpkg-deb -x "$deb" "$dir"
		PATH=$PATH:/sbin:/usr/sbin depmod -b "$dir" "$rel"
		touch "$dir/.unpacked"
	fi
	echo "$dir"
}

image()
{
	case $1 in
	debug | *-smcx-debug | *-smcx-patched) echo "$(kdir "$1")/arch/x86/boot/bzImage" ;;
	*) echo "$(unpacked "$1")/boot/vmlinuz-$(release "$1")" ;;
	esac
}

modules()
{
	case $1 in
	debug | *-smcx-debug | *-smcx-patched) ;;
	*) echo "$(unpacked "$1")/lib/modules/$(release "$1")" ;;
	esac
}

# given: the same of the kernel in SMCX_KERNEL.
given()
{
	case $1 in
	release) cat "$SMCX_KERNEL/include/config/kernel.release" ;;
	kdir) echo "$SMCX_KERNEL" ;;
	image) echo "$SMCX_KERNEL/arch/x86/boot/bzImage" ;;
	esac
}

[ -z "${SMCX_KERNEL:-}" ] || { given "${1:-}"; exit; }
case ${1:-} in
release | kdir | image | modules) "$1" "$2" ;;
*) sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
