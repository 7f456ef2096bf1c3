"""ops/story, as it is: on the embedded log, or (argument kafka) on a broker of its own. Every line `ok` of it is a check that held."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report


def ops(*words, timeout=300):
    environment = {**os.environ, "BERTH": rig.program("berth")}
    return subprocess.run([os.path.join(rig.ROOT, "ops", words[0]), *words[1:]], capture_output=True, text=True, timeout=timeout,
                          check=False, env=environment)


class Story(unittest.TestCase):
    kafka = False

    def test_holds_with_containers(self):
        words = ["story"] + (["--log", self.broker()] if self.kafka else [])
        told = ops(*words)
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        self.assertNotRegex(told.stdout, r"(?m)^  NO ")
        self.assertGreater(len(re.findall(r"(?m)^  ok  ", told.stdout)), 35)

    def broker(self):
        data = tempfile.mkdtemp(prefix="berth-e2e-kafka-")
        self.addCleanup(shutil.rmtree, data, True)
        self.addCleanup(ops, "kafka/stop", "--data", data, "--kill")
        started = ops("kafka/start", "--data", data, "--port", str(rig.free_port()))
        self.assertEqual(started.returncode, 0, started.stderr)
        return started.stdout.strip()


if __name__ == "__main__":
    if "kafka" in sys.argv[1:]:
        Story.kafka, Story.__name__ = True, "StoryOnKafka"
    if not rig.IS_ROOT:
        sys.exit("the story needs root for its containers")
    unittest_report.run(Story)
