"""Runs a unittest.TestCase class and, like a GoogleTest program, writes its results to $GTEST_OUTPUT (xml:FILE) when set,
so that ops/check counts the tests of a script one by one. Words behind the script's first argument choose: the tests whose names hold one."""

import os
import sys
import time
import unittest
import xml.etree.ElementTree as ET


class Recorder(unittest.TextTestResult):
    """Keeps a row a test, for the XML."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.rows = []
        self.began = time.monotonic()

    def startTest(self, test):
        self.began = time.monotonic()
        super().startTest(test)

    def keep(self, test, outcome):
        self.rows.append((test, outcome, time.monotonic() - self.began))

    def addSuccess(self, test):
        super().addSuccess(test)
        self.keep(test, None)

    def say(self, test, err):
        """At once where tests take minutes ($TEST_SAYS_AT_ONCE), not only at the end."""
        if os.environ.get("TEST_SAYS_AT_ONCE"):
            print(f"\n{test.id()}:\n{self._exc_info_to_string(err, test)}", file=sys.stderr, flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.say(test, err)
        self.keep(test, "failure")

    def addError(self, test, err):
        super().addError(test, err)
        self.say(test, err)
        self.keep(test, "error")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.keep(test, "skipped")


def write_xml(path, name, rows):
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", name=name, tests=str(len(rows)))
    for test, outcome, seconds in rows:
        case = ET.SubElement(suite, "testcase", classname=name, name=test.id().rpartition(".test_")[2], time=f"{seconds:.3f}")
        if outcome:
            ET.SubElement(case, outcome, message=outcome)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    ET.ElementTree(root).write(path)


def run(case):
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{word}*" for word in sys.argv[2:]] or None
    suite = loader.loadTestsFromTestCase(case)
    result = unittest.TextTestRunner(resultclass=Recorder, verbosity=1).run(suite)
    output = os.environ.get("GTEST_OUTPUT", "")
    if output.startswith("xml:"):
        write_xml(output[4:], case.__name__, result.rows)
    sys.exit(0 if result.wasSuccessful() else 1)
