#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the debug kernel (Debian's 6.12 source, tinyconfig + debug.config) once, in the cache.
# Prints the build directory, which holds arch/x86/boot/bzImage, the two smc modules, and serves as KDIR.
# --is-built: only say, by the exit status, whether it is there.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"

main()
{
	local ver tag src dir
	ver=$(apt-cache policy linux-source-6.12 | awk '/Candidate:/ { print $2 }')
	[ -n "$ver" ] && [ "$ver" != "(none)" ] || die "no linux-source-6.12 in the package index"
	tag=$(tr -c 'A-Za-z0-9.\n' '_' <<< "$ver")
	src=$SMCX_CACHE/debug/src-$tag
	dir=$SMCX_CACHE/debug/build-$tag-$(sha256sum "$here/debug.config" | cut -c1-12)
	if [ "${1:-}" = --is-built ]; then
		[ -e "$dir/.built" ]
		return
	fi
	mkdir -p "$SMCX_CACHE/debug"
	exec 8>"$SMCX_CACHE/debug/.lock"
	flock 8
	[ -e "$src/.unpacked" ] || unpack "$(fetch_deb linux-source-6.12)" "$src"
	if [ ! -e "$dir/.built" ]; then
		say "building the debug kernel $ver (once, 10 to 20 minutes; log: $dir/build.log)"
		configure "$src" "$dir"
		compile "$src" "$dir"
		touch "$dir/.built"
	fi
	echo "$dir"
}

# The source archive sits inside the package.
unpack()
{
	say "unpacking the kernel source"
	rm -rf "$2"
	mkdir -p "$2"
	dpkg-deb --fsys-tarfile "$1" | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
		tar -xJ -C "$2" --strip-components=1
	touch "$2/.unpacked"
}

configure()
{
	local line lost=
	mkdir -p "$2"
	{
		make -C "$1" O="$2" tinyconfig
		"$1/scripts/kconfig/merge_config.sh" -m -O "$2" "$2/.config" "$here/debug.config"
		make -C "$1" O="$2" olddefconfig
	} >"$2/config.log" 2>&1 || { tail -20 "$2/config.log" >&2; die "debug kernel: configuration failed"; }
	# A lost option would make the kernel silently blind.
	while read -r line; do
		case $line in
		CONFIG_*=n) ! grep -q "^${line%=n}=" "$2/.config" ;;
		CONFIG_*) grep -qxF "$line" "$2/.config" ;;
		esac || { say "debug kernel: lost $line"; lost=1; }
	done < "$here/debug.config"
	[ -z "$lost" ] || die "debug kernel: the configuration lost options"
}

compile()
{
	local pid
	nice -n 10 make -C "$1" O="$2" -j"$(nproc)" bzImage modules >"$2/build.log" 2>&1 8>&- &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		progress "debug kernel: $(grep -cE '^  (CC|AS|LD|AR)' "$2/build.log" || true) steps"
		sleep 5
	done
	wait $pid || { tail -30 "$2/build.log" >&2; die "debug kernel: build failed"; }
	say "debug kernel: done"
}

main "$@"
