#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make check-packages: two Debian 12 machines with systemd, one with kernel 6.1 and one with 6.12, in which the packages
# are installed, serve and fetch a page over SMC, and are purged. Last line: "N passed, N failed, N skipped".
#
# check.sh keep: leave the image and the kernels in build/packages; check.sh again: only the machines, from what was left.
#
# dkms runs in a chroot of the machines' file system, for both kernels, since the compiler would take half an hour in an
# emulated machine. Everything else happens in the machines, which are always emulated (no KVM).
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/../vm/common.sh"
. "$here/../vm/splat.sh"

SERVER=6.12 CLIENT=6.1 LIMIT=2400
DIR=$SMCX_BUILD/packages
ROOT=$DIR/root
PIDS=()

point()
{
	local text=$1
	shift
	if "$@" > "$DIR/point.log" 2>&1; then
		echo "ok - $text" >> "$DIR/tap"
	else
		echo "not ok - $text" >> "$DIR/tap"
		say "   FAILED $text"
		tail -n 15 "$DIR/point.log" | sed 's/^/   /' >&2
	fi
}

# in_root COMMAND...: mounts end with the namespace.
in_root()
{
	# shellcheck disable=SC2016
	unshare --mount --fork sh -c 'root=$1; shift
		mount -t proc proc "$root/proc" && mount -t devtmpfs dev "$root/dev" && mount -t tmpfs tmpfs "$root/run" &&
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"' \
		sh "$ROOT" "$@"
}

unpack()
{
	rm -rf "$DIR"
	mkdir -p "$ROOT"
	: > "$DIR/tap"
	say "== unpacking a Debian system ($((SECONDS / 60)) min)"
	tar -C "$ROOT" -xf "$("$here/root.sh" $SERVER $CLIENT)"
	# The test starts nginx and redis itself; these only cost time.
	in_root systemctl -q disable nginx redis-server
	in_root systemctl -q mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_reap.service e2scrub_all.timer \
		fstrim.timer systemd-timesyncd.service
	install -m 755 "$here/guest.sh" "$ROOT/root/guest.sh"
	cat > "$ROOT/etc/systemd/system/check-packages.service" <<-END
		[Service]
		ExecStart=/root/guest.sh
		[Install]
		WantedBy=multi-user.target
	END
	in_root systemctl -q enable check-packages
	# mok.*: the key that dkms makes for itself at its first build, of whatever.
	cat > "$ROOT/root/list-files" <<-'END'
		#!/bin/sh
		find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /root -o -path /tmp -o -path /var/log \
			-o -path /var/cache -o -path /var/tmp -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/lib/systemd -o -path /var/lib/nginx -o -path /var/lib/redis \
			-o -path /var/www -o -path '/var/lib/dkms/mok.*' -o -path /etc/machine-id -o -path /var/lib/dbus/machine-id -o -path /etc/resolv.conf -o -path /lost+found \) -prune -o -print | LC_ALL=C sort
	END
	chmod 755 "$ROOT/root/list-files"
	in_root /root/list-files > "$DIR/files-before"
	cp "$DIR/files-before" "$ROOT/root/"
}

