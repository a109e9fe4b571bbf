#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boot one or two machines, run a command in them, collect the result. See README in this folder.
#   run.sh --kver 6.1|6.12|debug [options] -- COMMAND [ARGS]
# Exit status: 0 fine, 1 a command failed, 2 kernel splat, 3 time-out or death of a machine, 4 the harness itself,
# 5 a fault the emulator is known to raise by itself.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"
. "$here/splat.sh"

KVER=6.12 PEER_KVER='' MODULE=smcx PEER_MODULE='' CPUS=1 MEM='' TIMEOUT=120 IDLE=0 PAIRED='' RXE=1
SERVER_CMD='' CLIENT_CMD='' PLAN='' PLAN_ENV='' BUILD=1 VERBOSE='' APPEND='' ICOUNT='' LIVE=1 KO=''
DIR=$SMCX_BUILD/vm/last
ADD=()
PIDS=()
TAILS=()
declare -A STATUS

parse()
{
	while [ $# -gt 0 ]; do
		case $1 in
		--kver) KVER=$2; shift ;;
		--peer-kver) PEER_KVER=$2; shift ;;
		--module) MODULE=$2; shift ;;
		--peer-module) PEER_MODULE=$2; shift ;;
		--ko) KO=$2; shift ;;
		--cpus) CPUS=$2; shift ;;
		--mem) MEM=$2; shift ;;
		--timeout) TIMEOUT=$2; shift ;;
		--idle) IDLE=$2; shift ;;
		--pair) PAIRED=1 ;;
		--server) SERVER_CMD=$(command_line "$2"); shift ;;
		--client) CLIENT_CMD=$(command_line "$2"); shift ;;
		--add) ADD+=("$2"); shift ;;
		--plan) PLAN=$2; LIVE=; shift ;;
		--env) PLAN_ENV+="export $2"$'\n'; shift ;;
		--keep) DIR=$2; shift ;;
		--append) APPEND+=" $2"; shift ;;
		--icount) ICOUNT=1 ;;
		--no-build) BUILD= ;;
		--no-rxe) RXE=0 ;;
		--quiet) LIVE= ;;
		--verbose) VERBOSE=1 ;;
		--) shift; break ;;
		*) die "run.sh: unknown option $1 (see selftests/vm/README)" ;;
		esac
		shift
	done
	if [ $# -gt 0 ]; then
		SERVER_CMD=$(command_line "$@")
		CLIENT_CMD=$SERVER_CMD
	fi
	[ -n "$PLAN$SERVER_CMD$CLIENT_CMD" ] || die "run.sh: no command (see selftests/vm/README)"
	PEER_KVER=${PEER_KVER:-$KVER}
	PEER_MODULE=${PEER_MODULE:-$MODULE}
	mkdir -p "$DIR"
	DIR=$(readlink -f "$DIR")
}

