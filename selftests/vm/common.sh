# SPDX-License-Identifier: GPL-2.0
# Sourced by the scripts of this folder (host side): paths, messages, packages.

SMCX_TOP=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
SMCX_CACHE=${SMCX_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/smcx}
SMCX_BUILD=${SMCX_BUILD:-$SMCX_TOP/build}

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# One line that keeps changing on a terminal, a rare line elsewhere.
progress()
{
	if [ -t 2 ]; then
		printf '\r%s\033[K' "$*" >&2
	elif [ $((SECONDS % 60)) -lt 5 ]; then
		say "$*"
	fi
}

# lock: one run of virtual machines at a time, until the caller ends; its caller may hold the lock already (flock FILE run.sh ...).
lock()
{
	local file=${SMCX_VM_LOCK:-/tmp/vm.lock} fd
	[ -e "$file" ] || : > "$file"
	for fd in /proc/$$/fd/*; do
		[ "$(readlink "$fd" 2>/dev/null)" != "$(readlink -f "$file")" ] || return 0
	done
	exec 7<"$file"
	flock -n 7 || { say "waiting for $file"; flock 7; }
}

# fetch_deb PACKAGE: download its candidate version into the cache (no installation), print the file.
fetch_deb()
{
	local dir=$SMCX_CACHE/deb ver file
	ver=$(apt-cache policy "$1" | awk '/Candidate:/ { print $2 }')
	if [ -z "$ver" ] || [ "$ver" = "(none)" ]; then
		die "package $1 is not in the package index"
	fi
	mkdir -p "$dir"
	file=$(find "$dir" -name "${1}_${ver//:/%3a}_*.deb" | head -n 1)
	if [ -z "$file" ]; then
		say "downloading $1 $ver"
		(cd "$dir" && apt-get -qq -o APT::Sandbox::User=root download "$1") >&2 || die "cannot download $1"
		file=$(find "$dir" -name "${1}_${ver//:/%3a}_*.deb" | head -n 1)
	fi
	echo "$file"
}
