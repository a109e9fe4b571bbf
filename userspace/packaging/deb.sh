#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make deb: smcx-dkms and smcx-tools in build/deb, with Debian's own tools. The source tree that they want, with a
# folder debian at its top, is put together in build/deb/smcx-VERSION.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/../../selftests/vm/common.sh"

out=$SMCX_BUILD/deb
module=$(sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' "$SMCX_TOP/kmod/main.c")
tree=$out/smcx-$module

# Later commits give higher versions; a tree without git has the module's own.
version()
{
	local count
	if count=$(git -C "$SMCX_TOP" rev-list --count HEAD 2>/dev/null); then
		echo "$module+$count.g$(git -C "$SMCX_TOP" rev-parse --short=8 HEAD)"
	else
		echo "$module"
	fi
}

changelog()
{
	local date
	date=$(git -C "$SMCX_TOP" log -1 --format=%cD 2>/dev/null) || date=$(date -R -r "$SMCX_TOP/kmod/main.c")
	cat <<-END
		smcx ($(version)) unstable; urgency=medium

		  * Built from source with "make deb".

		 -- $(sed -n 's/^Maintainer: //p' "$here/debian/control")  $date
	END
}

"$SMCX_TOP/selftests/vm/deps.sh" build deb
rm -rf "$out"
mkdir -p "$tree"
cp -r "$SMCX_TOP"/{kmod,userspace,Documentation,Kconfig,Makefile,README.md} "$tree/"
cp -r "$here/debian" "$tree/debian"
changelog > "$tree/debian/changelog"
sed "s/@VERSION@/$module/" "$here/dkms/dkms.conf" > "$tree/debian/smcx-dkms.dkms"
sed -i "s/@VERSION@/$module/" "$tree/debian/smcx-dkms.postinst"
say "building the packages (log: $out/build.log)"
(cd "$tree" && dpkg-buildpackage -us -uc -b) > "$out/build.log" 2>&1 ||
	{ tail -n 20 "$out/build.log" >&2; die "the packages do not build"; }
rm -rf "$tree"
ls "$out"/*.deb
