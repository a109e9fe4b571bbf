#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# smc_run for programs that load no libraries, on a kernel without SMC: the supervisor of
# smc_run-fake hands out marked TCP sockets. TAP.
# Environment: BIN (smc_run), OUT (test programs).
. "${0%/*}/lib.sh"
fake=$OUT/smc_run-fake
root=false
[ "$(id -u)" -ne 0 ] || root=true

# ---- what the program sees ----
for what in flags others numbers threads children signals; do
	check "supervised: $what" "$fake" "$OUT/injected" $what
done
check "by --method, a dynamic program, too" "$fake" --method=seccomp "$OUT/injected-dynamic" flags
check "buffer sizes are set, of TCP only" "$fake" -t 20000 -r 10K "$OUT/injected" buffers
check "and where there is no SMC" "$run" -t 20000 -r 10K "$OUT/injected" buffers
check "no SMC: TCP" "$run" "$OUT/injected" plain
check "no SMC: 3200 sockets in 32 threads" "$run" --method=seccomp "$OUT/storm"

# Blocks SIGCHLD first: what the wrapper's own children leave behind would be pending.
clean()
{
	python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
os.closerange(3, 100)
os.execv(sys.argv[1], sys.argv[1:])' "$fake" "$OUT/injected" clean
}
check "no signal pending, no descriptor left" clean

exits "-v names the program" 0 "smc_run: injected\\[[0-9]+\\]: TCP sockets become SMC" "$fake" -v "$OUT/injected" one
exits "and one that stays TCP" 0 "smc_run: injected\\[[0-9]+\\]: no SMC socket" "$run" -v "$OUT/injected" plain

# ---- what its caller sees ----
exits "exit status" 7 "" "$run" --method=seccomp "$OUT/args" exit=7
exits "death by signal" 137 "" "$run" --method=seccomp sh -c 'kill -KILL $$'
exits "program not found: 127" 127 "cannot run" "$run" --method=seccomp no-such-program
same_pid()
{
	"$run" --method=seccomp sh -c 'echo $$ $PPID' > "$tmp/pids" &
	wait $!
	[ "$(cat "$tmp/pids")" = "$! $$" ]
}
check "the program has smc_run's process id and parent" same_pid
ends_with_pipe()
{
	[ "$(timeout 10 "$run" --method=seccomp "$OUT/injected" plain | wc -c)" -eq 0 ]
}
check "the end of its output is seen" ends_with_pipe

# supervisors NAME: processes that run this copy of the wrapper
supervisors()
{
	find /proc -mindepth 2 -maxdepth 2 -name exe -lname "$1" 2> /dev/null | cut -d/ -f3
}
own=$tmp/smc_run-own
cp "$fake" "$own"

gone()
{
	local i
	for i in $(seq 100); do
		[ -n "$(supervisors "$own")" ] || return 0
		sleep 0.05
	done
	supervisors "$own"
	return 1
}
check "a supervised child outlives its parent" \
	"$own" --method=seccomp sh -c "(sleep 0.3; \"$OUT/injected\" one > \"$tmp/child\" 2>&1 && echo done >> \"$tmp/child\"; ) & exit 0"
sleep 1
check "... and got an SMC socket" test "$(cat "$tmp/child")" = done
check "the supervisor ends with the last process" gone

# Interrupt from the terminal: to the whole foreground group.
interrupt()
{
	local pid
	setsid "$own" --method=seccomp python3 -c '
import socket, signal, sys, time
def stop(*args):
    s = socket.socket()
    sys.exit(42 if s.getsockopt(6, 4) == 4711 else 1)
signal.signal(signal.SIGINT, stop)
print("up", flush=True)
time.sleep(20)' > "$tmp/up" &
	pid=$!
	until grep -q up "$tmp/up"; do sleep 0.05; done
	kill -INT -- "-$pid"
	wait $pid
	[ $? -eq 42 ]
}
check "Ctrl-C meets the program, not the supervisor" interrupt
check "... which ends, too" gone

# signals to the supervisor itself do nothing
deaf()
{
	mkfifo "$tmp/to" "$tmp/from"
	"$own" "$OUT/injected" orphan < "$tmp/to" > "$tmp/from" &
	local pid=$! rc s
	exec 8> "$tmp/to" 9< "$tmp/from"
	read -r -n1 -u9
	s=$(supervisors "$own")
	[ -n "$s" ] || return 1
	kill -TERM $s; kill -INT $s; kill -HUP $s; kill -PIPE $s
	sleep 0.2
	[ "$(supervisors "$own")" = "$s" ] || return 1
	kill -KILL $s
	printf x >&8
	wait $pid
	rc=$?
	exec 8>&- 9<&-
	return $rc
}
check "only SIGKILL ends the supervisor, and then socket() fails at once" deaf
orphans()
{
	"$own" "$OUT/injected" orphans > "$tmp/up" &
	local pid=$!
	until [ -s "$tmp/up" ]; do sleep 0.05; done
	sleep 0.2
	kill -KILL $(supervisors "$own")
	wait $pid
}
check "calls under way when it is killed fail at once, too" orphans

