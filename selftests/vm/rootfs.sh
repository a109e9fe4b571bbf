#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guests' user land. Debian's packages are downloaded and unpacked into a folder of the cache (nothing gets
# installed, so nginx and redis do not start on this machine), and programs plus the libraries they need are packed.
#   rootfs.sh base            print the base archive (programs and libraries), built once
#   rootfs.sh modules NAME    print the archive with the kernel modules that tests need
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"

PACKAGES=(busybox-static dash iproute2 nginx wrk redis-server redis-tools tcpdump curl socat iperf3 strace ethtool kmod jq)
PROGRAMS=(busybox dash bash ip tc ss rdma nginx wrk redis-server redis-cli redis-benchmark tcpdump curl socat iperf3
	  strace ethtool kmod jq)
# Loaded by name or by the kernel's request; dependencies follow.
MODULES=(virtio_pci virtio_net virtio_console virtio_rng rdma_rxe crc32_generic ib_uverbs smc smc_diag sch_netem
	 tcp_diag inet_diag udp_diag unix_diag af_packet tls ipv6 udp_tunnel ip6_udp_tunnel sch_fq sch_ingress
	 cls_u32 act_mirred act_gact dummy veth vxlan macsec bonding 8021q bridge macvlan tun nf_tables nft_ct nft_reject_inet
	 nft_compat xfrm_user esp4 authenc crypto_null aesni_intel ctr gcm ccm ghash_generic)
LIBDIRS=(lib/x86_64-linux-gnu usr/lib/x86_64-linux-gnu)

# The wanted packages and every library package below them.
closure()
{
	{
		printf '%s\n' "${PACKAGES[@]}" bash
		apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
			--no-enhances "${PACKAGES[@]}" bash | grep -E '^(lib|zlib1g)' |
			grep -vE 'perl|libpam-|libnewt|libdebian-|libsemanage|libsepol|libelogind'
	} | sort -u
}

# unpack FOLDER: the packages' files. The index decides which versions; a cache of packages serves all runs.
unpack()
{
	local deb=$SMCX_CACHE/deb/guest package list
	list=$(closure)
	say "downloading and unpacking the guests' programs ($(wc -l <<< "$list") packages)"
	mkdir -p "$deb"
	(cd "$deb" && xargs apt-get -qq -o APT::Sandbox::User=root download <<< "$list") >&2 ||
		die "cannot download the guests' programs"
	for package in "$deb"/*.deb; do
		dpkg-deb -x "$package" "$1"
	done
	rm -rf "$deb"
}

# libraries SYSROOT FILE...: every library the programs need, as paths in the sysroot.
libraries()
{
	local root=$1 path loader
	shift
	path=$(printf "$root/%s:" "${LIBDIRS[@]}")
	loader=$(library "$root" ld-linux-x86-64.so.2)
	"$loader" --inhibit-cache --library-path "$path" --list "$@" 2>/dev/null |
		sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'
}

# inside ROOT FILE: the file behind a link. Links in packages may be absolute, and must not lead out of the folder.
inside()
{
	local file=$2 target
	while [ -L "$file" ]; do
		target=$(readlink "$file")
		case $target in
		/*) file=$1$target ;;
		*) file=$(dirname "$file")/$target ;;
		esac
	done
	echo "$file"
}

program()
{
	inside "$1" "$(find "$1"/{bin,sbin,usr/bin,usr/sbin} -maxdepth 1 -name "$2" 2>/dev/null | head -n 1)"
}

library()
{
	inside "$1" "$(find "$1"/{lib,usr/lib}/x86_64-linux-gnu -maxdepth 1 -name "$2" 2>/dev/null | head -n 1)"
}

base()
{
	local root out stage name file lib
	out=$SMCX_CACHE/base-$(sha256sum "$0" | cut -c1-16).cpio
	if [ ! -e "$out" ]; then
		root=$(mktemp -d)
		unpack "$root"
		stage=$(mktemp -d)
		mkdir -p "$stage"/{bin,lib/x86_64-linux-gnu,lib64,var/log/nginx,var/lib/nginx,usr/share/nginx}
		for name in "${PROGRAMS[@]}"; do
			file=$(program "$root" "$name")
			[ -f "$file" ] || die "no program $name in the packages"
			cp "$file" "$stage/bin/$name"
			[ "$name" != busybox ] || continue
			for lib in $(libraries "$root" "$file"); do
				cp -Ln "$lib" "$stage/lib/x86_64-linux-gnu/"
			done
		done
		cp -L "$(library "$root" ld-linux-x86-64.so.2)" "$stage/lib64/"
		# What test programs of our own and preload libraries load later.
		for name in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libgcc_s.so.1 \
			    libnss_files.so.2 libresolv.so.2; do
			cp -n "$(library "$root" $name)" "$stage/lib/x86_64-linux-gnu/$name"
		done
		pack "$stage" "$out"
		rm -rf "$stage" "$root"
	fi
	echo "$out"
}

# pack FOLDER FILE: uncompressed, since emulated decompression costs more than reading.
pack()
{
	(cd "$1" && find . -print0 | LC_ALL=C sort -z | cpio --quiet -0 -o -H newc -R 0:0) > "$2.tmp.$$"
	mv "$2.tmp.$$" "$2"
}

modules()
{
	local src rel out stage name
	src=$("$here/kernel.sh" modules "$1")
	[ -n "$src" ] || { own_modules "$1"; return; }
	rel=$(basename "$src")
	out=$SMCX_CACHE/modules-$rel-$(sha256sum "$0" | cut -c1-16).cpio
	if [ ! -e "$out" ]; then
		stage=$(mktemp -d)
		for name in "${MODULES[@]}"; do
			PATH=$PATH:/sbin:/usr/sbin modprobe -d "${src%/lib/modules/*}" -S "$rel" --show-depends "$name" \
				2>/dev/null | awk '$1 == "insmod" { print $2 }'
		done | sort -u | while read -r name; do
			install_module "$name" "$stage/lib/modules/$rel"
		done
		cp "$src"/modules.{order,builtin,builtin.modinfo} "$stage/lib/modules/$rel/"
		PATH=$PATH:/sbin:/usr/sbin depmod -b "$stage" "$rel"
		pack "$stage" "$out"
		rm -rf "$stage"
	fi
	echo "$out"
}

# Unpacked here, once, instead of in the guest, each time.
install_module()
{
	mkdir -p "$2"
	case $1 in
	*.xz) xz -dc "$1" > "$2/$(basename "$1" .xz)" ;;
	*) cp "$1" "$2/" ;;
	esac
}

# Kernels of our own have everything built in except the SMC modules.
own_modules()
{
	local dir rel out stage name
	dir=$("$here/kernel.sh" kdir "$1")
	rel=$(cat "$dir/include/config/kernel.release")
	out=$dir/modules.cpio
	if [ ! -e "$out" ]; then
		stage=$(mktemp -d)
		mkdir -p "$stage/lib/modules/$rel"
		find "$dir/net" "$dir/lib" "$dir/drivers" -name '*.ko' -exec cp {} "$stage/lib/modules/$rel/" \;
		cp "$dir"/modules.{order,builtin,builtin.modinfo} "$stage/lib/modules/$rel/"
		PATH=$PATH:/sbin:/usr/sbin depmod -b "$stage" "$rel"
		pack "$stage" "$out"
		rm -rf "$stage"
	fi
	echo "$out"
}

case ${1:-} in
base) base ;;
modules) modules "$2" ;;
*) sed -n '3,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
