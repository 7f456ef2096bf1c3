"""An agent that can start nothing says so, takes nothing, and comes back by itself; with real containers under a runtime that breaks."""

import http.client
import json
import os
import stat
import subprocess
import sys
import time
import unittest

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "support")]

import berth as rig
import unittest_report

WORDS = "cannot set up cgroup: no such controller"
# Stands where the runtime stood, in the mounts of this Berth alone: fails in the runtime's own way while FOLDER/broken is there.
RUNTIME = """#!/bin/sh
folder={folder}
for word in "$@"; do
  if [ "$before" = --log ]; then log=$word; fi
  before=$word
done
if [ -e $folder/broken ]; then
  echo '{{"level":"error","msg":"{words}","time":"2026"}}' >> "$log"
  exit 1
fi
exec $folder/runc "$@"
"""
BELOW = 'mount --make-rprivate / && mount --bind "$0/runtime" "$1" && shift && exec "$@"'


class Fitness(unittest.TestCase):
    def setUp(self):
        self.runtime = subprocess.run(["sh", "-c", "command -v runc"], capture_output=True, text=True, check=True).stdout.strip()
        self.up = rig.Berth(backend="oci", accelerator="")
        self.addCleanup(self.up.remove)
        self.folder = os.path.join(self.up.data, "own-runtime")
        os.mkdir(self.folder)
        subprocess.run(["cp", self.runtime, os.path.join(self.folder, "runc")], check=True)
        script = os.path.join(self.folder, "runtime")
        with open(script, "w", encoding="utf-8") as file:
            file.write(RUNTIME.format(folder=self.folder, words=WORDS))
        os.chmod(script, stat.S_IRWXU)
        self.up.below = ["unshare", "-m", "sh", "-c", BELOW, self.folder, os.path.realpath(self.runtime)]

    def breaks(self):
        open(os.path.join(self.folder, "broken"), "w", encoding="utf-8").close()

    def mend(self):
        os.remove(os.path.join(self.folder, "broken"))

    def agent(self):
        return self.up.cli.json("agent", "show", "a1")

    def is_fit(self, fit):
        agent = self.agent()
        return agent if agent["fit"] is fit else None

    def run_session(self, name, *words):
        self.up.cli.ok("session", "run", "--image", "python:3.11", "--cpu", "0.1", "--mem", "64m", "--name", name, "-q", "--detach", *words)

    def status(self, name, *wanted):
        session = self.up.cli.session(name)
        return session if session["status"] in wanted else None

    def test_an_unfit_agent_takes_nothing_says_why_and_comes_back_by_itself(self):
        self.breaks()
        self.up.start()
        agent = rig.eventually("it is unfit", lambda: self.is_fit(False))
        self.assertIn(WORDS, agent["unfit"])
        self.assertFalse(agent["schedulable"])
        self.assertIn("UNFIT", self.up.cli.ok("agent", "ls"))
        self.assertIn(WORDS, self.up.cli.ok("agent", "show", "a1"))
        self.assertIn(WORDS, self.up.process.words())
        status, body = self.ready()
        self.assertEqual(status, 200)
        self.assertIn(WORDS, body)
        self.run_session("patient")
        reason = rig.eventually("it knows why it waits", lambda: self.up.cli.session("patient").get("reason"))
        self.assertEqual(reason["code"], "no-agents")
        why = self.up.cli.ok("session", "why", "patient")
        self.assertIn("a1 UNFIT", why)
        self.assertIn(WORDS, why)
        self.mend()
        rig.eventually("it runs", lambda: self.status("patient", "RUNNING"))
        self.assertTrue(self.is_fit(True))
        self.assertEqual(self.up.cli.session("patient")["attempt"], 1, "no start failed")
        self.assertEqual(self.left_of_trials(), [])

    def test_a_runtime_that_breaks_later_makes_it_unfit_after_three_sessions(self):
        self.up.start()
        rig.eventually("it is fit", lambda: self.is_fit(True))
        self.run_session("before")
        rig.eventually("it runs", lambda: self.status("before", "RUNNING"))
        self.breaks()
        for name in ("one", "two", "three"):
            self.run_session(name)
        agent = rig.eventually("it is unfit", lambda: self.is_fit(False))
        self.assertIn(WORDS, agent["unfit"])
        self.assertTrue(self.status("before", "RUNNING"), "what runs goes on")
        self.mend()
        rig.eventually("all run", lambda: all(self.status(name, "RUNNING") for name in ("one", "two", "three")))

    def test_a_fault_of_the_machine_is_seen_at_once_and_counts_for_no_session(self):
        runtime = os.path.join(self.folder, "runc")
        self.up.below = ()
        self.up.more += ["--runtime", runtime]
        self.up.start()
        rig.eventually("it is fit", lambda: self.is_fit(True))
        os.rename(runtime, runtime + ".gone")
        self.run_session("one", "--max-attempts", "1")
        agent = rig.eventually("it is unfit", lambda: self.is_fit(False))
        self.assertIn(f"the container runtime '{runtime}' is not installed", agent["unfit"])
        waits = rig.eventually("it waits", lambda: self.status("one", "PENDING"))
        self.assertEqual(waits["attempts"], 0)
        self.assertIn("is not installed", self.up.cli.ok("session", "why", "one"))
        os.rename(runtime + ".gone", runtime)
        rig.eventually("it runs", lambda: self.status("one", "RUNNING"))
        self.assertEqual(self.up.cli.session("one")["attempts"], 0)

    def test_the_check_of_a_machine_starts_a_container_and_leaves_nothing(self):
        told = json.loads(self.checked(0))
        lines = {line["check"]: line for line in told}
        self.assertIn("its limits hold", lines["a container starts"]["found"])
        for name in ("kernel", "cgroup controllers", "runtime", "overlay", "user namespaces", "id maps", "id ranges", "loop devices",
                     "project quota", "clock", "room"):
            self.assertIn(name, lines)
            self.assertNotEqual(lines[name]["status"], "FAILS", lines[name])
        self.breaks()
        last = json.loads(self.checked(1))[-1]
        self.assertEqual((last["check"], last["status"]), ("a container starts", "FAILS"))
        self.assertIn(WORDS, last["found"])
        self.assertEqual([name for name in os.listdir(self.up.data) if name.startswith(".berth-check")], [])

    def test_a_machine_without_user_namespaces_is_told_so(self):
        path = "/proc/sys/user/max_user_namespaces"
        with open(path, encoding="utf-8") as file:
            before = file.read()
        if os.environ.get("BERTH_ALONE") != "1":
            self.skipTest("it changes the machine for others (BERTH_ALONE=1)")
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write("0")
            lines = {line["check"]: line for line in json.loads(self.checked(1))}
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(before)
        for name in ("user namespaces", "id maps", "a container starts"):
            self.assertIn("user.max_user_namespaces is 0", lines[name]["found"])

    def checked(self, exit_code):
        words = [*self.up.below, rig.program("berth"), "agent", "check", "--data", self.up.data, "-o", "json"]
        ran = subprocess.run(words, capture_output=True, text=True, timeout=rig.PATIENCE * 2, check=False)
        self.assertEqual(ran.returncode, exit_code, ran.stdout + ran.stderr)
        return ran.stdout

    def ready(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.up.port, timeout=rig.PATIENCE)
        connection.request("GET", "/readyz?verbose=1")
        reply = connection.getresponse()
        body = reply.read().decode()
        connection.close()
        return reply.status, body

    def left_of_trials(self):
        trial = "00000000-0000-0000-0000-000000000000"
        deadline = time.monotonic() + rig.PATIENCE
        while time.monotonic() < deadline:
            left = [name for folder, folders, files in os.walk(self.up.data) for name in folders + files if name.startswith(trial)]
            left = [name for name in left if ".log." not in name]
            if not left:
                return left
            time.sleep(0.05)
        return left


if __name__ == "__main__":
    if not rig.has_containers():
        sys.exit("containers need root and build/images: ops/images/build python:3.11")
    unittest_report.run(Fitness)
