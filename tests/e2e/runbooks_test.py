"""Runbooks played with real processes, where no other test does: what one sees, the one command, and that it helps."""

import json
import os
import shutil
import signal
import ssl
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

WITH_A_BUG = os.path.join(os.path.dirname(rig.BIN), "tests", "berth_with_a_bug")
JUMPED_CLOCK = os.path.join(os.path.dirname(rig.BIN), "tests", "libjumped_clock.so")
SMALL = ("--cpu", "0.1", "--mem", "64m")
# A certificate of its own whose time is written out, which `openssl req` cannot.
AUTHORITY = """[ca]
default_ca = own
[own]
database = index
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[names]
subjectAltName = IP:127.0.0.1
[req]
distinguished_name = any
"""


class Runbooks(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="berth-runbooks-")
        self.addCleanup(shutil.rmtree, self.scratch, ignore_errors=True)

    def berth(self, **how):
        self.up = rig.Berth(**how)
        self.addCleanup(self.up.remove)
        return self.up

    def openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.scratch, check=True, capture_output=True)

    def certificate(self, begins, ends):
        """crt.pem and key.pem of this time; "20010101000000Z"."""
        for name, text in {"own.cnf": AUTHORITY, "index": "", "serial": "01\n"}.items():
            with open(f"{self.scratch}/{name}", "w", encoding="ascii") as file:
                file.write(text)
        self.openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=berth", "-config", "own.cnf", "-keyout", "key.pem", "-out", "csr.pem")
        os.chmod(self.scratch + "/key.pem", 0o600)
        self.openssl("ca", "-batch", "-selfsign", "-config", "own.cnf", "-keyfile", "key.pem", "-in", "csr.pem", "-out", "crt.pem",
                     "-startdate", begins, "-enddate", ends, "-notext")

    def readiness(self):
        blind = ssl.create_default_context()
        blind.check_hostname, blind.verify_mode = False, ssl.CERT_NONE
        try:
            with urllib.request.urlopen(f"https://127.0.0.1:{self.up.port}/readyz?verbose=1", context=blind, timeout=rig.PATIENCE) as reply:
                return reply.read().decode()
        except urllib.error.HTTPError as red:
            with red:
                return f"{red.code} " + red.read().decode()

    def test_a_certificate_that_expired_is_said_and_a_restart_with_a_new_one_helps(self):
        self.certificate("20010101000000Z", "20020101000000Z")
        up = self.berth(more=["--tls", "--tls-cert", self.scratch + "/crt.pem", "--tls-key", self.scratch + "/key.pem"])
        up.launch()
        rig.eventually("it is up", lambda: " is up\n" in up.process.words() or up.ended())
        self.assertIn("expired", up.process.words())
        self.assertRegex(self.readiness(), r"503 (.|\n)*expired")
        with self.assertRaisesRegex(ssl.SSLError, "expired"):
            trusting = ssl.create_default_context(cafile=self.scratch + "/crt.pem")
            try:
                urllib.request.urlopen(f"https://127.0.0.1:{up.port}/readyz", context=trusting, timeout=rig.PATIENCE)
            except urllib.error.URLError as error:
                raise error.reason
        up.process.stop()
        self.certificate("20200101000000Z", "20990101000000Z")
        up.start()
        self.assertNotIn("expired", self.readiness())
        trusting = ssl.create_default_context(cafile=self.scratch + "/crt.pem")
        with urllib.request.urlopen(f"https://127.0.0.1:{up.port}/readyz", context=trusting, timeout=rig.PATIENCE) as reply:
            self.assertEqual(reply.status, 200)

    def machine_whose_clock_can_jump(self):
        """What is started from here on runs on it; a function that puts its wall clock so many seconds ahead of the real one."""
        path = self.scratch + "/clock"

        def set_ahead(seconds):
            with open(os.open(path, os.O_RDWR | os.O_CREAT), "wb") as file:
                file.write(struct.pack("<q", seconds))
        set_ahead(0)
        machine = unittest.mock.patch.dict(os.environ, LD_PRELOAD=JUMPED_CLOCK, JUMPED_CLOCK=path)
        machine.start()
        self.addCleanup(machine.stop)
        return set_ahead

    def jumped(self):
        return self.up.cli.json("cluster", "show")["clock_jumped"]

    def test_a_clock_that_jumped_ends_nothing_until_it_is_confirmed(self):
        set_ahead = self.machine_whose_clock_can_jump()
        cli = self.berth().start().cli
        cli.ok("session", "run", *SMALL, "--type", "batch", "--name", "long", "--batch-timeout", "30m", "-d", "-q", "--", "sleep", "1000")
        cli.wait("long")
        self.assertFalse(self.jumped())
        set_ahead(3600)
        rig.eventually("it is said", self.jumped)
        cli.ok("session", "run", *SMALL, "--name", "meanwhile", "--wait", "-q", "--", "true")  # the leader goes on
        self.assertEqual(cli.session("long")["status"], "RUNNING", "a time-out of half an hour, an hour later")
        self.assertEqual([agent["state"] for agent in cli.json("agent", "ls")], ["ALIVE"])
        set_ahead(0)
        rig.eventually("it is believed again by itself", lambda: not self.jumped())
        self.assertEqual(cli.session("long")["status"], "RUNNING")
        set_ahead(3600)
        rig.eventually("it is said again", self.jumped)
        cli.ok("cluster", "confirm-clock")
        rig.eventually("the time-out fires", lambda: cli.session("long")["status"] == "TERMINATED")
        self.assertEqual(cli.session("long")["reason"]["code"], "batch-timeout")
        self.assertFalse(self.jumped())
        self.up.verify()

    def not_ready(self):
        """What /readyz says of the clock; empty: nothing."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.up.port}/readyz?verbose=1", timeout=rig.PATIENCE) as reply:
                text = reply.read().decode()
        except urllib.error.HTTPError as error:
            text = error.read().decode()
        return "".join(line for line in text.splitlines(keepends=True) if "clock" in line)

    def test_a_clock_that_was_ahead_and_is_set_right_stops_nothing(self):
        set_ahead = self.machine_whose_clock_can_jump()
        set_ahead(7200)
        cli = self.berth().start().cli
        cli.ok("session", "run", *SMALL, "--name", "before", "-q", "--", "true")
        set_ahead(0)  # a time service
        rig.eventually("it is said", self.not_ready)
        self.assertIn("confirm-clock", self.not_ready())
        self.assertIn("three quarters", self.not_ready())
        cli.ok("session", "run", *SMALL, "--name", "after", "--wait", "-q", "--", "true")
        cli.ok("session", "run", *SMALL, "--type", "batch", "--name", "short", "--batch-timeout", "3s", "-d", "-q", "--", "sleep", "1000")
        rig.eventually("time limits go on", lambda: cli.session("short")["status"] == "TERMINATED")
        self.assertEqual(cli.session("short")["reason"]["code"], "batch-timeout")
        self.up.process.stop()
        self.up.start()
        cli.ok("session", "run", *SMALL, "--name", "restarted", "--wait", "-q", "--", "true")
        self.assertIn("confirm-clock", self.not_ready())
        cli.ok("cluster", "confirm-clock")
        rig.eventually("it is known", lambda: "confirm-clock" not in self.not_ready())
        cli.ok("session", "run", *SMALL, "--name", "confirmed", "--wait", "-q", "--", "true")
        self.up.verify()

    def install(self, root):
        """The programs as ops/install lays them into a root of its own; those that are started from here on are these."""
        subprocess.run([os.path.join(rig.ROOT, "ops", "install"), "--build", os.path.dirname(rig.BIN)], check=True, capture_output=True,
                       env={**os.environ, "DESTDIR": root})
        build = unittest.mock.patch.object(rig, "BIN", root + "/usr/bin")
        self.addCleanup(build.stop)
        return build

    def test_an_upgrade_in_its_order_ends_no_kernel_and_the_way_back_is_the_backup(self):
        old, new = self.install(self.scratch + "/old"), self.install(self.scratch + "/new")
        old.start()
        up = self.berth(keep=True).start()
        up.cli.ok("session", "run", *SMALL, "--name", "stays", "-d", "-q", "--", "sleep", "1000")
        up.cli.wait("stays")
        kernel = up.cli.pid("stays")
        with open(os.open(self.scratch + "/passphrase", os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write("before the upgrade\n")
        secret = ("--passphrase-file", self.scratch + "/passphrase")
        up.cli.ok("backup", self.scratch + "/before", "--with-secrets", *secret)
        up.process.stop()
        self.assertTrue(rig.alive(kernel))
        new.start()
        shutil.rmtree(self.scratch + "/old")  # what an installation replaces; the kernel's shim is of it
        up.start()
        self.assertEqual((up.cli.session("stays")["status"], up.cli.pid("stays")), ("RUNNING", kernel))
        up.cli.ok("session", "run", *SMALL, "--name", "later", "--wait", "-q", "--", "true")
        up.cli.ok("session", "end", "stays", "--wait")
        up.verify()
        up.process.stop()

        back = rig.Berth(data=self.scratch + "/back")
        self.addCleanup(back.remove)
        back.cli.ok("restore", self.scratch + "/before", *secret)
        os.makedirs(back.data + "/keys", mode=0o700, exist_ok=True)
        shutil.copy2(up.data + "/keys/admin.json", back.data + "/keys/admin.json")
        back.start()
        self.assertEqual(set(back.cli.names()), {"stays"}, "what came after the backup is not there")

    def test_a_request_that_meets_a_bug_is_in_quarantine_alone_and_is_tried_again_after_an_upgrade(self):
        with_a_bug = self.install(self.scratch + "/with-a-bug")
        shutil.copy2(WITH_A_BUG, self.scratch + "/with-a-bug/usr/bin/berth")
        with_a_bug.start()
        up = self.berth().start()
        cli = up.cli
        refused = cli("session", "run", *SMALL, "--name", "poison", "-q")
        self.assertEqual((refused.returncode, "internal-error" in refused.stderr), (1, True), refused.stderr)
        self.assertEqual(cli.json("cluster", "show")["quarantined"], 1)
        [row] = cli.json("cluster", "quarantine")
        self.assertRegex(row["subject"], r"requests/\d+@\d+")
        said = cli.ok("event", "tail", "--type", "InternalErrorRecorded", "--no-follow", "-o", "jsonl").splitlines()
        at = json.loads(said[-1])["id"].partition("-")[0]
        self.assertIn(f'"offset":{at}', cli.ok("journal", "export", "--from", at, "--to", str(int(at) + 1)).replace(" ", ""))
        cli.ok("session", "run", *SMALL, "--name", "another", "--wait", "-q", "--", "true")  # it cost that request alone
        up.process.stop()
        with_a_bug.stop()
        up.start()
        self.assertEqual(cli.json("cluster", "show")["quarantined"], 1, "until somebody says so")
        cli.ok("cluster", "release", row["subject"])
        self.assertEqual(cli.json("cluster", "quarantine"), [])
        cli.ok("session", "run", *SMALL, "--name", "poison", "--wait", "-q", "--", "true")
        up.verify()

    def test_a_session_that_does_not_end_is_ended_by_force_and_its_slots_stay_until_it_is_gone(self):
        up = self.berth().start()
        cli = up.cli
        cli.ok("session", "run", *SMALL, "--name", "stuck", "-d", "-q", "--", "sleep", "1000")
        cli.wait("stuck")
        shim = next(pid for pid in rig.kernel_processes(up.data) if rig.parent(pid) != up.process.child.pid)
        os.kill(shim, signal.SIGSTOP)  # whoever would confirm the end is silent, as a machine that hangs
        self.addCleanup(self.go_on, shim)
        cli.ok("session", "end", "stuck")
        self.assertEqual(cli.session("stuck")["status"], "TERMINATING")
        cli.ok("session", "end", "stuck", "--force")
        rig.eventually("its user sees it ended", lambda: cli.session("stuck")["status"] in ("TERMINATED", "ERROR"))
        self.assertEqual(self.containers(), 1, "its slots stay taken")
        os.kill(shim, signal.SIGCONT)
        rig.eventually("the agent confirms, and its slots are free", lambda: self.containers() == 0)

    def containers(self):
        [agent] = self.up.cli.json("agent", "ls")
        return agent["containers"]

    @staticmethod
    def go_on(pid):
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def test_a_journal_that_lost_its_end_is_refused_and_goes_on_once_that_is_accepted(self):
        up = self.berth(keep=True).start()
        up.cli.ok("session", "run", *SMALL, "--name", "before", "--wait", "-q", "--", "true")
        up.process.stop()
        shutil.copytree(up.data + "/log", self.scratch + "/log")
        up.start()
        up.cli.ok("session", "run", *SMALL, "--name", "lost", "--wait", "-q", "--", "true")
        up.process.stop()
        shutil.rmtree(up.data + "/log")
        shutil.copytree(self.scratch + "/log", up.data + "/log")
        up.launch()
        rig.eventually("it ends by itself", lambda: not up.process.runs())
        self.assertIn("truncat", up.process.words())
        up.more.append("--accept-truncation")
        up.start()
        self.assertEqual(set(up.cli.names()), {"before"})
        up.cli.ok("session", "run", *SMALL, "--name", "after", "--wait", "-q", "--", "true")
        up.verify()


if __name__ == "__main__":
    if not rig.built("berth", "berth-controller", "berth-agent") or not all(map(os.path.exists, (JUMPED_CLOCK, WITH_A_BUG))):
        sys.exit("not built: berth berth-controller berth-agent jumped_clock berth_with_a_bug")
    unittest_report.run(Runbooks)
