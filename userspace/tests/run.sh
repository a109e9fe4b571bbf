#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The wrapper and the tool on a kernel without SMC. TAP.
# Environment: BIN (smc_run, smcx), LIB (the preload library), OUT (test programs).
. "${0%/*}/lib.sh"

same_args()
{
	"$OUT/args" "$@" > "$tmp/plain"
	"$run" "$OUT/args" "$@" > "$tmp/wrapped"
	cmp "$tmp/plain" "$tmp/wrapped"
}

long=$(head -c 100000 /dev/zero | tr '\0' x)
check "empty, blank and quoted arguments" same_args "" " " "a b" "it's" '"q"' $'new\nline' $'tab\t' ""
check "shell characters" same_args '$HOME' '`id`' '*' '\' '\\n' ';' '&' '|' '>' '~' '!' '{a,b}' '#'
check "options of the program" same_args -v --help -- -h --version -V
check "bytes that are no text" same_args $'\xff\xfe' $'\x01' $'\xc3'
check "a long argument" same_args "$long"
check "no argument" same_args

exits "exit status is the program's" 7 "" "$run" "$OUT/args" exit=7
exits "death by signal is the program's" 143 "" "$run" sh -c 'kill -TERM $$'
exits "program not found: 127" 127 "cannot run 'no-such-program'" "$run" no-such-program
exits "program not executable: 126" 126 "cannot run '/etc/passwd'" "$run" /etc/passwd
exits "no program: 125" 125 "which program" "$run"
exits "unknown option: 125" 125 "Try" "$run" --no-such-option true
check "help" grep -q "^usage: smc_run" <("$run" --help)
check "version" grep -q "^smc_run [0-9]" <("$run" -V)
full()
{
	"$@" > /dev/full
}
exits "help that cannot be written: 125" 125 "No space left" full "$run" --help
exits "nor the version: 125" 125 "No space left" full "$run" --version

preload_of()
{
	LD_PRELOAD=$1 "$run" printenv LD_PRELOAD
}
real=$(readlink -f "$LIB")
check "an existing LD_PRELOAD comes first" test "$(preload_of "$OUT/libfake.so")" = "$OUT/libfake.so:$real"
check "an empty one counts as none" test "$(preload_of "")" = "$real"
check "twice wrapped is wrapped once" test "$("$run" "$run" printenv LD_PRELOAD)" = "$real"

mkdir -p "$tmp/with blank" "$tmp/bin" "$tmp/beside"
cp "$run" "$LIB" "$tmp/with blank/"
cp "$run" "$tmp/bin/"
cp "$run" "$LIB" "$tmp/beside/"
exits "a path LD_PRELOAD cannot express is refused" 125 "must not contain" "$tmp/with blank/smc_run" true
exits "no library: refused" 125 "cannot find libsmcx-preload.so" "$tmp/bin/smc_run" true
check "library beside the program" grep -q "wrapped yes" <("$tmp/beside/smc_run" "$OUT/probe")
check "library in the library path" \
	grep -q "wrapped yes" <(LD_LIBRARY_PATH=$tmp/beside "$tmp/bin/smc_run" "$OUT/probe")

silent()
{
	"$run" "$@" > "$tmp/o" 2> "$tmp/e" && [ ! -s "$tmp/e" ]
}
check "a program works, silently" silent "$OUT/probe"
check "and was wrapped" grep -q "wrapped yes" "$tmp/o"
check "a static program works, silently" silent "$OUT/probe-static"
check "and was not wrapped" grep -q "wrapped no" "$tmp/o"
exits "-v tells about static programs" 0 "statically linked" "$run" -v "$OUT/probe-static"
if [ "$(id -u)" -eq 0 ]; then
	install -m 4755 -o nobody "$OUT/probe" "$OUT/probe-setuid"
	check "a setuid program works, silently" silent "$OUT/probe-setuid"
	check "and was not wrapped" grep -q "wrapped no" "$tmp/o"
	exits "-v tells about setuid programs" 0 "setuid" "$run" -v "$OUT/probe-setuid"
	rm -f "$OUT/probe-setuid"