# A script of the host goes along; a single argument is a shell line; more are quoted one by one.
command_line()
{
	if [ -f "$1" ]; then
		printf '/tests/adhoc/%s' "$(basename "$1")"
		shift
		[ $# -eq 0 ] || printf ' %q' "$@"
	elif [ $# -eq 1 ]; then
		printf '%s' "$1"
	else
		printf '%q ' "$@"
	fi
}

build()
{
	local rel kver
	[ -n "$BUILD" ] || return 0
	for kver in $(printf '%s\n' "$KVER" ${PAIRED:+"$PEER_KVER"} | sort -u); do
		case $MODULE$PEER_MODULE in
		*smcx*) make -s -C "$SMCX_TOP" KVER="$kver" module || die "the module does not build" ;;
		esac
	done
	make -s -C "$SMCX_TOP" tools || die "the tools do not build"
	make -s -k -C "$SMCX_TOP/selftests" BUILD="$SMCX_BUILD" || say "warning: some test programs do not build"
}

# Which virtual CPU: KVM exists on some machines that then do not boot a stock kernel, so it is tried.
accelerator()
{
	local image mark initrd
	[ -w /dev/kvm ] || { echo "-accel tcg,thread=multi -cpu max"; return; }
	image=$("$here/kernel.sh" image 6.12)
	mark=$SMCX_CACHE/kvm-$(uname -r)-$(basename "$image")
	if [ ! -e "$mark" ]; then
		say "probing /dev/kvm"
		initrd=$(mktemp)
		pack_role probe none 6.12 "$initrd"
		if timeout 20 qemu-system-x86_64 -M q35 -accel kvm -cpu host -m 512 -nographic -nodefaults -no-reboot \
			-kernel "$image" -initrd "$initrd" -append "console=ttyS0 panic=-1" -serial stdio \
			< /dev/null 2>/dev/null | grep -q 'smcx-probe: ok'; then
			echo "-accel kvm -cpu host" > "$mark"
		else
			echo "-accel tcg,thread=multi -cpu max" > "$mark"
		fi
		rm -f "$initrd"
	fi
	cat "$mark"
}

environment()
{
	local self=1 peer=2
	[ "$1" != client ] || { self=2; peer=1; }
	cat <<-END
		export ROLE=$1 MODULE=$2 KVER=$3 PAIRED=$PAIRED RXE=$RXE DEV=eth0 IBDEV=rxe0
		export SELF=10.0.0.$self PEER=10.0.0.$peer SELF6=fd00::$self PEER6=fd00::$peer
		export DEBUG=$(is_debug "$3" && echo 1 || echo 0) SLOW=$(is_debug "$3" && echo 5 || echo 1)
		$PLAN_ENV
	END
}

is_debug() { [[ $1 == *-smcx-debug ]]; }

# pack_role ROLE MODULE RELEASE FILE: the initramfs of one machine. Archives simply follow each other in it.
pack_role()
{
	local role=$1 module=$2 rel=$3 out=$4 stage base modules
	stage=$(mktemp -d)
	mkdir -p "$stage/tests/bin" "$stage/tests/adhoc" "$stage/opt"
	cp "$here/guest/init" "$stage/init"
	chmod 755 "$stage/init"
	environment "$role" "$module" "$rel" > "$stage/tests/env"
	cp "$here/guest/lib.sh" "$here/splat.sh" "$here/guest/runner" "$stage/tests/"
	[ "$role" = probe ] || add_tests "$role" "$module" "$rel" "$stage"
	base=$("$here/rootfs.sh" base)
	modules=$("$here/rootfs.sh" modules "$rel")
	(cd "$stage" && find . -print0 | cpio --quiet -0 -o -H newc -R 0:0) > "$out.overlay"
	cat "$base" "$modules" "$out.overlay" > "$out"
	rm -rf "$stage" "$out.overlay"
}

add_tests()
{
	local role=$1 module=$2 rel=$3 stage=$4 item from name lib
	if [ "$module" = smcx ]; then
		cp "${KO:-$SMCX_BUILD/$rel/smcx.ko}" "$stage/tests/smcx.ko"
	fi
	mkdir -p "$stage/opt/smcx"
	for item in bin lib; do
		[ ! -d "$SMCX_BUILD/$item" ] || cp -rL "$SMCX_BUILD/$item" "$stage/opt/smcx/"
	done
	for item in net pair interop perf self; do
		[ -d "$SMCX_TOP/selftests/$item" ] || continue
		mkdir -p "$stage/tests/$item"
		cp -rL "$SMCX_TOP/selftests/$item/." "$stage/tests/$item/"
		[ ! -d "$SMCX_BUILD/tests/$item" ] || cp -rL "$SMCX_BUILD/tests/$item/." "$stage/tests/$item/"
		find "$stage/tests/$item" -name '*.[cho]' -delete
		find "$stage/tests/$item" -name '*.sh' -exec chmod 755 {} +
	done
	cp -L "$SMCX_BUILD/tests/bin/"* "$stage/tests/bin/"
	for item in "${ADD[@]}"; do
		from=${item%%:*}
		name=${item#*:}
		[ -e "$from" ] || die "--add $from: no such file"
		if [ -d "$from" ]; then
			cp -rL "$from/." "$stage/tests/bin/"
		else
			cp -L "$from" "$stage/tests/bin/$(basename "$name")"
		fi
	done
	for item in $SERVER_CMD $CLIENT_CMD; do
		case $item in
		/tests/adhoc/*) cp -L "${SCRIPTS[${item#/tests/adhoc/}]}" "$stage/tests/adhoc/"
				chmod 755 "$stage$item" ;;
		esac
	done
	if [ -n "$PLAN" ]; then
		cp "$PLAN" "$stage/tests/plan"
		echo 'exec /bin/sh /tests/runner' > "$stage/tests/job"
	elif [ "$role" = server ]; then
		printf '. /tests/env\n%s\n' "$SERVER_CMD" > "$stage/tests/job"
	else
		printf '. /tests/env\n%s\n' "$CLIENT_CMD" > "$stage/tests/job"
	fi
	# Libraries that the base archive does not have, for programs built here.
	mkdir -p "$stage/lib/x86_64-linux-gnu"
	{ find "$stage/tests" "$stage/opt" -type f -perm -u+x -exec ldd {} + 2>/dev/null || true; } |
		sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u | while read -r lib; do
		case $lib in
		*/libc.so.6 | */libm.so.6 | */libpthread.so.0 | */libgcc_s.so.1 | */libdl.so.2) ;;
		*) cp -L "$lib" "$stage/lib/x86_64-linux-gnu/" ;;
		esac
	done
}

