#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""netlink.py TOP: Documentation/netlink/smcx.yaml has the commands and attributes of linux/smcx.h, in its order. TAP."""
import re
import sys
from pathlib import Path

from tap import check, done

TOP = Path(sys.argv[1])


def of_header():
    """prefix -> names, in the order of their numbers from 1 on."""
    text = (TOP / "kmod/uapi/linux/smcx.h").read_text()
    enums = {}
    for body in re.findall(r"enum smcx_\w+ \{(.*?)\};", text, re.S):
        names = [n for n in re.findall(r"^\t(\w+)[,\s]", body, re.M)]
        if not names or not names[0].endswith("UNSPEC"):
            continue
        prefix = names[0].removesuffix("UNSPEC")
        enums[prefix] = [n.removeprefix(prefix) for n in names[1:] if not n.startswith("__")]
    return enums


def of_spec():
    """The same, out of the little YAML that specs are made of: a list's names follow its prefix."""
    enums, prefix = {}, None
    text = (TOP / "Documentation/netlink/smcx.yaml").read_text()
    for key, value in re.findall(r"^ +(name-prefix|name): (\S+)$", text, re.M):
        word = value.upper().replace("-", "_")
        if key == "name-prefix":
            prefix = word
            enums[prefix] = []
        elif prefix:
            enums[prefix].append(word)
    # the name of the next set stands before its prefix
    sets = re.findall(r"^  -\n    name: (\S+)$", text, re.M)
    for names in enums.values():
        if names and names[-1].lower().replace("_", "-") in sets and names is not enums[prefix]:
            names.pop()
    return enums


def main():
    header, spec = of_header(), of_spec()
    check("the header is understood", len(header) >= 5, header)
    for prefix, names in header.items():
        check(f"{prefix}*: {len(names)} of them, in order", spec.get(prefix) == names,
              f"spec {spec.get(prefix)}, header {names}")
    check("the spec has no others", set(spec) == set(header), set(spec) ^ set(header))
    done()


main()
