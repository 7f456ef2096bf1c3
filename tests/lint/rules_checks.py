"""Rules about ops/check: what its stages choose tests by must exist, and no test keeps all others waiting."""

import re

from source import Problem

CHECK = "ops/check"
# The arguments that name labels there: of ctest (-L, -LE), of the function that builds by one, and the list that they share.
CHOICE = re.compile(r"""(?:(?<!\S)-LE?\s+|\bSLOW=|\bbuild_labelled\s+\S+\s+)["']?([\w|$-]+)""")
LABELS = re.compile(r"\bLABELS\s+([^()]*?)(?=\)|\s[A-Z]{4,}\b)")


def chosen(text):
    """(position, label) of each label in ops/check; a shell variable is no label."""
    for match in CHOICE.finditer(text):
        for label in match.group(1).split("|"):
            if not label.startswith("$"):
                yield match.start(1), label


def ops_check_chooses_by_labels_that_tests_have(tree):
    given = set()
    for path in tree.paths("CMakeLists.txt"):
        for match in LABELS.finditer(tree.files[path]):
            given.update(re.findall(r"[a-z][\w-]*", match.group(1)))
    text = tree.files.get(CHECK, "")
    for at, label in chosen(text):
        if label not in given:
            yield Problem(CHECK, text.count("\n", 0, at) + 1, f"no test has the label '{label}' (LABELS in tests/)")


def no_test_stops_all_others(tree):
    for path in tree.paths():
        if not path.endswith(("CMakeLists.txt", ".cmake")):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if "RUN_SERIAL" in line.split("#")[0]:
                yield Problem(path, number, "RUN_SERIAL stops all other tests: take turns with those that share something (berth_turns)")
