"""Adds up what the stages of ops/check did: summary.py CHECK_FOLDER BUILD_FOLDER.

A test program counts with the tests in its GoogleTest XML (build/<preset>/test-results/<name>.xml); one that wrote none
(a script, or one that crashed) counts as one test by ctest's JUnit file. A stage that failed without a failed test counts
as one failure. Prints the failed ones, then `N passed, N failed[, N skipped]`; exit 0 only when nothing failed.
"""

import pathlib
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

PRESET_OF_STAGE = {"asan-tests": "asan", "clang-tests": "clang", "asan-api-tests": "asan-full", "tsan-tests": "tsan"}


@dataclass
class Count:
    passed: int = 0
    skipped: int = 0
    failed: list = field(default_factory=list)  # (what, where its output is)


def parse(path):
    try:
        return ET.parse(path).getroot()
    except (OSError, ET.ParseError):
        return None


def add_gtest(root, program, log, count):
    """Returns how many failed."""
    failures = 0
    for case in root.iter("testcase"):
        name = f"{program}: {case.get('classname', '')}.{case.get('name', '')}"
        if case.find("failure") is not None or case.find("error") is not None:
            failures += 1
            count.failed.append((name, log))
        elif case.get("result") in ("skipped", "suppressed") or case.find("skipped") is not None:
            count.skipped += 1
        else:
            count.passed += 1
    return failures


def add_tests_stage(check, build, stage, code, count):
    log = f"build/check/{stage}.log"
    junit = parse(check / f"{stage}.junit.xml")
    failures_before = len(count.failed)
    for case in junit.iter("testcase") if junit is not None else []:
        program = case.get("name", "?")
        status = case.get("status", "run")
        gtest = parse(build / PRESET_OF_STAGE.get(stage, "release") / "test-results" / f"{program}.xml")
        failed_inside = add_gtest(gtest, program, log, count) if gtest is not None and status != "notrun" else None
        if status in ("fail", "notrun") and not failed_inside:
            skipped = case.find("skipped")
            if status == "notrun" and skipped is not None and "SKIP" in skipped.get("message", "").upper():
                count.skipped += 1
                continue
            message = case.find("failure")
            why = message.get("message", "") if message is not None else "did not run: was it built?"
            count.failed.append((f"{program} {why}".rstrip(), log))
        elif status == "disabled":
            count.skipped += 1
        elif status == "run" and failed_inside is None:
            count.passed += 1
    if code != 0 and len(count.failed) == failures_before:
        count.failed.append((f"{stage}: the stage failed", log))


def main():
    check, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    count = Count()
    for line in (check / "stages.tsv").read_text().splitlines():
        stage, kind, code, _seconds = line.split("\t")
        if kind == "tests":
            add_tests_stage(check, build, stage, int(code), count)
        elif int(code) != 0:
            count.failed.append((f"{stage}: the stage failed", f"build/check/{stage}.log"))
        elif kind == "one":
            count.passed += 1
    if count.failed:
        print("failed:")
        for what, where in count.failed:
            print(f"  {what}  ({where})")
    skipped = f", {count.skipped} skipped" if count.skipped else ""
    print(f"{count.passed} passed, {len(count.failed)} failed{skipped}")
    sys.exit(1 if count.failed else 0)


if __name__ == "__main__":
    main()
