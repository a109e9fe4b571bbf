#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Rules for files that a compiler does not check: licence lines, sizes, leftovers, version conditionals, blanks,
constants that the documentation names."""
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
MAX_LINES = 600
# Prose, captured bytes and files of a fixed format carry no licence line.
NO_LICENCE = ("*/corpus/*", "*.md", "README*", "*/README*", "COPYING", "LICENSES/*", "Documentation/*", "*.txt",
              "*.patch", "*/debian/copyright", "*/debian/source/format")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")
VERSIONS = re.compile(r"LINUX_VERSION_CODE|KERNEL_VERSION")
CONSTANT = re.compile(r"\bSMCX_[A-Z0-9_]+\b")
DEAD = re.compile(r"^\s*#\s*if 0\b")


def matches(name, *patterns):
    return any(fnmatch(name, p) for p in patterns)


def licence_errors(name, lines):
    if matches(name, *NO_LICENCE):
        return
    spdx = next((line for line in lines[:4] if "SPDX-License-Identifier:" in line), "")
    if "GPL-2.0" not in spdx:
        yield f"{name}: no SPDX line"
    elif matches(name, "kmod/proto/*.[ch]", "kmod/uapi/*.h") and "OR MIT" not in spdx:
        yield f"{name}: the SPDX line must offer GPL-2.0 OR MIT"


def source_errors(name, lines):
    if name.endswith(".c") and not name.startswith("selftests/") and len(lines) > MAX_LINES:
        yield f"{name}: {len(lines)} lines ({MAX_LINES} at most)"
    for number, line in enumerate(lines, 1):
        where = f"{name}:{number}"
        if line != line.rstrip():
            yield f"{where}: blanks at the end of the line"
        if re.match(r" {4,}\S", line):
            yield f"{where}: indented with blanks"
        if not name.startswith("kmod/"):
            continue
        if VERSIONS.search(line) and not name.startswith("kmod/compat/"):
            yield f"{where}: kernel versions belong into kmod/compat"
        if UNFINISHED.search(line):
            yield f"{where}: unfinished"
        if DEAD.match(line):
            yield f"{where}: dead code"


def constant_errors(names):
    """Documentation names constants of the code instead of repeating their values."""
    texts = {name: (TOP / name).read_text(errors="replace") for name in names if (TOP / name).is_file()}
    known = {word for name, text in texts.items() if not name.startswith("Documentation/")
             for word in CONSTANT.findall(text)}
    for name, text in texts.items():
        if matches(name, "Documentation/*.rst"):
            for word in sorted(set(CONSTANT.findall(text)) - known):
                yield f"{name}: {word} is not known"


def main():
    names = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True).stdout.split("\n")
    errors = []
    for name in filter(None, names):
        if not (TOP / name).is_file():
            continue
        lines = (TOP / name).read_text(errors="replace").splitlines()
        errors += licence_errors(name, lines)
        if matches(name, "*.c", "*.h"):
            errors += source_errors(name, lines)
    errors += constant_errors(filter(None, names))
    print("\n".join(errors) if errors else "files: fine")
    sys.exit(bool(errors))


main()
