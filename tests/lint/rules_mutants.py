"""Rules about the mutants of tests/simulation/mutants: a patch that no longer applies breaks nothing, and finds nothing."""

import re

from source import Problem

FOLDER = "tests/simulation/mutants/"
HEADS = ("Breaks: ", "Unit: ", "Simulator: ")


def hunks(patch):
    """(path, old text) of each hunk of a unified diff."""
    path, old = "", None
    for line in patch.splitlines():
        if line.startswith("+++ b/"):
            path = line[6:]
        elif line.startswith("@@"):
            if old is not None:
                yield path, old
            old = ""
        elif line.startswith("diff ") and old is not None:
            yield path, old
            old = None
        elif old is not None and line[:1] in (" ", "-"):
            old += line[1:] + "\n"
    if old is not None:
        yield path, old


def mutants_apply(tree):
    for path in tree.paths(".patch"):
        if not path.startswith(FOLDER):
            continue
        text = tree.files[path]
        for head in HEADS:
            if not re.search(f"^{head}", text, re.M):
                yield Problem(path, 0, f"its head does not say '{head.strip()}'")
        found = list(hunks(text))
        if not found:
            yield Problem(path, 0, "it changes nothing")
        for changed, old in found:
            if old not in tree.files.get(changed, ""):
                yield Problem(path, 0, f"it no longer applies to {changed}: make it anew")
