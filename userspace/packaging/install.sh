#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# install.sh install|uninstall SET...: what make install and the Debian packages place where.
#   module  the module of kernel RELEASE, or without RELEASE (uninstall) of every kernel
#   conf    modprobe.d, sysctl.d, the manual page about the module
#   tools   smc_run, smcx, their manual pages and completion, the documentation
#   dkms    the sources for dkms
# Environment: BUILD, DESTDIR, PREFIX (/usr/local), MODPROBE_D, SYSCTL_D (below /etc, which is read whatever PREFIX is)
set -eu
here=$(dirname "$(readlink -f "$0")")
top=${here%/*/*}
: "${BUILD:=$top/build}" "${DESTDIR:=}" "${PREFIX:=/usr/local}" "${RELEASE:=}"
: "${MODPROBE_D:=/etc/modprobe.d}" "${SYSCTL_D:=/etc/sysctl.d}"
PATH=$PATH:/usr/sbin:/sbin
version=$(sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' "$top/kmod/main.c")

# files SET: lines "mode source target"
files()
{
	case $1 in
	module) [ -z "$RELEASE" ] || echo "644 $BUILD/$RELEASE/smcx.ko /lib/modules/$RELEASE/updates/smcx.ko" ;;
	conf)
		echo "644 $here/modprobe.conf $MODPROBE_D/smcx.conf"
		echo "644 $here/sysctl.conf $SYSCTL_D/60-smcx.conf"
		echo "644 $top/userspace/man/smcx.7 $PREFIX/share/man/man7/smcx.7"
		;;
	tools)
		# By name: uninstall must know them when they are no longer in BUILD.
		echo "755 $BUILD/bin/smc_run $PREFIX/bin/smc_run"
		echo "755 $BUILD/bin/smcx $PREFIX/bin/smcx"
		echo "644 $BUILD/lib/libsmcx-preload.so $PREFIX/lib/libsmcx-preload.so"
		each 644 "$PREFIX/share/man/man1" "$top"/userspace/man/*.1
		each 644 "$PREFIX/share/man/man8" "$top"/userspace/man/*.8
		each 644 "$PREFIX/share/doc/smcx-tools" "$top"/README.md "$top"/Documentation/*.rst \
			"$top"/Documentation/netlink/*.yaml
		each 644 "$PREFIX/share/doc/smcx-tools/examples" "$top"/Documentation/systemd/*.conf
		completion
		;;
	dkms) (cd "$top/kmod" && find . -type f ! -name '.*' | sort) | while read -r file; do
			mode=644
			[ ! -x "$top/kmod/$file" ] || mode=755
			echo "$mode $top/kmod/$file /usr/src/smcx-$version/${file#./}"
		done
		each 644 "/usr/src/smcx-$version" "$here"/dkms/*
		;;
	*) echo "install.sh: unknown set $1" >&2; exit 2 ;;
	esac
}

# each MODE FOLDER FILE...
each()
{
	mode=$1 folder=$2
	shift 2
	for file; do
		[ ! -f "$file" ] || echo "$mode $file $folder/${file##*/}"
	done
}

completion()
{
	zsh=site-functions
	[ "$PREFIX" != /usr ] || zsh=vendor-completions
	for file in "$top"/userspace/completion/*; do
		name=${file##*/}
		case $name in
		'*') ;;
		_*) echo "644 $file $PREFIX/share/zsh/$zsh/$name" ;;
		*) echo "644 $file $PREFIX/share/bash-completion/completions/${name%.bash}" ;;
		esac
	done
}

# index RELEASE: not for a kernel that is not there (a staging folder).
index()
{
	if [ -f "$DESTDIR/lib/modules/$1/modules.order" ]; then
		depmod ${DESTDIR:+-b "$DESTDIR"} "$1"
	fi
}

install_set()
{
	files "$1" | while read -r mode source target; do
		install -D -m "$mode" "$source" "$DESTDIR$target"
	done
	case $1 in
	module)
		strip --strip-debug "$DESTDIR/lib/modules/$RELEASE/updates/smcx.ko"
		index "$RELEASE"
		;;
	tools)
		sed -i "s|/usr/bin/smc_run|$PREFIX/bin/smc_run|; s|/usr/lib/libsmcx|$PREFIX/lib/libsmcx|" \
			"$DESTDIR$PREFIX"/share/doc/smcx-tools/examples/*.conf
		;;
	dkms) sed -i "s/@VERSION@/$version/" "$DESTDIR/usr/src/smcx-$version/dkms.conf" ;;
	esac
}

uninstall_set()
{
	# It stays in the kernel by itself, and nothing else switches it off.
	if [ "$1" = tools ] && [ -z "$DESTDIR" ]; then
		"$PREFIX/bin/smcx" auto off 2> /dev/null || true
	fi
	if [ "$1" = module ]; then
		uninstall_modules
	else
		files "$1" | while read -r mode source target; do
			rm -f "$DESTDIR$target"
			case $target in
			*/smcx-*/*) rmdir -p --ignore-fail-on-non-empty "$DESTDIR${target%/*}" 2> /dev/null || true ;;
			esac
		done
	fi
}

uninstall_modules()
{
	for file in "$DESTDIR"/lib/modules/${RELEASE:-*}/updates/smcx.ko; do
		[ -e "$file" ] || continue
		rm -f "$file"
		rmdir --ignore-fail-on-non-empty "${file%/*}"
		file=${file%/updates/smcx.ko}
		index "${file##*/}"
	done
}

action=${1:?install or uninstall}
shift
for set; do
	"${action}_set" "$set"
done
