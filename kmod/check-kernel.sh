#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# check-kernel.sh FOLDER: can the module be built for this kernel? FOLDER is the kernel's build folder or its headers
# (/lib/modules/RELEASE/build). Silent if so; otherwise says what is missing and what to do, and exits 1.
dir=${1:?the kernel\'s build folder}
conf=$dir/include/config/auto.conf
release=$(cat "$dir/include/config/kernel.release" 2>/dev/null)
bad=

say() { printf '%s\n' "$*" >&2; }

complain()
{
	[ -n "$bad" ] || say "smcx: cannot be built for kernel ${release:-?} ($dir):"
	bad=1
	say "  - $1"
	say "    $2"
}

# The value of an option: y, m, or nothing.
value() { sed -n "s/^$1=\(.\)\$/\1/p" "$conf"; }

need()
{
	[ -n "$(value "$1")" ] || complain "$1 is not set: $2." "Set it in the kernel's configuration and rebuild the kernel."
}

if [ ! -d "$dir" ]; then
	name=${dir%/build}
	name=${name##*/}
	say "smcx: there are no kernel headers in $dir."
	say "  Debian: apt-get install linux-headers-$name"
	say "  A kernel of your own: KDIR=<its build folder>."
	exit 1
fi
if [ ! -r "$conf" ]; then
	say "smcx: the kernel tree $dir is not prepared."
	say "  Run 'make olddefconfig modules_prepare' in it, or, better, build the kernel."
	exit 1
fi

need CONFIG_MODULES "smcx is a module"
need CONFIG_INET "there is no TCP"
need CONFIG_IPV6 "smcx uses functions of IPv6"
need CONFIG_NETFILTER "smcx takes data out of SYN packets by its hooks"
need CONFIG_SYSCTL "smcx is configured by sysctls"
need CONFIG_INFINIBAND "there is no RDMA"

if [ "$(value CONFIG_SMC)" = y ]; then
	complain "CONFIG_SMC=y: net/smc is built in and owns address family 43 for ever." \
		"Set CONFIG_SMC=m and rebuild the kernel."
elif [ -z "$(value CONFIG_SMC)$(value CONFIG_TCP_SMC_OPTION)" ]; then
	complain "CONFIG_SMC is not set: TCP knows nothing of the option by which two hosts agree on SMC." \
		"Set CONFIG_SMC=m; or apply smcx's patches/ and set CONFIG_TCP_SMC_OPTION=y; and rebuild the kernel."
fi
[ -z "$bad" ] || exit 1

case $release in
6.1 | 6.1.* | 6.1-* | 6.12 | 6.12.* | 6.12-*) ;;
*) say "smcx: warning: tested with Linux 6.1 and 6.12 only, this is $release." ;;
esac
