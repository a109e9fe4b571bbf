#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Rules for files that a compiler does not check: licence lines, sizes, leftovers, version conditionals.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
bad=0

complain()
{
	echo "$*"
	bad=1
}

sources()
{
	git ls-files -- "$@" 2>/dev/null | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done
}

while read -r file; do
	case $file in
	*/corpus/* | *.bin | *.hex | *.md | README* | */README* | COPYING | LICENSES/* | *.rst | Documentation/*) continue ;;
	esac
	line=$(head -n 3 "$file" | grep -a -m 1 'SPDX-License-Identifier:' || true)
	case $file in
	kmod/proto/*.[ch] | kmod/uapi/*)
		[[ $line == *"GPL-2.0"*"OR MIT"* ]] || complain "$file: SPDX line must offer GPL-2.0 OR MIT" ;;
	*)
		[[ $line == *GPL-2.0* ]] || complain "$file: no SPDX line" ;;
	esac
done < <(sources .)

while read -r file; do
	lines=$(wc -l < "$file")
	[ "$lines" -le 600 ] || complain "$file: $lines lines (600 at most)"
done < <(sources 'kmod/*.c' 'userspace/*.c')

while read -r file; do
	case $file in kmod/compat/*) continue ;; esac
	! grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION' "$file" || complain "$file: kernel versions belong into kmod/compat"
	! grep -nE '\b(TODO|FIXME|XXX)\b' "$file" || complain "$file: unfinished"
	! grep -nE '#[[:space:]]*if 0\b' "$file" || complain "$file: dead code"
done < <(sources 'kmod/*.[ch]')

while read -r file; do
	! grep -nE '[[:space:]]+$' "$file" || complain "$file: blanks at the end of a line"
	! grep -nP '^    +\S' "$file" || complain "$file: indented with blanks"
done < <(sources 'kmod/*.[ch]' 'userspace/*.[ch]' 'selftests/*.[ch]')

[ $bad -ne 0 ] || echo "files: fine"
exit $bad
