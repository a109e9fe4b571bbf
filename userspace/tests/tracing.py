#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tracing.py TOP: tracing.rst names the trace points that there are, with their fields, phases and kinds of drops, in its tables and in its
one-liners. TAP."""
import re
import sys
from pathlib import Path

from tap import check, done

TOP = Path(sys.argv[1])


def of_module():
    """trace point -> its fields"""
    text = (TOP / "kmod/base/trace.h").read_text()
    found = {}
    for name, body in re.findall(r"TRACE_EVENT\((\w+),(.*?)TP_fast_assign", text, re.S):
        found[name] = set(re.findall(r"__field\([^,]+,\s*(\w+)\)", body))
    return found


def of_enum(path, prefix):
    body = re.findall(r"enum \w+ \{(.*?)\};", (TOP / path).read_text(), re.S)
    words = [re.findall(rf"\b{prefix}(\w+)", part) for part in body]
    return [word for word in max(words, key=len) if word != "MAX"]


def main():
    page = (TOP / "Documentation/tracing.rst").read_text()
    module = of_module()
    table = {name: set(fields.split()) for name, fields in re.findall(r"^``(smcx_\w+)`` .*``(.*)``$", page, re.M)}
    guest = {words[0]: set(words[1:]) for words in
             (line.split() for line in (TOP / "selftests/pair/lib-tables.sh").read_text().splitlines() if line.startswith("smcx_"))}
    check("the source is understood", len(module) >= 5 and all(module.values()), module)
    check("tracing.rst has these trace points and fields", table == module, f"page {table}, module {module}")
    check("selftests/pair/lib-tables.sh, too", guest == module, f"test {guest}, module {module}")
    lines = re.findall(r"tracepoint:smcx:(\w+)(.*?)(?=tracepoint:|\n\n)", page, re.S)
    check("one-liners are found", len(lines) >= 6, lines)
    for name, text in lines:
        used = set(re.findall(r"args->(\w+)", text))
        check(f"one-liner of {name}: its fields exist", name in module and used <= module[name], used - module.get(name, set()))
    rows = re.findall(r"^(\d)    (\w+) ", page, re.M)
    for what, path, prefix in (("phases", "kmod/base/setup.h", "SMCX_PHASE_"), ("drops", "kmod/base/drop.h", "SMCX_DROP_")):
        for number, name in enumerate(of_enum(path, prefix)):
            check(f"{what}: {number} is {name}", (str(number), name) in rows, rows)
    done()


main()
