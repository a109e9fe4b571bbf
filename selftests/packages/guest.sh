#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Inside a Debian machine where both packages are installed: serve or fetch a page over SMC, purge the packages. Started by
# a systemd unit, output on the second serial line, in TAP lines; "@end" at the end. role=server|client on the kernel's
# command line.
exec > /dev/ttyS1 2>&1
role=$(sed -n 's/.*role=\([a-z]*\).*/\1/p' /proc/cmdline)
self=10.0.0.1 peer=10.0.0.2
[ "$role" = server ] || self=10.0.0.2 peer=10.0.0.1
kernel=$(uname -r)
cd /tmp || exit 1

# check TEXT COMMAND...
check()
{
	local text="$role ($kernel): $1"
	shift
	if "$@" > out 2>&1; then
		echo "ok - $text"
	else
		sed 's/^/# /' out
		echo "not ok - $text"
	fi
}

# wait_for SECONDS COMMAND...
wait_for()
{
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.5
	done
}

is_loaded() { [ -d "/sys/module/$1" ]; }

resolves_to_smcx() { modprobe --show-depends "$1" | tee deps; ! grep -qE '/smc(_diag)?\.ko' deps && grep -q '/updates/dkms/smcx\.ko' deps; }

up()
{
	ip link set lo up
	ip link set eth0 up && ip addr add $self/24 dev eth0
	# The emulated device is there, its driver may not be yet.
	modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0
}

# An established connection with the peer is carried by RDMA, says sock_diag.
carried_by_smc()
{
	smcx -j sock smc | tee socks | tr '{' '\n' | grep '"carrier": *"SMC-R"' | grep '"state": *"ACTIVE"' |
		grep -q "\"peer_address\": *\"\(::ffff:\)\?$peer\""
}

# counter NAME: of smcx stat
counter() { smcx -j stat | tr ',{' '\n\n' | sed -n "s/ *\"$1\": *\([0-9]*\).*/\1/p" | head -n 1; }
counts() { smcx stat; [ "$(counter "$1")" -ge "$2" ]; }

# service NAME: Debian's own, with our example as its drop-in.
service()
{
	local dir=/etc/systemd/system/$1.service.d
	mkdir "$dir"
	cp "/usr/share/doc/smcx-tools/examples/$1.service.d-smc.conf" "$dir/smc.conf" || return
	systemctl daemon-reload
	systemctl start "$1" && return
	systemctl --no-pager status "$1"
	journalctl --no-pager -n 20 -u "$1"
	return 1
}

listens() { smcx -j sock listen port "$1" | tee socks | grep -q '"state": *"LISTEN"'; }

# services: with the examples, nginx and redis listen on SMC sockets.
services()
{
	local name port
	for name in nginx:80 redis-server:6379; do
		port=${name#*:} name=${name%:*}
		check "the service $name starts with the example" service "$name"
		check "and listens on an SMC socket" wait_for 30 listens "$port"
		check "the service $name ends" systemctl stop "$name"
		rm -r "/etc/systemd/system/$name.service.d"
	done
	systemctl daemon-reload
}

serve()
{
	head -c 4000000 /dev/urandom > /var/www/html/data
	sha256sum < /var/www/html/data > /var/www/html/sum
	check "nginx starts under smc_run" smc_run nginx
	check "which loads smcx" is_loaded smcx
	check "its connection with the client is SMC" wait_for 900 carried_by_smc
	check "the client says that it is done" wait_for 900 grep -q 'GET /done' /var/log/nginx/access.log
	check "connections are counted" counts server_v2 3
	check "more than the file has been sent by RDMA" counts sent_bytes 4000000
	nginx -s stop
	wait_for 60 sh -c '! pidof nginx'
	services
}

fetch()
{
	wait_for 900 curl -s -o /dev/null http://$peer/sum
	smc_run curl -s --limit-rate 100k http://$peer/data > data &
	check "curl's connection is SMC" wait_for 300 carried_by_smc
	check "smcx is loaded" is_loaded smcx
	wait $!
	smc_run curl -s http://$peer/sum > sum
	check "the file is complete" sha256sum -c --status <(sed 's/-$/data/' sum)
	check "connections are counted" counts client_v2 2
	check "more than the file has been received by RDMA" counts received_bytes 4000000
	smc_run curl -s http://$peer/done > /dev/null
}

# Everything of the packages, and what dkms and depmod made of them.
remains()
{
	find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /root -o -path /tmp -o -path /var/log -o -path '/etc/systemd/*' \) \
		-prune -o -iname '*smcx*' -print -o -name smc_run\* -print
	dpkg-query -W -f '${Status} ${Package}\n' 'smcx*' 2> /dev/null | grep -v not-installed
	ls -d /sys/fs/bpf/smcx-auto
	grep -H smcx /lib/modules/*/modules.dep /lib/modules/*/modules.alias
}
is_clean() { remains > left 2> /dev/null; cat left; [ ! -s left ]; }

# What is there now and was not before the packages were installed, or the other way round (logs and caches aside).
is_as_before()
{
	/root/list-files > /tmp/now
	! diff /root/files-before /tmp/now | grep '^[<>]'
}

check "dkms has built and installed the module" sh -c "dkms status smcx -k $kernel > status; cat status; grep -q installed status"
check "nothing has loaded it" sh -c '! [ -d /sys/module/smcx ] && ! [ -d /sys/module/smc ]'
for alias in net-pf-43 net-pf-2-proto-256-type-1 net-pf-10-proto-256-type-1 net-pf-16-proto-4-type-43 \
	     net-pf-16-proto-16-family-SMC_GEN_NETLINK net-pf-16-proto-16-family-SMC_PNETID; do
	check "$alias stands for smcx" resolves_to_smcx $alias
done
check "the boot has set net.ipv4.tcp_fastopen" grep -qx 3 /proc/sys/net/ipv4/tcp_fastopen
check "soft-RoCE starts" up
if [ "$role" = server ]; then
	serve
else
	fetch
fi
check "net/smc has not been loaded" sh -c '! [ -d /sys/module/smc ]'
case $kernel in
6.1.*) ;;
*) check "smcx auto is on somewhere" sh -c 'ip netns add other && smcx auto on netns other && [ -d /sys/fs/bpf/smcx-auto ]' ;;
esac
check "the packages can be purged" apt-get autoremove --purge -y smcx-dkms smcx-tools
check "the module is gone from the kernel" sh -c '! [ -d /sys/module/smcx ]'
check "nothing is left of them" is_clean
check "files are as before the installation" is_as_before
echo "@end"
systemctl poweroff
