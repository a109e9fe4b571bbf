#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh SET...: install the Debian packages that a make target needs and the machine lacks.
# Sets: build (module and tools), vm (emulator), check (static checks, unit tests, fuzzing), kernel (debug kernel),
# deb (making packages), packages (testing them), headers:RELEASE (kernel headers). Silent where nothing is missing.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/common.sh"

declare -A SETS=(
	[build]="gcc make libc6-dev libelf-dev bc kmod xz-utils pkg-config libmnl-dev libpcap-dev"
	[vm]="qemu-system-x86 cpio kmod xz-utils binutils gcc make libc6-dev libibverbs-dev"
	[check]="mandoc sparse clang llvm libclang-rt-14-dev golang-go libpcap-dev perl python3 gcc make libc6-dev"
	[deb]="build-essential dpkg-dev debhelper dh-dkms"
	[packages]="mmdebstrap e2fsprogs util-linux"
	[kernel]="gcc make flex bison bc libelf-dev libssl-dev xz-utils kmod cpio perl python3"
)

# Root, or sudo: nothing but package installation ever needs it.
as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

missing=()
for set in "$@"; do
	case $set in
	headers:*) packages=linux-headers-${set#headers:} ;;
	*) packages=${SETS[$set]} ;;
	esac
	for package in $packages; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
			missing+=("$package")
	done
done
[ ${#missing[@]} -gt 0 ] || exit 0

say "installing from Debian's packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
install=(apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "${missing[@]}")
if ! as_root "${install[@]}" >&2; then
	say "updating the package index"
	as_root apt-get update -qq >&2
	as_root "${install[@]}" >&2 || die "cannot install: ${missing[*]}"
fi
