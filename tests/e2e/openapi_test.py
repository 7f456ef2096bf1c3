"""openapi.json and the server say the same: Schemathesis asks a live Berth what the description allows, and what it does not.

openapi_test.py [SECONDS]   how long it asks, 15 without a word"""

import os
import subprocess
import sys
import unittest
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import signing_proxy
import unittest_report

VERSION = "4.32.5"
SECONDS = 15
VENV = os.path.join(rig.ROOT, "build", "venv")
PROGRAM = os.path.join(VENV, "bin", "schemathesis")

LEFT_OUT = {
    # Checks.
    "positive_data_acceptance": "whether an image, a group or a user exists, and whether an amount fits its slot, no schema can say",
}
OPERATIONS_LEFT_OUT = {
    "watchRows": "a stream has no end",
}


def install():
    if os.path.exists(PROGRAM):
        return
    venv.create(VENV, with_pip=True)
    subprocess.run([os.path.join(VENV, "bin", "pip"), "install", "-q", f"schemathesis=={VERSION}"], check=True)


class OpenApi(unittest.TestCase):
    def test_schemathesis_finds_nothing(self):
        install()
        up = rig.Berth()
        self.addCleanup(up.remove)
        up.start()
        words = [PROGRAM, "run", "--header", f"Authorization: {signing_proxy.SIGN}", "--checks", "all", "--exclude-checks", ",".join(LEFT_OUT), "--phases", "coverage,fuzzing",
                 "--max-time", str(SECONDS), "--continue-on-failure", "--seed", "11", "--no-shrink", "--warnings", "off",
                 "--suppress-health-check", "all", "--request-timeout", "60", "--report", "ndjson", "--report-ndjson-path",
                 os.path.join(up.data, "report.ndjson")]
        for operation in OPERATIONS_LEFT_OUT:
            words += ["--exclude-operation-id", operation]
        with signing_proxy.SigningProxy(up) as proxy:
            done = subprocess.run([*words, proxy.url + "/openapi.json"], capture_output=True, text=True, cwd=up.data, check=False)
            answers = proxy.answers
        print(f"{sum(answers.values())} requests: {dict(sorted(answers.items()))}")
        self.assertEqual(done.returncode, 0, done.stdout[-20000:] + done.stderr[-4000:])
        self.assertGreater(answers.get(200, 0), 20, "hardly any request was accepted: the proxy does not sign as it should")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        SECONDS = int(sys.argv.pop(1))
    unittest_report.run(OpenApi)