else
	n=$((n + 1))
	echo "ok $n - a setuid program # SKIP only root can make one of another user"
fi

# A message longer than its buffer ends early; the name of a program may be as long as it likes.
long_name()
{
	(SMC_RUN_VERBOSE=1 LD_PRELOAD=$LIB exec -a "${long:0:900}" "$OUT/probe") > /dev/null 2> "$tmp/e" &&
		grep -q '^smc_run: x\{32\}\[[0-9]*\]: .*going on with TCP$' "$tmp/e"
}
if ! grep -q '^smcx\? ' /proc/modules 2>/dev/null; then
	check "-v and a program with a name of 900 characters" long_name
fi

check "32 threads at once" "$run" "$OUT/storm"
early()
{
	local i
	for i in 1 2 3 4 5; do
		LD_PRELOAD=$1 "$OUT/storm" || return 1
	done
}
check "sockets in constructors before ours" early "$LIB:$OUT/libearly.so"
check "sockets in constructors after ours" early "$OUT/libearly.so:$LIB"

only_libc()
{
	[ "$(readelf -d "$LIB" | grep -c NEEDED)" -eq 1 ] && readelf -d "$LIB" | grep NEEDED | grep -q libc.so.6
}
check "the library needs libc only" only_libc
check "the library defines what it interposes only" \
	test "$(nm -D --defined-only "$LIB" | awk '{ print $3 }' | tr '\n' ' ')" = "connect listen socket "

# points FILE: those of a program, as points of this test
points()
{
	while read -r line; do
		case $line in
		"ok "*) point 0 "${line#*- }" ;;
		"not ok "*) point 1 "${line#*- }" ;;
		1..*) ;;
		*) echo "$line" ;;
		esac
	done < "$1"
}

LD_PRELOAD="$LIB:$OUT/libfake.so" "$OUT/wrap" > "$tmp/wrap"
points "$tmp/wrap"
check "all of these ran" test "$(grep -c 'ok - ' "$tmp/wrap")" -eq 8

ports()
{
	local rule=$1 list=$2 smc=$3 tcp=$4
	"$run" "--$rule=$list" env LD_PRELOAD="$LIB:$OUT/libfake.so" "$OUT/wrap" "$smc" "$tcp"
}
check "--only-port: others become plain TCP" ports only-port 80,8000-8100 8000 8101
check "--only-port: the end of a range" ports only-port 80,8000-8100 8100 7999
check "--except: these become plain TCP" ports except 80,8000-8100 81 80
for list in "" , 80, ,80 80,,81 0 65536 99999999999 a 80-70 80- -80 80:90 "80 81" "$(seq -s, 65)"; do
	exits "no list of ports: '${list:0:20}'" 125 "not a list of ports" "$run" "--only-port=$list" true
done
mkfifo -m 755 "$tmp/fifo"
exits "an executable FIFO is no program: 126" 126 "cannot run" timeout 5 "$run" "$tmp/fifo"
exits "both lists: refused" 125 "exclude each other" "$run" --only-port=1 --except=2 true
exits "ports by seccomp: refused" 125 "cannot be told apart" "$run" --only-port=1 --method=seccomp true
for size in "" 0 -1 k 1G 10KK 4294967296 99999999999999999999 2048M; do
	exits "no size: '$size'" 125 "not a size" "$run" --sndbuf="$size" true
done
sizes()
{
	"$run" -t 20000 --rcvbuf=10K "$OUT/injected-dynamic" buffers
}
check "buffer sizes are set, of TCP only" sizes
exits "unknown method: 125" 125 "unknown method" "$run" --method=magic true
check "--method=none does not wrap" grep -q "wrapped no" <("$run" --method=none "$OUT/probe")

