#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# root.sh KERNEL...: a Debian 12 system from the machine's package sources, with systemd, kernels, their headers, dkms,
# nginx, redis and curl, and nothing of ours. Prints the archive, made once per set of kernel releases.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/../vm/common.sh"

INCLUDE=(systemd-sysv udev dbus kmod procps iproute2 ethtool initramfs-tools dkms libmnl0 nginx-light redis-server curl)
releases=()
while read -r kver; do
	releases+=("$("$here/../vm/kernel.sh" release "$kver")")
done < <(printf '%s\n' "$@" | sort -u)
out=$SMCX_CACHE/packages-$({ sha256sum < "$0"; printf '%s\n' "${releases[@]}"; } | sha256sum | cut -c1-16).tar
if [ ! -e "$out" ]; then
	for rel in "${releases[@]}"; do
		INCLUDE+=("linux-image-$rel" "linux-headers-$rel")
	done
	say "making a Debian system (once, some minutes; log: $SMCX_CACHE/packages.log)"
	mkdir -p "$SMCX_CACHE"
	# The options of dpkg stay in the system, where our packages come with documents that are looked for.
	# Only what this kind of machine needs goes into the initramfs: unpacking it is emulated.
	apt-get indextargets --format 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(SITE) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' 'Component: main' | grep ' bookworm' | sort -u |
		mmdebstrap --variant=minbase --include="$(IFS=,; echo "${INCLUDE[*]}")" \
			--dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/locale/*' \
			--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/smcx-*' \
			--essential-hook='mkdir -p "$1/etc/initramfs-tools/conf.d"' \
			--essential-hook='echo MODULES=list > "$1/etc/initramfs-tools/conf.d/guest"' \
			--essential-hook='printf "%s\n" virtio_pci virtio_blk ext4 > "$1/etc/initramfs-tools/modules"' \
			bookworm "$out.tmp.tar" - > "$SMCX_CACHE/packages.log" 2>&1 ||
			{ tail -n 20 "$SMCX_CACHE/packages.log" >&2; die "cannot make a Debian system"; }
	mv "$out.tmp.tar" "$out"
fi
echo "$out"
