#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make in-tree LINUX=<tree> [O=<build folder>] [BOOT=1]: place the sources into a kernel tree as net/smcx and build them
# there. Running it again brings them up to date. The tree's own files are touched in two lines: net/Kconfig, net/Makefile.
# BOOT=1: build the whole kernel, boot it in a virtual machine and load the module.
set -euo pipefail
top=$(dirname "$(readlink -f "$0")")/../..
linux=${1:-}
build=${2:-$linux}
boot=${BOOT:-}

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# add_line FILE LINE: behind the line of net/smc, once.
add_line()
{
	grep -qxF "$2" "$1" && return
	sed -i "/smc\/\(Kconfig\"\)\?\$/s|.*|&\n$2|" "$1"
	grep -qxF "$2" "$1" || die "$1 has no line for net/smc behind which to put: $2"
}

[ -n "$linux" ] || die "which kernel tree? make in-tree LINUX=<tree> [O=<build folder>]"
[ -f "$linux/net/smc/Kconfig" ] || die "$linux is no kernel tree with net/smc: give the folder of the sources"
linux=$(readlink -f "$linux")

rm -rf "$linux/net/smcx"
cp -r --preserve=mode,timestamps "$top/kmod" "$linux/net/smcx"
rm -f "$linux/net/smcx/check-kernel.sh"
cp "$top/Kconfig" "$linux/net/smcx/Kconfig"
add_line "$linux/net/Kconfig" 'source "net/smcx/Kconfig"'
add_line "$linux/net/Makefile" 'obj-$(CONFIG_SMCX)		+= smcx/'
say "placed into $linux/net/smcx"

if [ ! -f "$build/.config" ]; then
	say "$build has no configuration: configure the kernel with CONFIG_SMCX=m and build it"
	exit 0
fi
args=(-C "$linux")
[ "$(readlink -f "$build")" = "$linux" ] || args+=("O=$(readlink -f "$build")")
if ! grep -q '^CONFIG_SMCX=' "$build/.config"; then
	"$linux/scripts/config" --file "$build/.config" --module SMCX
	make "${args[@]}" olddefconfig > /dev/null
	grep -q '^CONFIG_SMCX=' "$build/.config" ||
		die "the kernel's configuration does not allow CONFIG_SMCX: it needs CONFIG_INFINIBAND, CONFIG_IPV6, CONFIG_NETFILTER, CONFIG_SYSCTL and
  CONFIG_SMC=m (or patches/ and CONFIG_TCP_SMC_OPTION=y)"
fi
make "${args[@]}" net/smcx/
[ -n "$boot" ] || exit 0

# What the machine cannot do without, before there are modules; its programs are those of the tests.
for option in BLK_DEV_INITRD DEVTMPFS SERIAL_8250_CONSOLE VIRTIO_PCI VIRTIO_CONSOLE VIRTIO_NET INFINIBAND RDMA_RXE; do
	grep -q "^CONFIG_$option=y" "$build/.config" || die "to boot here, the kernel needs CONFIG_$option=y"
done
grep -q '^CONFIG_SMCX=m' "$build/.config" || die "to boot here, the kernel needs CONFIG_SMCX=m: the machine loads a module"
make "${args[@]}" bzImage modules
rm -f "$build/modules.cpio"
make -s -C "$top" tools
make -s -C "$top/selftests" BUILD="${SMCX_BUILD:-$(readlink -f "$top")/build}"
build=$(readlink -f "$build")
SMCX_KERNEL=$build "$top/selftests/vm/run.sh" --kver own --module smcx --no-build --ko "$build/net/smcx/smcx.ko" --timeout 300 -- \
	'uname -r && smcx info && smcx dev'