json()
{
	"$OUT/output" json > "$tmp/json" && python3 - "$tmp/json" <<'END'
import json, sys
text = open(sys.argv[1], encoding="utf-8").read()
d, all = json.JSONDecoder(), []
while text.strip():
    value, end = d.raw_decode(text.lstrip())
    all.append(value)
    text = text.lstrip()[end:]
rows, none, groups = all
assert rows[0]["text"].startswith('quote" back\\slash ') and rows[0]["number"] == 2**64 - 1, rows
assert rows[0]["yes"] is True and rows[0]["note"] is None, rows
assert rows[1]["text"] == "bad ?? utf8 ?? ????" and rows[2]["text"] is None, rows
assert none == [] and groups == {"empty": {}, "full": {"a": 1, "b": 't"'}}, groups
END
}
check "JSON is JSON whatever the text" json
"$OUT/output" > "$tmp/table" 2>&1
check "no control character reaches a terminal" test "$(tr -d '\n' < "$tmp/table" | LC_ALL=C grep -c '[^ -~]')" -eq 0
check "smcx --help is one screen" test "$("$BIN/smcx" --help | wc -l)" -le 24
check "of 80 columns" test "$("$BIN/smcx" --help | wc -L)" -le 80
exits "smcx --help that cannot be written: 2" 2 "No space left" full "$BIN/smcx" --help
exits "nor the version: 2" 2 "No space left" full "$BIN/smcx" --version
closed()
{
	"$@" >&-
}
exits "smcx --help to a closed output: 2" 2 "Bad file descriptor" closed "$BIN/smcx" --help
exits "smcx without command: 1" 1 "usage:" "$BIN/smcx"
exits "smcx, unknown command: 1" 1 "unknown command" "$BIN/smcx" frobnicate
exits "smcx, unknown option: 1" 1 "unknown option" "$BIN/smcx" --frob sock
exits "smcx, wrong words: 1" 1 "unknown kind" "$BIN/smcx" sock purple
exits "smcx, a filter without value: 1" 1 "missing" "$BIN/smcx" sock state
exits "smcx, a port that is none: 1" 1 "1 to 65535" "$BIN/smcx" sock port 65536
exits "smcx, seconds that are none: 1" 1 "seconds" "$BIN/smcx" stat --delta=soon
exits "smcx -d=1: how it is written" 1 "unknown option: '-d=1'. Seconds are written '--delta=1'" "$BIN/smcx" stat -d=1
exits "smcx -w5: how it is written" 1 "Seconds are written '--watch=5'" "$BIN/smcx" -w5 stat
exits "smcx -w 5: how it is written" 1 "unknown command: '5'. Seconds are written '--watch=5'" "$BIN/smcx" -w 5 stat
exits "smcx stat -d 0.5: how it is written" 1 "not: '0.5'. Seconds are written '--delta=0.5'" "$BIN/smcx" stat -d 0.5
exits "smcx --delta stat: nothing about that" 1 "unknown command: 'stats'. Try" "$BIN/smcx" --delta stats
exits "smcx, half a question: 1" 1 "host and a port" "$BIN/smcx" why localhost
exits "smcx, unknown reason: 1" 1 "no such reason" "$BIN/smcx" reason BECAUSE
exits "smcx, a port that is none: 1" 1 "1 to 65535" "$BIN/smcx" why localhost 65536
exits "smcx, a filter's value that is none: 1" 1 "no such state \(there are .*ACTIVE.*\): 'PURPLE'" "$BIN/smcx" sock state PURPLE
exits "smcx, an address that is none: 1" 1 "not an address: 'purple'" "$BIN/smcx" sock addr purple
exits "smcx, a reason that is none: 1" 1 "no such reason.*'PURPLE'" "$BIN/smcx" sock reason PURPLE
exits "smcx, an option without value: 1" 1 "unknown option" "$BIN/smcx" --json=1 reason
exits "smcx, no EID: 1" 1 "1 to 32" "$BIN/smcx" eid add ""
exits "smcx, no EID either: 1" 1 "letters" "$BIN/smcx" eid add "a b"
exits "smcx, no PNET id: 1" 1 "letters" "$BIN/smcx" pnet add 12345678901234567 eth eth0
exits "smcx, no PNET id to remove: 1" 1 "letters" "$BIN/smcx" pnet del "$long"
exits "smcx, no netdev's name: 1" 1 "1 to 15 characters" "$BIN/smcx" pnet add A eth "$long"
exits "smcx, nor one of 16 characters: 1" 1 "1 to 15 characters" "$BIN/smcx" pnet add A eth abcdefghijklmnop
exits "smcx, no RDMA device's name: 1" 1 "1 to 63 characters" "$BIN/smcx" pnet add A ib "$long"
exits "smcx, a prefix is missing: 1" 1 "missing" "$BIN/smcx" trust add
exits "smcx, a cookie that is none: 1" 1 "cookie" "$BIN/smcx" trust del 10.0.0.0/8 cookie
exits "smcx, a control group that is none: 1" 1 "no such control group" "$BIN/smcx" auto on cgroup /nonexistent
exits "smcx decode FOLDER: 1" 1 "cannot read /etc: Is a directory" "$BIN/smcx" decode /etc
exits "smcx decode, no such file: 1" 1 "cannot open /nonexistent: No such file" "$BIN/smcx" decode /nonexistent
while read -r words; do
	# shellcheck disable=SC2086
	exits "smcx, bad arguments come before the module: $words" 1 "Try 'smcx --help'" "$BIN/smcx" $words
