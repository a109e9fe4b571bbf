#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# mandoc has nothing to say about the manual pages, and they refer to pages that there are. TAP.
. "${0%/*}/lib.sh"
man=${0%/*}/../man

# Which other manuals are installed here is not the page's fault.
lints()
{
	! mandoc -Tlint "$1" 2>&1 | grep -v -e 'referenced manual not found' -e 'outdated mandoc.db'
}

# Pages of ours that a page refers to exist.
refers()
{
	sed -n 's/^\.Xr \(smc[a-z_-]*\) \([0-9]\).*/\1.\2/p' "$1" | sort -u > "$tmp/refers"
	while read -r page; do
		[ -f "$man/$page" ] || { echo "$page"; return 1; }
	done < "$tmp/refers"
}

if ! command -v mandoc > /dev/null; then
	echo "1..0 # SKIP no mandoc"
	exit 0
fi
for page in "$man"/*; do
	check "${page##*/} is clean" lints "$page"
	check "${page##*/} refers to pages that there are" refers "$page"
done
echo "1..$n"
exit $failed
