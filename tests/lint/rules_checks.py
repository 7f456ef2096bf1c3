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


SLEEPS = re.compile(r"\busleep\((?P<us>[\d']+)\)|\bsleep_for\((?:std::chrono::)?(?P<unit>milliseconds|seconds)\((?P<count>[\d']+)\)"
                    r"|\bsleep_for\((?P<short>[\d']+)(?P<suffix>ms|s)\)|^\s*time\.sleep\((?P<s>[\d.]+)\)|\bwaitForTimeout\((?P<ms>[\d_]+)\)")
SLEEP_SECONDS_MIN = 0.1  # a shorter one is the pause of a loop that looks


def seconds_of(match):
    found = match.groupdict()
    number = float(next(found[name] for name in ("us", "count", "short", "s", "ms") if found[name]).replace("'", "").replace("_", ""))
    if found["us"]:
        return number / 1e6
    if found["ms"] or found["unit"] == "milliseconds" or found["suffix"] == "ms":
        return number / 1e3
    return number


def a_test_that_sleeps_says_why(tree):
    """A sleep in a test is slow where it is long enough and fails where it is not: what can be awaited is; of the rest a comment says why."""
    for path in tree.paths(".cc", ".h", ".py", ".mjs", ".ts"):
        if not path.startswith(("tests/", "ops/console/test/")) or path.startswith("tests/lint/"):
            continue
        before = ""
        for number, line in enumerate(tree.lines(path), 1):
            match = SLEEPS.search(line)
            if match and (path.endswith(".py") or not match["s"]) and seconds_of(match) >= SLEEP_SECONDS_MIN:
                if not re.search(r"//|#", line[match.end():]) and not re.match(r"\s*(//|#)", before):
                    yield Problem(path, number, "a test sleeps: await what it waits for, or say in a comment why nothing can be awaited")
            before = line
