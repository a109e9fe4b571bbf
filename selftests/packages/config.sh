#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kmod/check-kernel.sh against faked kernel folders: what is refused, and whether the message names cause and cure.
# And make install into a folder against make uninstall. On the host; TAP.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/../vm/common.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0
dir=$tmp/6.12.1-test/build
GOOD="MODULES=y INET=y IPV6=m NETFILTER=y SYSCTL=y INFINIBAND=m SMC=m"

result()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$tmp/out"
		bad=1
	fi
}

# folder OPTION...: a prepared kernel folder
folder()
{
	rm -rf "$dir"
	mkdir -p "$dir/include/config"
	echo "${RELEASE:-6.12.1-test}" > "$dir/include/config/kernel.release"
	printf 'CONFIG_%s\n' "$@" > "$dir/include/config/auto.conf"
}

# expect STATUS PATTERN TEXT: of a check of the folder; an empty pattern: silence
expect()
{
	local rc
	"$SMCX_TOP/kmod/check-kernel.sh" "$dir" > "$tmp/out" 2>&1
	rc=$?
	if [ -n "$2" ]; then
		[ $rc -eq "$1" ] && grep -q "$2" "$tmp/out"
	else
		[ $rc -eq "$1" ] && [ ! -s "$tmp/out" ]
	fi
	result $? "$3"
}

# names_itself FOLDER BIN: the examples for systemd run the smc_run that was installed with them.
names_itself()
{
	local file
	for file in nginx redis-server; do
		grep -q "^ExecStart=$2/smc_run " "$1/$file.service.d-smc.conf" || return 1
	done
	! grep -rhE '/(smc_run|libsmcx)' "$1" | sed "s|$2/smc_run||; s|${2%bin}lib/libsmcx||" | grep -E '/(smc_run|libsmcx)'
}

# installs_and_goes: the lists of both directions agree, also when the build folder is empty by then.
installs_and_goes()
{
	local install="$SMCX_TOP/userspace/packaging/install.sh" root=$tmp/root
	mkdir -p "$root" "$tmp/build/bin" "$tmp/build/lib"
	touch "$tmp/build/bin/smcx" "$tmp/build/bin/smc_run" "$tmp/build/lib/libsmcx-preload.so"
	export BUILD=$tmp/build DESTDIR=$root PREFIX=/opt
	"$install" install conf tools dkms &&
		[ -x "$root/opt/bin/smcx" ] && [ -s "$root/etc/modprobe.d/smcx.conf" ] && [ -s "$root/opt/share/man/man8/smcx.8" ] &&
		names_itself "$root/opt/share/doc/smcx-tools/examples" /opt/bin &&
		! grep -rq '@VERSION@' "$root" && rm -r "$tmp/build" &&
		"$install" uninstall conf tools dkms && ! find "$root" \( -type f -o -name "*smcx*" -o -name examples \) | grep .
}

# shellcheck disable=SC2086
{
folder $GOOD; expect 0 '' "a good kernel is taken in silence"
for option in INET IPV6 NETFILTER SYSCTL INFINIBAND MODULES; do
	folder $(tr ' ' '\n' <<< "$GOOD" | grep -v "^$option="); expect 1 "CONFIG_$option is not set" "CONFIG_$option is missed"
done
folder ${GOOD% SMC=m}; expect 1 'CONFIG_SMC is not set.*' "CONFIG_SMC is missed"
expect 1 'CONFIG_TCP_SMC_OPTION=y' "and the patches are named"
folder ${GOOD% SMC=m} TCP_SMC_OPTION=y; expect 0 '' "a patched kernel is taken"
folder ${GOOD% SMC=m} SMC=y; expect 1 'CONFIG_SMC=y: net/smc is built in' "built-in net/smc is refused"
folder ${GOOD% SMC=m} SMC_DIAG=m; expect 1 'CONFIG_SMC is not set' "another option's name is not mistaken for CONFIG_SMC"
RELEASE=6.6.1 folder $GOOD; expect 0 'tested with Linux 6.1 and 6.12 only' "another kernel line is warned about"
}
rm "$dir/include/config/auto.conf"; expect 1 modules_prepare "a tree that is not prepared"
rm -r "$dir"; expect 1 'apt-get install linux-headers-6.12.1-test' "missing headers are named"
installs_and_goes > "$tmp/out" 2>&1
result $? "what install places, uninstall removes"
echo "1..$n"
exit $bad
