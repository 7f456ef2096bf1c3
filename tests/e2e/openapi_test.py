"""openapi.json and the server say the same: Schemathesis asks a live Berth what the description allows, and what it does not.

openapi_test.py [SECONDS]   how long it asks, 15 without a word; with 60 or more also the examples, and chains of requests"""

import collections
import os
import subprocess
import sys
import unittest
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.join(HERE, "support")
sys.path[:0] = [SUPPORT]

import berth as rig
import signing_proxy
import unittest_report

VERSION = "4.32.5"
SECONDS = 15
LONG = 60  # seconds from which on there is time for all phases
CHAINS = 0.3  # of the seconds then, for chains of requests: the other phases fill whatever time they get
FEW = 20  # accepted requests
VENV = os.path.join(rig.ROOT, "build", "venv")
PROGRAM = os.path.join(VENV, "bin", "schemathesis")

LEFT_OUT = {
    "positive_data_acceptance": "schemathesis_hooks.py has it under another name, with what no schema can say",
}
OPERATIONS_LEFT_OUT = {
    "watchRows": "a stream has no end",
    **dict.fromkeys(("openExec", "openShell", "openCopy", "startApp", "connectApp"), "Schemathesis speaks no WebSocket"),
}


def install():
    if os.path.exists(PROGRAM):
        return
    venv.create(VENV, with_pip=True)
    subprocess.run([os.path.join(VENV, "bin", "pip"), "install", "-q", f"schemathesis=={VERSION}"], check=True)


def excused(path):
    """The refusals that have a reason in schemathesis_hooks.py, a line each."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        met = collections.Counter(line.rstrip() for line in file)
    return [f"  {count} x {what}" for what, count in sorted(met.items())]


def asked(up, proxy, phases, seconds, met):
    """Schemathesis' run of so long."""
    words = [PROGRAM, "run", "--header", f"Authorization: {signing_proxy.SIGN}", "--checks", "all", "--exclude-checks", ",".join(LEFT_OUT),
             "--phases", phases, "--max-time", str(int(seconds)), "--continue-on-failure", "--seed", "11", "--no-shrink", "--warnings", "off",
             "--suppress-health-check", "all", "--request-timeout", "60", "--report", "ndjson", "--report-ndjson-path",
             os.path.join(up.data, "report.ndjson")]
    for operation in OPERATIONS_LEFT_OUT:
        words += ["--exclude-operation-id", operation]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": SUPPORT, "PYTHONDONTWRITEBYTECODE": "1",
                   "BERTH_EXCUSED": met}
    return subprocess.run([*words, proxy.url + "/openapi.json"], env=environment, capture_output=True, text=True, cwd=up.data, check=False)


class OpenApi(unittest.TestCase):
    def test_schemathesis_finds_nothing(self):
        install()
        up = rig.Berth()
        self.addCleanup(up.remove)
        up.start()
        met = os.path.join(up.data, "excused")
        with signing_proxy.SigningProxy(up) as proxy:
            phases = "examples,coverage,fuzzing" if SECONDS >= LONG else "coverage,fuzzing"
            done = asked(up, proxy, phases, SECONDS * (1 - CHAINS) if SECONDS >= LONG else SECONDS, met)
            answers = proxy.answers
            if done.returncode == 0 and answers.get(200, 0) <= FEW:  # a machine that is busy with other things
                done = asked(up, proxy, phases, 3 * SECONDS, met)
            if done.returncode == 0 and SECONDS >= LONG:
                done = asked(up, proxy, "stateful", SECONDS * CHAINS, met)
                self.assertRegex(done.stdout, r"Scenarios: +[1-9]", "no chain of requests was asked")
        print(f"{sum(answers.values())} requests: {dict(sorted(answers.items()))}")
        for what, reason in {**LEFT_OUT, **OPERATIONS_LEFT_OUT}.items():
            print(f"left out: {what}: {reason}")
        print("allowed by the schema and refused:", *excused(met), sep="\n")
        self.assertEqual(done.returncode, 0, done.stdout[-20000:] + done.stderr[-4000:])
        self.assertGreater(answers.get(200, 0), FEW, "hardly any request was accepted: the proxy does not sign as it should")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        SECONDS = int(sys.argv.pop(1))
    unittest_report.run(OpenApi)