# start ROLE RELEASE: one emulator in the background.
start()
{
	local role=$1 rel=$2 mac=01 net=() line accel
	[ "$role" = server ] || mac=02
	if [ -z "$PAIRED" ]; then
		# something must take what is sent, or the kernel complains of a cable that hangs
		net=(-netdev user,id=n0,restrict=on,ipv6=off)
	elif [ "$role" = server ]; then
		net=(-netdev "stream,id=n0,server=on,addr.type=unix,addr.path=$SOCKETS/net"
		     -chardev "socket,id=peer,server=on,wait=off,path=$SOCKETS/peer")
	else
		net=(-netdev "stream,id=n0,server=off,addr.type=unix,addr.path=$SOCKETS/net"
		     -chardev "socket,id=peer,path=$SOCKETS/peer")
	fi
	[ -z "$PAIRED" ] || net+=(-device virtserialport,chardev=peer,name=peer)
	# no5lvl: while it identifies a processor, 6.12 forgets its features for a moment; with page tables of five levels an
	# interrupt at that time ends in a false report of KASAN
	line="console=ttyS0 no5lvl panic=-1 oops=panic loglevel=6 mitigations=off nokaslr net.ifnames=0 rdinit=/init"
	! is_debug "$rel" || line+=" panic_on_warn=1 kmemleak=on"
	accel=$ACCEL
	[ -z "$ICOUNT" ] || accel="-accel tcg,thread=single -icount shift=3 -cpu max"
	# shellcheck disable=SC2086
	qemu-system-x86_64 -M q35 $accel -smp "$CPUS" -m "$(memory "$rel")" \
		-kernel "$("$here/kernel.sh" image "$rel")" -initrd "$DIR/$role.initrd" -append "$line $APPEND" \
		-display none -monitor none -nodefaults -no-reboot -serial "file:$DIR/$role.console" \
		-device virtio-serial-pci \
		-chardev "file,id=out,path=$DIR/$role.out" -device virtserialport,chardev=out,name=out \
		-chardev "file,id=dmesg,path=$DIR/$role.dmesg" -device virtserialport,chardev=dmesg,name=dmesg \
		"${net[@]}" -device "virtio-net-pci,netdev=n0,mac=52:54:00:00:00:$mac,romfile=,event_idx=off" \
		7<&- < /dev/null > "$DIR/$role.qemu" 2>&1 &
	PIDS+=($!)
}

memory()
{
	if [ -n "$MEM" ]; then
		echo "$MEM"
	elif is_debug "$1"; then
		echo 2560
	else
		echo 1024
	fi
}

# show FILE PREFIX: let the terminal follow a file from now on.
show()
{
	tail -q -n +1 -s 0.2 -F "$1" 2>/dev/null > >(sed -u "s/^/$2/") &
	TAILS+=($!)
}

follow()
{
	local role
	[ -n "$LIVE$VERBOSE" ] || return 0
	for role in $ROLES; do
		[ -z "$VERBOSE" ] || show "$DIR/$role.console" "$role# "
		show "$DIR/$role.out" "${PAIRED:+$role| }"
	done
}