install_packages()
{
	local rel
	mkdir -p "$ROOT/root/deb"
	cp "$SMCX_BUILD"/deb/*.deb "$ROOT/root/deb/"
	say "== installing the packages, dkms for two kernels ($((SECONDS / 60)) min)"
	# For the libraries that the tools depend on.
	cp -L /etc/resolv.conf "$ROOT/etc/resolv.conf"
	point "the machine has a package index" in_root apt-get update
	point "apt installs both packages" in_root sh -c 'apt-get install -y --no-install-recommends /root/deb/*.deb'
	cp "$DIR/point.log" "$DIR/apt.log"
	for rel in "$KREL" "$PEER_KREL"; do
		point "dkms builds for $rel" in_root sh -c "modinfo -k $rel -n smcx | grep updates/dkms"
	done
	for rel in man1/smc_run.1 man7/smcx.7 man8/smcx.8; do
		point "there is a manual page $rel" test -s "$ROOT/usr/share/man/$rel.gz"
	done
	for rel in "$SMCX_TOP"/Documentation/systemd/*.conf; do
		point "there is an example $(basename "$rel")" test -s "$ROOT/usr/share/doc/smcx-tools/examples/$(basename "$rel")"
	done
	rm -rf "$ROOT/root/deb" "$ROOT"/var/lib/apt/lists/*
}

image()
{
	local size
	size=$(($(du -sm "$ROOT" | cut -f1) * 12 / 10 + 200))
	mke2fs -q -F -t ext4 -O ^has_journal -d "$ROOT" "$DIR/image" ${size}M > "$DIR/point.log"
	cp "$ROOT"/boot/{vmlinuz,initrd.img}-* "$DIR/"
	rm -rf "$ROOT"
}

# start ROLE RELEASE: both from the same image, each with changes of its own that end with it.
start()
{
	local listen=off mac=02
	[ "$1" = client ] || listen=on mac=01
	qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu max -smp 1 -m 1024 -snapshot \
		-kernel "$DIR/vmlinuz-$2" -initrd "$DIR/initrd.img-$2" \
		-append "root=/dev/vda rw console=ttyS0 panic=-1 oops=panic mitigations=off net.ifnames=0 loglevel=6 role=$1" \
		-display none -monitor none -nodefaults -no-reboot -serial "file:$DIR/$1.console" -serial "file:$DIR/$1.out" \
		-drive "file=$DIR/image,format=raw,if=virtio,cache=unsafe" \
		-netdev "stream,id=n0,server=$listen,addr.type=unix,addr.path=$SOCKETS/net" \
		-device "virtio-net-pci,netdev=n0,mac=52:54:00:00:00:$mac,romfile=,event_idx=off" 7<&- < /dev/null > "$DIR/$1.qemu" 2>&1 &
	PIDS+=($!)
}

finish()
{
	[ ${#PIDS[@]} -eq 0 ] || kill "${PIDS[@]}" 2>/dev/null || true
	rm -rf "${SOCKETS:-}" "$ROOT"
	[ -n "$KEEP" ] || rm -f "$DIR"/{image,vmlinuz-*,initrd.img-*}
}

run_machines()
{
	local end
	SOCKETS=$(mktemp -d)
	lock
	say "== two machines ($((SECONDS / 60)) min)"
	end=$((SECONDS + LIMIT))
	start server "$KREL"
	while [ ! -S "$SOCKETS/net" ] && [ $SECONDS -lt $end ]; do
		sleep 0.1
	done
	start client "$PEER_KREL"
	while kill -0 "${PIDS[@]}" 2>/dev/null && [ $SECONDS -lt $end ]; do
		sleep 1
	done
	# The other one is about to end, too.
	end=$((SECONDS + 90))
	while kill -0 "${PIDS[0]}" 2>/dev/null || kill -0 "${PIDS[1]}" 2>/dev/null; do
		[ $SECONDS -lt $end ] || break
		sleep 1
	done
}

judge()
{
	local role
	for role in server client; do
		tr -d '\r' < "$DIR/$role.out" > "$DIR/$role.tap"
		grep -E '^(not )?ok ' "$DIR/$role.tap" >> "$DIR/tap" || true
		grep -B 15 '^not ok' "$DIR/$role.tap" | sed 's/^/   /' >&2 || true
		point "$role: the test ran to its end" grep -q '^@end' "$DIR/$role.tap"
		point "$role: no kernel splat" sh -c "! grep . '$DIR/$role.splats'"
	done
}

make_image()
{
	say "== building the packages"
	make -s -C "$SMCX_TOP" deb > /dev/null
	unpack
	install_packages
	if grep -q '^not ok' "$DIR/tap"; then
		report
	fi
	image
}

report()
{
	cat "$DIR/tap"
	awk '/^ok .*# *SKIP/ { skip++; next } /^ok/ { pass++ } /^not ok/ { fail++ }
		END { printf "%d passed, %d failed, %d skipped\n", pass, fail, skip; exit fail > 0 || pass == 0 }' "$DIR/tap"
	exit
}

main()
{
	[ "$(id -u)" -eq 0 ] || die "run it as root: the file system of the machines is prepared in a chroot"
	"$here/../vm/deps.sh" build deb vm packages
	KREL=$("$here/../vm/kernel.sh" release $SERVER)
	PEER_KREL=$("$here/../vm/kernel.sh" release $CLIENT)
	KEEP=${1:-}
	trap finish EXIT
	if [ "$KEEP" = again ]; then
		: > "$DIR/tap"
	else
		make_image
	fi
	run_machines
	for role in server client; do
		splats < "$DIR/$role.console" > "$DIR/$role.splats"
	done
	judge
	report
}

main "$@"
