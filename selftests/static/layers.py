#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Layer check: a folder of kmod/ is a layer, includes and calls go down only (kmod/LAYERS), no cycles inside a folder.

layers.py KMOD [OBJECTS]: KMOD is the source folder; OBJECTS, a build of it, adds the check of symbols.
"""
import re
import subprocess
import sys
from pathlib import Path


def read_layers(path):
    """folder -> folders it may include and call"""
    layers = {}
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            layers[words[0].rstrip(":")] = set(words[1:])
    return layers


def include_errors(kmod, layers):
    for file in sorted(kmod.glob("*/**/*.[ch]")):
        own = file.relative_to(kmod).parts[0]
        if own not in layers:
            if own != "uapi":
                yield f"{own}: a folder that LAYERS does not know"
            continue
        for line in file.read_text().splitlines():
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not found:
                continue
            name = found.group(1)
            target = next((p for p in (file.parent / name, kmod / name) if p.exists()), None)
            if target is None:
                yield f"{file.relative_to(kmod)}: include of {name}, which is not there"
                continue
            target = target.resolve().relative_to(kmod).parts[0]
            if target not in (own, "uapi") and target not in layers[own]:
                yield f"{file.relative_to(kmod)}: includes {name}: {own} may not know {target}"


def symbols(objects):
    """object -> (defined, wanted), only our own names"""
    table = {}
    for obj in sorted(objects.glob("*/**/*.o")):
        out = subprocess.run(["nm", str(obj)], capture_output=True, text=True, check=True).stdout
        defined, wanted = set(), set()
        for line in out.splitlines():
            words = line.split()
            kind, name = words[-2], words[-1]
            if kind == "U":
                wanted.add(name)
            elif kind.isupper():
                defined.add(name)
        table[obj.relative_to(objects)] = (defined, wanted)
    return table


def symbol_errors(table, layers):
    owner = {name: obj for obj, (defined, _) in table.items() for name in defined}
    for obj, (_, wanted) in table.items():
        own = obj.parts[0]
        if own not in layers:
            continue
        for name in sorted(wanted & owner.keys()):
            other = owner[name].parts[0]
            if other != own and other not in layers[own]:
                yield f"{obj.with_suffix('.c')}: uses {name} of {owner[name].with_suffix('.c')}: upward"


def cycle_errors(table):
    """Strongly connected files inside one folder (Tarjan)."""
    owner = {name: obj for obj, (defined, _) in table.items() for name in defined}
    edges = {obj: {owner[n] for n in wanted & owner.keys() if owner[n] != obj and owner[n].parts[0] == obj.parts[0]}
             for obj, (_, wanted) in table.items()}
    index, low, stack, cycles = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in edges[node]:
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            group = []
            while True:
                group.append(stack.pop())
                if group[-1] == node:
                    break
            if len(group) > 1:
                cycles.append(group)

    for obj in edges:
        if obj not in index:
            visit(obj)
    for group in cycles:
        yield "cycle: " + " <-> ".join(str(o.with_suffix(".c")) for o in sorted(group))
        for obj in sorted(group):
            for target in sorted(edges[obj] & set(group)):
                names = sorted(table[obj][1] & table[target][0])
                yield f"    {obj.with_suffix('.c')} -> {target.with_suffix('.c')}: {', '.join(names[:4])}"


def main():
    kmod = Path(sys.argv[1]).resolve()
    layers = read_layers(kmod / "LAYERS")
    errors = list(include_errors(kmod, layers))
    if len(sys.argv) > 2:
        table = symbols(Path(sys.argv[2]))
        if not table:
            errors.append(f"no objects in {sys.argv[2]}")
        built = {obj.with_suffix(".c") for obj in table}
        errors += [f"{file.relative_to(kmod)}: not part of the module" for file in sorted(kmod.glob("*/**/*.c"))
                   if file.relative_to(kmod) not in built]
        errors += symbol_errors(table, layers)
        errors += cycle_errors(table)
    print("\n".join(errors) if errors else "layers: fine")
    sys.exit(bool(errors))


main()