done << 'END'
lgr extra
link extra
dev extra
info extra
stat extra
peers extra
peers flush extra
peers show extra
trust extra
trust flush extra
trust show extra
trust add 10.0.0.0/33
eid extra
eid add
eid add A B
eid flush extra
eid show extra
pnet extra
pnet add
pnet add ID
pnet add ID eth
pnet flush extra
pnet show extra
auto extra
auto show extra
auto off extra
sock extra
why host
why host port extra
lgr --processes
sock --setup
info --delta
stat --frob
lgr --watch=0
END
no_colour()
{
	! LC_ALL=C grep -q $'\033' <("$@")
}
check "no colours into a pipe" no_colour "$BIN/smcx" reason
check "nor where NO_COLOR is set" no_colour env NO_COLOR=1 script -qec "$BIN/smcx reason MEM" /dev/null
check "colours on a terminal" grep -q $'\033.1m' <(script -qec "$BIN/smcx reason MEM" /dev/null)
if ! grep -q '^smcx\? ' /proc/modules 2>/dev/null; then
	for command in sock lgr link dev info stat eid pnet; do
		exits "smcx $command without the module: 3" 3 "load it with 'modprobe smcx'" "$BIN/smcx" $command
	done
	while read -r words; do
		# shellcheck disable=SC2086
		exits "smcx $words without the module: 3" 3 "load it with 'modprobe smcx'" "$BIN/smcx" $words
	done << 'END'
peers
peers show
peers flush
trust
trust show
trust add 10.0.0.0/8
trust flush
eid show
eid add A
pnet show
pnet flush
auto on
END
	check "no message names what the kernel calls it" \
		test -z "$(for command in sock lgr stat peers pnet "auto on"; do "$BIN/smcx" $command; done 2>&1 | grep '[A-Z]*SMC_\|SMCX')"
	exits "smcx why without the module: 3" 3 "" "$BIN/smcx" why localhost 1
	check "which it says" grep -q "what to do: Load it: 'modprobe smcx'" <("$BIN/smcx" why localhost 1)
fi

