#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""sysctls.py TOP: every sysctl of the module is in sysctl.rst, smcx(7) and the test of ranges, with its true range and default. TAP."""
import re
import sys
from pathlib import Path

from tap import check, done

TOP = Path(sys.argv[1])
INT_MAX = 2**31 - 1


def of_module():
    """name -> (low, high, default), out of the source."""
    text = (TOP / "kmod/mgmt/sysctl.c").read_text()
    consts = {name: value for name, value in re.findall(r"static const int (\w+) = (.*);", text)}
    consts["smcx_zero"] = "0"

    def number(word):
        # HZ is the kernel's choice: Debian's
        value = consts[word.strip().lstrip("&")]
        return str(eval(value.replace("/", "//"), {"INT_MAX": INT_MAX, "HZ": 250}))

    defaults = dict(re.findall(r"s->(\w+) = (.*);", (TOP / "kmod/base/netns.c").read_text()))
    macros = dict(re.findall(r"#define (SMCX_\w+)\s+(\d+)\s", (TOP / "kmod/base/netns.h").read_text()))
    found = {}
    for name, field, _, low, high in re.findall(
            r'SMCX_SYSCTL\("(\w+)", (\w+), (\w+),\s*([\w&]+),\s*([\w&]+)\)', text):
        default = re.sub(r"SMCX_\w+", lambda m: macros[m.group()], defaults[field])
        found[name] = ("0" if low == "NULL" else number(low),
                       str(2**32 - 1) if high == "NULL" else number(high), str(eval(default)))
    return found


def of_page():
    rows = re.findall(r"\* - ``(\w+)``\n +- (.*)\n +- (.*) \.\. (.*)\n +- (.*)\n +- (.*)",
                      (TOP / "Documentation/sysctl.rst").read_text())
    return {name: (unit, low, high, default, effect) for name, unit, low, high, default, effect in rows}


def main():
    module, page = of_module(), of_page()
    man = (TOP / "userspace/man/smcx.7").read_text()
    ranges = (TOP / "selftests/pair/lib-tables.sh").read_text()
    check("the source is understood", len(module) >= 11, module)
    for name, (low, high, default) in module.items():
        row = page.get(name)
        check(f"{name}: sysctl.rst has unit, range, default and effect",
              bool(row) and row[1:4] == (low, high, default) and bool(row[0]) and len(row[4]) > 10,
              f"page {row}, module {(low, high, default)}")
        check(f"{name}: in smcx(7)", f".Va {name} " in man)
        check(f"{name}: selftests/net/tools.sh and owner.sh try its range", re.search(rf"^{name} \S+ \S+ \S+ \S+$", ranges, re.M))
    check("sysctl.rst has no others", set(page) == set(module), set(page) ^ set(module))
    done()


main()