# ---- who the sockets belong to ----
if $root; then
	check "a program that becomes another user owns its sockets" "$fake" "$OUT/injected" user
	check "another network namespace: TCP" "$fake" "$OUT/injected" netns
	check "an ordinary user" setpriv --reuid=65534 --regid=65534 --clear-groups "$fake" "$OUT/injected" flags
	exits "... is told about no_new_privs" 0 "no_new_privs" \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$fake" -v "$OUT/injected" one
	check "root keeps setuid programs working" \
		grep -q "^NoNewPrivs:.0" <("$fake" --method=seccomp cat /proc/self/status)
fi

# ---- choice ----
exits "static: seccomp" 0 "statically linked.*supervisor" "$run" -v "$OUT/injected" plain
exits "dynamic: preload" 0 "dynamically linked.*LD_PRELOAD" "$run" -v "$OUT/injected-dynamic" plain
printf '#!%s plain\n' "$OUT/injected" > "$tmp/script"
printf '#!/usr/bin/env injected\n' > "$tmp/script-env"
printf '#!%s\n' "$tmp/script-env" > "$tmp/script-script"
chmod +x "$tmp"/script*
PATH=$OUT:$PATH exits "a script of a static interpreter: seccomp" 0 "statically linked.*supervisor" "$run" -v "$tmp/script"
PATH=$OUT:$PATH exits "by env(1)" 99 "statically linked.*supervisor" "$run" -v "$tmp/script-env"
PATH=$OUT:$PATH exits "a script's script" 99 "statically linked.*supervisor" "$run" -v "$tmp/script-script"
exits "ports and a static program: TCP" 0 "does not tell ports apart" "$run" -v --only-port=80 "$OUT/injected" plain
exits "--method=preload on a static program: TCP, and told" 0 "stay TCP" "$run" --method=preload "$OUT/injected" plain
check "a 32-bit program: TCP" grep -q "another machine type.*stay TCP" <("$run" -v "$OUT/foreign" 2>&1)
if $root; then
	install -m 4755 -o nobody "$OUT/injected" "$tmp/setuid"
	exits "a setuid program: untouched" 0 "setuid.*stay TCP" "$run" -v "$tmp/setuid" plain
	exits "... by --method, too, and told" 0 "setuid.*stay TCP" "$run" --method=seccomp "$tmp/setuid" plain
fi

# ---- sandboxes: TCP or SMC, never broken ----
for method in preload seccomp; do
	for kind in restrict {kill,eperm}-{family,protocol,both}; do
		check "$method in a sandbox: $kind" "$OUT/sandbox" "$kind" "$run" --method=$method "$OUT/injected-dynamic" plain
	done
done
check "restricted address families leave SMC" "$OUT/sandbox" restrict "$fake" "$OUT/injected" one
check "a forbidden family, too" "$OUT/sandbox" kill-family "$fake" "$OUT/injected" one
for kind in seccomp setsid ioctl; do
	check "a static program where $kind() kills" "$OUT/sandbox" kill-$kind "$run" "$OUT/injected" plain
done
check "a supervisor there already" "$OUT/sandbox" listener "$run" "$OUT/injected" plain
check "twice supervised is supervised once" "$fake" --method=seccomp "$fake" --method=seccomp "$OUT/injected" one
check "a sandbox put around later: TCP" "$run" -v "$OUT/sandbox" kill-both "$OUT/injected-dynamic" plain
later()
{
	"$run" "$OUT/sandbox" restrict env SMC_RUN_VERBOSE=1 "$OUT/injected-dynamic" plain 2>&1 | grep -q "sandbox was put"
}
check "... which -v tells" later

# ---- Go ----
if command -v go > /dev/null; then
	(cd "${0%/*}" && GOCACHE=$tmp/go GO111MODULE=off CGO_ENABLED=0 go build -o "$OUT/gosock" gosock.go) || exit 1
	check "a Go program" "$fake" "$OUT/gosock" 4711
	check "a Go program without SMC" "$run" "$OUT/gosock" 7200
	exits "is known as one" 0 "Go program.*supervisor" "$run" -v "$OUT/gosock" 7200
else
	point 0 "a Go program # SKIP no Go compiler"
fi

echo "1..$n"
exit $failed
