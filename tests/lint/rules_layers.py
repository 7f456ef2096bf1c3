"""Rules about who includes whom (layers.py is their table)."""

import re

import layers
from source import Problem

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(tree, path):
    for number, line in enumerate(tree.lines(path), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def may_include(row, target):
    allowed = layers.ALLOWED[row]
    if allowed is layers.EVERYTHING or target in allowed:
        return True
    return layers.row_of(target, layers.ALLOWED) in (row, *allowed)


def includes_follow_the_layers(tree):
    for path in tree.code():
        row = layers.row_of(path, layers.ALLOWED)
        if row is None:
            yield Problem(path, 0, "its folder has no row in tests/lint/layers.py")
            continue
        top = path.split("/")[0]
        for line, ours, target in includes(tree, path):
            if not ours:
                continue
            target_top = target.split("/")[0]
            if target_top in layers.ON_TOP and top not in layers.ON_TOP:
                yield Problem(path, line, f"nothing below may include {target}")
            elif (top, target_top) in layers.STRANGERS:
                yield Problem(path, line, f"{top} never includes {target_top} ({target}): they meet in events/schema")
            elif target_top not in layers.TOP_FOLDERS:
                yield Problem(path, line, f'"{target}": write the path from the repository root, libraries in <>')
            elif not may_include(row, target):
                yield Problem(path, line, f"{row} may not include {target}")


def is_pure(path):
    folder, stem = path.rpartition("/")[0], path.rpartition(".")[0]
    return folder in layers.PURE and stem not in layers.IMPURE_FILES


def pure_folders_do_no_io(tree):
    for path in filter(is_pure, tree.code()):
        for line, ours, target in includes(tree, path):
            if ours and target.rpartition(".")[0] in layers.IMPURE_FILES:
                yield Problem(path, line, f"pure code is handed its clock and secrets, it does not include {target}")
            elif not ours and (target in layers.IMPURE_HEADERS or target.startswith(layers.IMPURE_PREFIXES)):
                yield Problem(path, line, f"pure code does not include <{target}>")


def libraries_stay_at_home(tree):
    beast = set()
    for path in tree.code():
        for line, _ours, target in includes(tree, path):
            if target.startswith("boost/beast"):
                beast.add(path)
            for prefix, homes in layers.LIBRARY_HOMES.items():
                if target.startswith(prefix) and not any(path.startswith(home + "/") for home in homes):
                    yield Problem(path, line, f"only {', '.join(homes)} may include <{prefix}...>")
    if len(beast) > layers.BEAST_FILES_MAX:
        yield Problem(sorted(beast)[-1], 0, f"{len(beast)} files include Beast, at most {layers.BEAST_FILES_MAX} may")


def top_folders_are_known(tree):
    for top in sorted({path.split("/")[0] for path in tree.files if "/" in path}):
        if top not in layers.TOP_FOLDERS and not top.startswith("."):
            yield Problem(top, 0, f"a new top-level folder: there are only {', '.join(layers.TOP_FOLDERS)}")
