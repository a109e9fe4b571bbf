#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR MIT
"""seed.py GOLDEN.H CORPUS: the captured messages as inputs for the fuzzers."""

import os
import re
import sys

# What precedes the message in a target's input: see the targets.
PREFIX = {
    "clc": [b"\0"],
    "llc": [b"\x02", b"\x03", b"\x0e"],
    "negotiate": [b"\x1c\xff\x01\0\1S", b"\0\0\0\0\0"],
}


def put(corpus, target, name, data):
    folder = os.path.join(corpus, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(data)


def main():
    text = open(sys.argv[1], encoding="ascii").read()
    corpus = sys.argv[2]
    for name, body in re.findall(r'{ "(\w+)",\s*((?:"[0-9a-f]+"\s*)+)}', text):
        message = bytes.fromhex("".join(re.findall('"([0-9a-f]+)"', body)))
        targets = ["clc", "negotiate"] if message[:3] == b"\xe2\xd4\xc3" else ["llc"]
        for target in targets:
            for i, prefix in enumerate(PREFIX[target]):
                put(corpus, target, f"{name}-{i}", prefix + message)
    put(corpus, "cursor", "walk", bytes([0, 0]) + bytes([2, 0, 0, 99, 99, 0, 0, 0, 50, 50, 7, 0, 0, 1, 2] * 8))
    put(corpus, "close", "both", bytes([0x04, 0x0f, 0x05, 0x0e]))
    put(corpus, "close", "half", bytes([0x00, 0x0f, 0x01, 0x0e, 0x04, 0x0f, 0x05, 0x0e]))


main()
