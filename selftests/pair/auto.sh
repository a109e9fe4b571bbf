#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# smcx auto: the kernel makes SMC sockets of what static programs ask for, by control group and namespace.
# vm-test: timeout=250 reload
. /tests/lib.sh
. /tests/pair/lib-hold.sh
raw=/tests/pair/rawsock
group=/tmp/cgroup2/smc

says()
{
	local status=$1 words=$2
	shift 2
	"$@" > says 2>&1
	[ $? -eq "$status" ] && grep -q "$words" says || { cat says; false; }
}

case $DEBUG-$(uname -r) in
1-*)
	# Built without type information.
	echo "1..0 # SKIP not on this kernel"
	exit 4
	;;
*-6.1.*)
	check "this kernel has no hook, and smcx says so" says 2 "no hook update_socket_protocol" smcx auto on
	check "nothing is on" says 0 "^Off" smcx auto show
	check "nothing is to be switched off" smcx auto off
	finish
	;;
esac

# Becomes the program, so that who started it in the background can end it.
in_group()
{
	# shellcheck disable=SC2016
	exec sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' $group "$@"
}

mkdir -p /tmp/cgroup2
mount -t cgroup2 none /tmp/cgroup2 && mkdir -p $group
check "off at first" says 0 "^Off" smcx auto show
check "no folder of a control group" says 1 "no folder of a control group" smcx auto on cgroup /tmp
check "which leaves nothing in the kernel" test ! -e /sys/fs/bpf/smcx-auto
check "no such namespace" says 1 "no such network namespace" smcx auto on netns nowhere
check "on for a control group" smcx auto on cgroup $group
check "twice is once" smcx auto on cgroup $group
check "it is shown" says 0 "\"netns\": \"this\".*\"cgroup\": \"$group\"" smcx -j auto

serve_hold group 5011 $CONNS in_group $raw serve 5011 -- in_group $raw hold "$PEER" 5011 $CONNS
serve_hold outside 5012 0 $raw serve 5012 -- $raw hold "$PEER" 5012 $CONNS
serve_hold one-side 5013 0 in_group $raw serve 5013 -- $raw hold "$PEER" 5013 $CONNS

# A service manager makes the group anew with each start.
anew() { rmdir $group && mkdir $group && smcx auto on cgroup $group; }
check "the group is made anew, and switched on again" anew
serve_hold group-anew 5018 $CONNS in_group $raw serve 5018 -- in_group $raw hold "$PEER" 5018 $CONNS

check "off" smcx auto off
serve_hold off 5014 0 in_group $raw serve 5014 -- in_group $raw hold "$PEER" 5014 $CONNS

check "on for this namespace" smcx auto on
serve_hold namespace 5015 $CONNS $raw serve 5015 -- $raw hold "$PEER" 5015 $CONNS

# Another namespace is none of that rule's.
listens()
{
	"$@" $raw serve 5016 &
	local pid=$! rc
	until_ok sh -c "$* ss -Hltn | grep -q :5016"
	"$@" smcx -j sock | grep -q '"state": "LISTEN"'
	rc=$?
	kill $pid
	wait $pid 2> /dev/null
	return $rc
}
ip netns add other
# There /sys is another.
for what in on show off; do
	check "$what from under ip netns exec" says 2 "netns NAME" ip netns exec other smcx auto $what
done
check "the rule is still there" says 0 "this *any" smcx auto
check "a listener here is SMC" listens env
check "one in another namespace is TCP" eval '! listens ip netns exec other'
check "on for that one, too" smcx auto on netns other
check "now it is SMC" listens ip netns exec other
# As an smcx leaves it that is killed while it switches on.
half()
{
	rm /sys/fs/bpf/smcx-auto/link && says 0 "^Off" smcx auto show && smcx auto on netns other
}
check "what a killed smcx left is off, and does not keep it off" half
check "the rule holds" listens ip netns exec other
check "no other is left" test "$(smcx -j auto | grep -c netns_inode)" -eq 1
# Its number is free then, and the next namespace may get it.
check "the next namespace of that name" eval 'ip netns del other; ip netns add other'
check "is none of the rule's" eval '! listens ip netns exec other'
check "until it is on for that one" smcx auto on netns other
check "and then it is" listens ip netns exec other
check "off for it" smcx auto off netns other
check "and it is TCP again" eval '! listens ip netns exec other'
check "off for all" smcx auto off
check "on for it" smcx auto on netns other
number=$(smcx -j auto | sed -n 's/.*"netns_inode": *\([0-9]*\).*/\1/p')
ip netns del other
check "a rule of a namespace that is gone goes by its number" smcx auto off netns "net:[$number]"
check "and was the last" test ! -e /sys/fs/bpf/smcx-auto
check "on again for this namespace" smcx auto on

# Without the module: TCP, though the switch is on.
unloaded()
{
	mod_unload || return 1
	$raw serve 5017 &
	local pid=$! rc
	until_ok sh -c "ss -Hltn | grep -q :5017"
	rc=$?
	kill $pid
	wait $pid 2> /dev/null
	mod_load
	return $rc
}
check "without the module programs get TCP" unloaded
check "off by its rule" smcx auto off
check "nothing is left" says 0 "^Off" smcx auto show
umount /tmp/cgroup2 2> /dev/null
finish
