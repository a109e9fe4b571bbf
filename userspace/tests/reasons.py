#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""reasons.py SMCX TOP [--write]: reason.h, the tool and Documentation/fallback.rst tell of the same reasons. TAP.

--write makes the table of the page new from what the tool says.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

from tap import check, done

SMCX, TOP = sys.argv[1], Path(sys.argv[2])
PAGE = TOP / "Documentation/fallback.rst"
MARK = ".. list-table::"


def header():
    """Names and codes as the compiler sees them: an enum counts on."""
    body = re.search(r"enum smcx_reason \{(.*?)\};", (TOP / "kmod/proto/reason.h").read_text(), re.S).group(1)
    codes, last = {}, -1
    for name, value in re.findall(r"SMCX_REASON_(\w+)(?:\s*=\s*(\w+))?\s*,", body):
        last = codes[value[12:]] if value.startswith("SMCX") else int(value, 0) if value else last + 1
        codes[name] = last
    return {name.removeprefix("LOCAL_"): code for name, code in codes.items()
            if name not in ("LOCAL_BASE", "NO_SMC_OPTION")}


def rst(text):
    return re.sub(r"(?<!\w)'([^']*)'(?!\w)", r"``\1``", text)


def table(reasons):
    rows = [MARK, "   :header-rows: 1", "   :widths: 15 40 45", "", "   * - Reason", "     - Cause", "     - Cure"]
    for r in reasons:
        rows += [f"   * - ``{r['reason']}`` {r['code']}", f"     - {rst(r['cause'])}", f"     - {rst(r['cure'])}"]
    return "\n".join(rows) + "\n"


def main():
    shown = json.loads(subprocess.run([SMCX, "-j", "reason"], capture_output=True, check=True).stdout)
    page = PAGE.read_text()
    head = page[:page.index(MARK)]
    if "--write" in sys.argv:
        PAGE.write_text(head + table([r for r in shown if r["reason"] != "NONE"]))
        return
    by_name = {r["reason"]: r for r in shown}
    for name, code in header().items():
        r = by_name.get(name, {})
        check(f"{name}: the tool knows it, with its number", r.get("code") == f"0x{code:08x}", r)
        check(f"{name}: has a cause and a cure", all(len(r.get(k, "")) > 9 for k in ("cause", "cure")) and
              not r["cause"].startswith("A reason"), r)
        check(f"{name}: has a row in fallback.rst", name == "NONE" or f"* - ``{name}`` 0x{code:08x}\n" in page)
    module = "".join(f.read_text() for f in (TOP / "kmod").rglob("*.c") if f.name != "reason.c")
    for name in re.findall(r"^\tSMCX_(REASON_LOCAL_\w+),", (TOP / "kmod/proto/reason.h").read_text(), re.M):
        check(f"{name}: the module can say so", re.search(rf"SMCX_{name}\b", module))
    check("the tool knows no others", len(by_name) == len(header()) == len(shown))
    check("fallback.rst says what the tool says (userspace/tests/reasons.py SMCX TOP --write)",
          page == head + table([r for r in shown if r["reason"] != "NONE"]))
    done()


main()