# The emulators' sockets vanish with their folder.
finish()
{
	[ ${#PIDS[@]} -eq 0 ] || kill "${PIDS[@]}" 2>/dev/null || true
	[ ${#TAILS[@]} -eq 0 ] || kill "${TAILS[@]}" 2>/dev/null || true
	rm -rf "${SOCKETS:-}"
	rm -f "$DIR"/*.initrd
}

alive()
{
	local pid n=0
	for pid in "${PIDS[@]}"; do
		! kill -0 "$pid" 2>/dev/null || n=$((n + 1))
	done
	echo $n
}

# Seconds since any machine said anything.
silence()
{
	local last
	last=$(stat -c %Y "$DIR"/*.initrd "$DIR"/*.out "$DIR"/*.console 2>/dev/null | sort -n | tail -n 1)
	echo $(($(date +%s) - last))
}

# Wait for all machines: until the limit, and not much longer than the first one to end.
supervise()
{
	local start=$SECONDS first='' n grace=60
	! is_debug "$KREL" || grace=200
	while :; do
		n=$(alive)
		[ "$n" -gt 0 ] || return 0
		if [ "$n" -lt ${#PIDS[@]} ] && [ -z "$first" ]; then
			first=$SECONDS
		fi
		if [ $((SECONDS - start)) -ge "$TIMEOUT" ]; then
			TIMED_OUT="no end after $TIMEOUT seconds"
			break
		elif [ "$IDLE" -gt 0 ] && [ "$(silence)" -ge "$IDLE" ]; then
			TIMED_OUT="not a word for $IDLE seconds"
			break
		elif [ -n "$first" ] && [ $((SECONDS - first)) -ge $grace ]; then
			TIMED_OUT="one machine ended, the other did not"
			break
		fi
		sleep 0.3
	done
	kill "${PIDS[@]}" 2>/dev/null || true
	sleep 0.5
}

# judge ROLE: sets STATUS[role] (see the exit statuses above) and says why.
judge()
{
	local role=$1 rc bad
	touch "$DIR/$role".{console,out,dmesg}
	bad=$(cat "$DIR/$role.console" "$DIR/$role.dmesg" | splats | sort -u | head -n 8)
	rc=$(sed -n 's/^@exit \([0-9]*\)\r*$/\1/p' "$DIR/$role.out" | tail -n 1)
	if stray_fault "$PAIRED" < "$DIR/$role.console"; then
		say "$role: a fault of the emulator, not of the kernel in it"
		STATUS[$role]=5
	elif [ -n "$bad" ]; then
		say "$role: kernel splat (log: $DIR/$role.console)"
		sed "s/^/    /" <<< "$bad" >&2
		say "    from the first on:"
		cat "$DIR/$role.console" "$DIR/$role.dmesg" | from_splat | sed "s/^/    /" >&2
		STATUS[$role]=2
	elif grep -q '^@harness' "$DIR/$role.out"; then
		grep '^@harness' "$DIR/$role.out" | sed "s/^/$role: /" >&2
		STATUS[$role]=4
	elif [ -z "$rc" ]; then
		say "$role: did not finish${TIMED_OUT:+ ($TIMED_OUT)} (log: $DIR/$role.console, $DIR/$role.out)"
		[ ! -s "$DIR/$role.qemu" ] || cat "$DIR/$role.qemu" >&2
		STATUS[$role]=3
	elif [ "$rc" -ne 0 ]; then
		say "$role: exit status $rc"
		STATUS[$role]=1
	else
		STATUS[$role]=0
	fi
}

boot()
{
	local role tries
	PIDS=()
	TIMED_OUT=''
	SOCKETS=$(mktemp -d)
	rm -f "$DIR"/{server,client}.{console,out,dmesg,qemu}
	follow
	start server "$KREL"
	if [ -n "$PAIRED" ]; then
		for tries in $(seq 50); do
			[ ! -S "$SOCKETS/net" ] || [ ! -S "$SOCKETS/peer" ] || break
			sleep 0.1
		done
		start client "$PEER_KREL"
	fi
	supervise
	# Let the terminal catch up.
	sleep 0.5
	for role in $ROLES; do
		judge "$role"
	done
	rm -rf "$SOCKETS"
}

worst()
{
	printf '%s\n' "${STATUS[@]}" | sort -n | tail -n 1
}

main()
{
	local role tries=0
	declare -gA SCRIPTS=()
	for role; do
		[ ! -f "$role" ] || SCRIPTS[$(basename "$role")]=$role
	done
	parse "$@"
	"$here/deps.sh" vm
	KREL=$("$here/kernel.sh" release "$KVER")
	PEER_KREL=$("$here/kernel.sh" release "$PEER_KVER")
	ROLES="server${PAIRED:+ client}"
	build
	lock
	trap finish EXIT
	ACCEL=$(accelerator)
	pack_role server "$MODULE" "$KREL" "$DIR/server.initrd"
	[ -z "$PAIRED" ] || pack_role client "$PEER_MODULE" "$PEER_KREL" "$DIR/client.initrd"
	boot
	while [ "$(worst)" = 5 ] && [ -z "$PLAN" ] && [ $((tries += 1)) -le 3 ]; do
		say "such faults happen now and then without KVM; the run is repeated"
		boot
	done
	return "$(worst)"
}

main "$@"