# auto_at_once OPTION: with the maps of a faked kernel, in mounts of our own; prints what is wrong.
auto_at_once()
{
	# shellcheck disable=SC2086
	unshare $1 -m bash -c '
		mount -t tmpfs none /run && mount -t tmpfs none /sys && mkdir -p /sys/fs/bpf/smcx-auto && cd /sys/fs/bpf/smcx-auto &&
			truncate -s 4096 rules cgroups link || exit 1
		rules() { "$1" auto show --json | grep -o netns_inode | wc -l; }
		export LD_PRELOAD=$2/libfakebpf.so
		"$1" auto on & "$1" auto on netns any; wait
		[ "$(rules "$1")" -eq 2 ] || echo "two on at once: $(rules "$1") rules"
		"$1" auto on netns /proc/self/ns/mnt & "$1" auto off netns any; wait
		[ "$(rules "$1")" -eq 2 ] || echo "on and off at once: $(rules "$1") rules"
		[ "$(stat -c %a /run/smcx-auto.lock)" = 600 ] || echo "mode of the lock"
		says() { local err; err=$("${@:2}" 2>&1); [ $? -eq 2 ] && [[ $err == *"$1"* ]] || echo "$2: $err"; }
		mount -o remount,ro /sys
		says "auto off: Read-only" "$1" auto off
		mount -t tmpfs -o ro none /run
		says "/run/smcx-auto.lock: Read-only" "$1" auto off netns any
		' - "$BIN/smcx" "$OUT" > "$tmp/o" 2>&1
	cat "$tmp/o"
	[ ! -s "$tmp/o" ]
}
[ "$(id -u)" -eq 0 ] && user="" || user=-r
# shellcheck disable=SC2086
if unshare $user -m mount -t tmpfs none /run 2> /dev/null; then
	check "smcx auto: several at once lose no rule" auto_at_once "$user"
else
	n=$((n + 1))
	echo "ok $n - smcx auto: several at once # SKIP no mounts of our own here"
fi
"${0%/*}"/decode.py "$BIN/smcx" "${0%/*}"/../../selftests/unit/golden.h > "$tmp/decode"
check "smcx decode, all its tests" test $? -eq 0
points "$tmp/decode"
"${0%/*}"/reasons.py "$BIN/smcx" "${0%/*}"/../.. > "$tmp/reasons"
check "reasons: header, tool and page agree" test $? -eq 0
points "$tmp/reasons"
"${0%/*}"/sysctls.py "${0%/*}"/../.. > "$tmp/sysctls"
check "sysctls: module, page, manual and tests agree" test $? -eq 0
points "$tmp/sysctls"
"${0%/*}"/tracing.py "${0%/*}"/../.. > "$tmp/tracing"
check "tracing: module, page and tests agree" test $? -eq 0
points "$tmp/tracing"
"${0%/*}"/netlink.py "${0%/*}"/../.. > "$tmp/netlink"
check "netlink: header and specification agree" test $? -eq 0
points "$tmp/netlink"
completes()
{
	bash -c 'PATH=$1:$PATH; . "$2"; want=$3; shift 3; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _smcx
		[[ " ${COMPREPLY[*]} " == *" $want "* ]] || { echo "${COMPREPLY[*]}"; false; }' \
		- "$BIN" "${0%/*}/../completion/smcx" "$@"
}
for command in $("$BIN/smcx" --help | sed -n '/^$/,/^$/s/^  \([a-z, ]*[a-z]\)  .*/\1/p' | sed 's/ [a-z]* HOST.*//' | tr -d ','); do
	check "completion knows $command" completes "$command" smcx ""
done
check "completion of filters" completes reason smcx sock re
for state in $("$BIN/smcx" sock state '' 2>&1 | sed 's/.*there are \(.*\)).*/\1/'); do
	check "completion knows state $state" completes "$state" smcx sock state ""
	check "smcx.8, too" grep -qw "$state" "${0%/*}/../man/smcx.8"
done
check "completion of reasons" completes NOUEID smcx sock tcp reason NOU
check "completion of options" completes --delta smcx stat --d
check "smcx.8 has all options and commands" test -z "$(
	"$BIN/smcx" --help | grep -o -- '--[a-z]*' | sed 's/--//' | while read -r option; do
		grep -q "Fl .-$option" "${0%/*}/../man/smcx.8" || echo "$option"
	done
	for command in $("$BIN/smcx" --help | sed -n '/^$/,/^$/s/^  \([a-z, ]*[a-z]\)  .*/\1/p' | sed 's/ [a-z]* HOST.*//' | tr -d ','); do
		grep -q "^\.It Cm $command\|^\.Cm $command\|^\.It .*Cm $command" "${0%/*}/../man/smcx.8" || echo "$command"
	done)"
if command -v mandoc > /dev/null; then
	for page in "${0%/*}"/../man/*.[1-9]; do
		check "${page##*/} is clean" mandoc -T lint -W warning "$page"
	done
fi

echo "1..$n"
exit $failed
