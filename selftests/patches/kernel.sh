#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh 6.1|6.12 [STEP]: Debian's kernel source with patches/ applied and the module's sources placed into it (make
# in-tree), configured without net/smc by kernel.config, built in the cache. Prints the build folder. STEP tree: stop
# after the sources are there; files: compile only the files that the patches touch, and the module.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/../vm/common.sh"

line=$1 step=${2:-all}
case $line in 6.1 | 6.12) ;; *) die "kernel.sh: which kernel?" ;; esac
base=$SMCX_CACHE/patched/$line

# The pure source is kept, a tree of hard links to it is patched; patch and sed write new files.
sources()
{
	local deb src=$base/source
	deb=$(fetch_deb "linux-source-$line")
	if [ "$(cat "$src/.package" 2>/dev/null)" != "$(basename "$deb")" ]; then
		say "unpacking the kernel source $line"
		rm -rf "$src"
		mkdir -p "$src"
		dpkg-deb --fsys-tarfile "$deb" | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
			tar -xJ -C "$src" --strip-components=1
		basename "$deb" > "$src/.package"
	fi
}

# state: all that the kernel is made of.
state()
{
	cat "$base/source/.package"
	find "$SMCX_TOP"/{kmod,Kconfig} "$SMCX_TOP/patches/$line" "$here/kernel.config" -type f -printf '%p %T@ %s\n' | sort
}

# Files that do not change keep their times, so that a second build is short.
apply()
{
	local patches patch
	patches=$(cat "$base/source/.package" "$SMCX_TOP/patches/$line"/*.patch | sha256sum)
	if [ "$(cat "$base/.patched" 2>/dev/null)" != "$patches" ]; then
		rm -rf "$base/tree" "$base/build" "$base/.patched"
		cp -al "$base/source" "$base/tree"
		for patch in "$SMCX_TOP/patches/$line"/*.patch; do
			patch -d "$base/tree" -p1 -s -f --fuzz=0 < "$patch" >&2 || die "$patch does not apply to $(cat "$base/source/.package")"
		done
		echo "$patches" > "$base/.patched"
	fi
}

# In a folder of its own: what did not change is not compiled again.
configure()
{
	local wanted lost= config=$base/config
	mkdir -p "$base/build" "$config"
	"$SMCX_TOP/userspace/packaging/in-tree.sh" "$base/tree" "$base/nowhere" 2> /dev/null
	[ ! "$base/build/.config" -nt "$here/kernel.config" ] || return 0
	{
		make -C "$base/tree" O="$config" tinyconfig
		cd "$base"
		tree/scripts/kconfig/merge_config.sh -m -O "$config" "$config/.config" "$here/kernel.config"
		make -C "$base/tree" O="$config" olddefconfig
	} > "$base/config.log" 2>&1 || { tail -n 20 "$base/config.log" >&2; die "the configuration failed"; }
	while read -r wanted; do
		case $wanted in
		CONFIG_*=n) ! grep -q "^${wanted%=n}=" "$config/.config" ;;
		CONFIG_*) grep -qxF "$wanted" "$config/.config" ;;
		esac || { say "lost $wanted"; lost=1; }
	done < "$here/kernel.config"
	[ -z "$lost" ] || die "the configuration lost options"
	cp "$config/.config" "$base/build/.config"
}

compile()
{
	local log=$base/build.log targets
	targets=$(sed -n 's|^+++ b/\(net/.*\)\.c$|\1.o|p' "$SMCX_TOP/patches/$line"/*.patch | sort -u)
	# shellcheck disable=SC2086
	nice -n 10 make -C "$base/tree" O="$base/build" -j"${SMCX_JOBS:-$(nproc)}" $targets net/smcx/ > "$log" 2>&1 ||
		{ tail -n 30 "$log" >&2; die "the patched files do not compile"; }
	[ "$step" != files ] || return 0
	say "building kernel $line (some minutes; log: $log)"
	nice -n 10 make -C "$base/tree" O="$base/build" -j"${SMCX_JOBS:-$(nproc)}" bzImage modules >> "$log" 2>&1 ||
		{ tail -n 30 "$log" >&2; die "the kernel does not build"; }
	# For kernel.sh of the virtual machines, which finds the folder by the release.
	rm -f "$base/build/modules.cpio"
	ln -sfn "$base/build" "$SMCX_CACHE/patched/$(cat "$base/build/include/config/kernel.release")"
	echo "$mark" > "$base/build/.built"
}

"$here/../vm/deps.sh" kernel
mkdir -p "$base"
exec 8> "$base/.lock"
flock 8
sources
mark=$(state | sha256sum)
if [ "$step" = all ] && [ "$(cat "$base/build/.built" 2>/dev/null)" = "$mark" ]; then
	echo "$base/build"
	exit
fi
apply
if [ "$step" != tree ]; then
	configure
	compile 8>&-
fi
echo "$base/build"
