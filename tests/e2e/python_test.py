"""The Python client as its README shows it, against a real server."""

import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

CLIENT = os.path.join(rig.ROOT, "ops", "python")
DEBIAN_PYTHON = "/usr/bin/python3"  # ops/setup installs httpx for it


class PythonClient(unittest.TestCase):
    def test_the_example_of_its_readme_runs_as_it_stands(self):
        with open(CLIENT + "/README.md", encoding="utf-8") as file:
            example = re.search(r"```python\n(.*?)```", file.read(), re.S).group(1)
        with rig.Berth() as up:
            up.cli.ok("image", "add", "python:3.11", "docker://images.test/python:3.11")  # a plain process needs its name alone
            done = subprocess.run([DEBIAN_PYTHON, "-B", "-c", example], capture_output=True, text=True, timeout=rig.PATIENCE, check=False,
                                  env={**rig.environment(up.data), "PYTHONPATH": CLIENT})
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in (r"SessionRequested \S+ by admin: batch", r"KernelTerminated \S+ attempt 1: exited 0", "hello", r"\['session-\w+'\]",
                     "unknown-session [0-9a-f-]{36}"):
            self.assertRegex(done.stdout, re.compile(f"^{line}", re.M))


if __name__ == "__main__":
    unittest_report.run(PythonClient)
