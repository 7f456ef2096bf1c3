"""Bad input over the real HTTP API and CLI: each a clear error with a stable code, nothing started, nothing lost."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

GOOD = {"name": "x", "resources": {"cpu": "1", "mem": "128m"}}


class Input(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth()
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()

    def ask(self, method, target, body="", **signing):
        """(status, problem code) of a signed request."""
        status, told = rig.asked(self.up, method, target, body, **signing)
        told = json.loads(told or b"{}")
        if status >= 400:
            self.assertTrue(told["detail"] and told["request_id"], told)
        return status, told.get("code")

    def make(self, **change):
        return self.ask("POST", "/v1/sessions", json.dumps({**GOOD, **change}))

    def test_a_good_request_shows_that_the_rest_fails_for_its_own_reason(self):
        self.assertEqual(self.make(name="good")[0], 201)

    def test_a_wrong_key_and_a_stale_date_are_refused(self):
        self.assertEqual(self.ask("GET", "/v1/sessions", secret="wrong"), (401, "bad-signature"))
        self.assertEqual(self.ask("GET", "/v1/sessions", access="BKnobody"), (401, "unknown-key"))
        self.assertEqual(self.ask("GET", "/v1/sessions", age=16 * 60), (401, "stale-date"))
        self.assertEqual(self.ask("GET", "/v1/sessions", age=14 * 60)[0], 200)

    def test_a_body_that_is_no_request_is_refused(self):
        self.assertEqual(self.ask("POST", "/v1/sessions", '{"name": '), (400, "malformed-json"))
        self.assertEqual(self.make(colour="red"), (400, "unknown-field"))

    def test_amounts_that_are_none_are_refused(self):
        for cpu in ("-1", "99999999999999999999999", "1e999", "x", ""):
            status, code = self.make(resources={"cpu": cpu, "mem": "128m"})
            self.assertEqual((status, code), (400, "invalid-amount"), cpu)

    def test_what_nobody_has_is_refused_by_its_name(self):
        self.assertEqual(self.make(image="no-such:1"), (400, "unknown-image"))
        self.assertEqual(self.make(resources={"cpu": "1", "mem": "128m", "warp.drive": "1"}), (400, "unknown-slot"))

    def test_a_name_of_10000_characters_is_refused(self):
        self.assertEqual(self.make(name="a" * 10000), (400, "invalid-name"))

    def test_the_cli_says_so_too_with_its_exit_codes(self):
        cli = self.up.cli
        for words, exit_code in ((["session", "run", "--cpu", "1", "--mem", "128m", "--name", "a" * 10000], 2),
                                 (["session", "run", "--cpu", "-1", "--mem", "128m"], 2),
                                 (["session", "run", "--image", "no-such:1", "--cpu", "1", "--mem", "128m"], 3),
                                 (["session", "show", "nobody"], 3), (["no-such-verb"], 2)):
            done = cli(*words)
            self.assertEqual(done.returncode, exit_code, done.stderr)
            self.assertTrue(done.stderr)
            self.assertLess(len(done.stderr), 3000)

    def test_a_reader_that_goes_away_is_no_fault_of_the_command(self):
        ends, out = os.pipe()
        os.close(ends)
        done = subprocess.run([os.path.join(rig.BIN, "berth"), "--help"], stdout=out, stderr=subprocess.PIPE, text=True, check=False)
        os.close(out)
        self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGPIPE, ""))
        full = subprocess.run([os.path.join(rig.BIN, "berth"), "--help"], stdout=open("/dev/full", "w"), stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(full.returncode, 1)
        self.assertIn("the output cannot be written", full.stderr)

    def test_what_nothing_uses_is_removed_and_its_name_is_never_given_again(self):
        cli = self.up.cli
        cli.ok("group", "set", "spare")
        cli.ok("preset", "set", "spare", "-r", "cpu=1")
        cli.ok("image", "add", "spare:1", "docker://registry.example/spare:1")
        for noun, name in (("group", "spare"), ("preset", "spare"), ("image", "spare:1")):
            self.assertEqual(cli.ok(noun, "rm", name), name + "\n")
            self.assertEqual(cli(noun, "rm", name).returncode, 3)
        self.assertIn("name-retired", cli("group", "set", "spare").stderr)
        for noun, name, named in (("group", "default", "agent a1"), ("agent", "a1", "alive")):
            done = cli(noun, "rm", name)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn(named, done.stderr)

    def test_a_dependency_that_succeeded_is_met_and_one_that_failed_is_refused(self):
        cli = self.up.cli
        batch = ("session", "run", "--type", "batch", "--cpu", "0.1", "--mem", "128m", "--name")
        self.assertEqual(cli(*batch, "works", "--", "true").returncode, 0)
        self.assertEqual(cli(*batch, "fails", "--", "false").returncode, 1)
        done = cli(*batch, "behind", "--depends-on", "works", "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"depends on works \([-0-9a-f]{36}\), TERMINATED SUCCESS, ended \w+ ago")
        done = cli(*batch, "never", "--depends-on", "fails", "--", "true")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("session fails has ended and did not succeed", done.stderr)

    def test_nothing_of_it_reached_the_state(self):
        self.assertLessEqual(set(self.up.cli.names()), {"good", "works", "fails", "behind"})
        self.up.verify()


class Tail(unittest.TestCase):
    def test_a_corrupt_tail_of_the_embedded_log_is_said_and_what_is_before_it_is_kept(self):
        up = rig.Berth()
        self.addCleanup(up.remove)
        up.start()
        up.demo(2)
        for name in ("demo-1", "demo-2"):
            up.cli.wait(name)
        pids = [up.cli.pid(name) for name in ("demo-1", "demo-2")]
        up.process.kill()
        rows = up.data + "/log/rows"
        newest = max((name for name in os.listdir(rows) if name.endswith(".log")), key=lambda name: int(name[:-4]))
        with open(f"{rows}/{newest}", "ab") as file:
            file.write(b"\xa5" * 100)  # what a torn write leaves
        up.start()
        self.assertEqual([up.cli.pid(name) for name in ("demo-1", "demo-2")], pids)
        self.assertTrue(all(map(rig.alive, pids)))
        up.verify()


class FullDisk(unittest.TestCase):
    def disk(self):
        disk = tempfile.mkdtemp(prefix="berth-e2e-disk-")
        self.addCleanup(os.rmdir, disk)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        return disk

    def test_a_restart_on_a_disk_that_is_as_good_as_full_comes_up_and_adopts(self):
        up = rig.Berth(data=self.disk() + "/data", keep=True)
        os.mkdir(up.data, 0o700)
        self.addCleanup(up.remove)
        up.start()
        up.demo(1)
        up.cli.wait("demo")
        pid = up.cli.pid("demo")
        self.assertEqual(up.process.stop(), 0, up.process.words())
        ballast = os.path.dirname(up.data) + "/ballast"
        self.fill(ballast)
        refused = rig.Process([rig.program("berth"), "up", *up.options()], up.data, self.log())
        self.assertEqual(refused.child.wait(rig.PATIENCE), 1, "a leader has to be written into the log")
        self.assertIn("disk-full", refused.words())
        self.assertTrue(rig.alive(pid))
        os.truncate(ballast, os.path.getsize(ballast) - (512 << 10))
        process = up.process = rig.Process([rig.program("berth"), "up", *up.options()], up.data, self.log())
        rig.eventually("it is up", lambda: " is up\n" in process.words() or up.ended())
        self.assertTrue(rig.alive(pid))
        os.remove(ballast)
        self.assertEqual((up.cli.session("demo")["status"], up.cli.pid("demo")), ("RUNNING", pid))
        up.cli.ok("session", "rm", "demo", "--wait", "--timeout", f"{rig.PATIENCE}s", "-q")
        up.verify()

    def log(self):
        """On another disk than the one that is full."""
        folder = tempfile.mkdtemp(prefix="berth-e2e-log-")
        self.addCleanup(shutil.rmtree, folder)
        return folder + "/up.log"

    def test_a_full_disk_is_said_kernels_go_on_and_what_was_accepted_is_kept(self):
        disk = self.disk()
        up = rig.Berth(data=disk + "/data")
        os.mkdir(up.data, 0o700)
        self.addCleanup(up.remove)
        up.start()
        up.demo(1)
        up.cli.wait("demo")
        pid = up.cli.pid("demo")
        ballast = disk + "/ballast"
        self.fill(ballast)
        accepted, refused = [], None
        while refused is None:  # the log's own reserve takes some requests still
            name = f"more-{len(accepted)}"
            done = up.cli("session", "run", "--cpu", "0.1", "--mem", "128m", "--name", name, "--env", "FILL=" + "x" * 8000, "-q")
            if done.returncode in (0, 8):
                accepted.append(name)
            else:
                refused = done.stderr
            self.fill(ballast)
        self.assertRegex(refused, "disk|outcome-unknown", up.process.words())
        self.assertTrue(up.process.runs() and rig.alive(pid), up.process.words())
        self.assertEqual(up.cli.session("demo")["status"], "RUNNING")  # reading goes on
        os.remove(ballast)
        rig.eventually("requests are taken again", lambda: up.cli(
            "session", "run", "--cpu", "0.1", "--mem", "128m", "--name", "after", "-q").returncode in (0, 5, 8))
        self.assertLessEqual({"demo", "after", *accepted}, set(up.cli.names()))
        self.assertEqual((up.cli.pid("demo"), rig.alive(pid)), (pid, True))
        up.verify()

    def fill(self, path):
        """Writes to the file until nothing more fits."""
        with open(path, "ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while file.write(b"b" * size):
                        pass
                except OSError:
                    pass


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if "tail" in sys.argv[1:]:
        unittest_report.run(Tail)
    if "disk" in sys.argv[1:]:
        if not rig.IS_ROOT:
            sys.exit("a small disk of its own needs root")
        unittest_report.run(FullDisk)
    unittest_report.run(Input)
