"""Who keeps a cluster: a backup is restored elsewhere (the drill; with the argument kafka from the embedded log to a broker), and what a
service manager hears and does."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

PASSWORD = "a long old password"
PASSPHRASE = "a passphrase of the drill"


def private_file(path, text):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    return path


class DrillOnce(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="berth-drill-")
        self.addCleanup(shutil.rmtree, self.scratch, ignore_errors=True)
        self.passphrase = private_file(self.scratch + "/passphrase", PASSPHRASE + "\n")
        self.old = rig.Berth()
        self.addCleanup(self.old.remove)
        self.old.start()

    def login(self, up, config):
        """The exit code of a login as alice with the old password."""
        done = subprocess.run([rig.program("berth"), "login", f"http://127.0.0.1:{up.port}", "--user", "alice", "--password-stdin"],
                              input=PASSWORD + "\n", text=True, capture_output=True, check=False, env={**rig.environment(up.data), "XDG_CONFIG_HOME": config})
        return done.returncode, done.stdout + done.stderr

    def fill(self):
        """A user with a password, sessions that ended and one that runs, a login link that is open."""
        cli = self.old.cli
        cli.ok("user", "add", "alice", "--project", "default", "--no-link")
        link = cli.json("login-link", "alice")["url"]
        done = subprocess.run([rig.program("berth"), "login", link, "--password-stdin"], input=PASSWORD + "\n", text=True,
                              capture_output=True, check=False,
                              env={**rig.environment(self.old.data), "XDG_CONFIG_HOME": self.scratch + "/first"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        cli.json("login-link", "admin")
        cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "done", "-e", "TOKEN=hunter2", "--wait", "-q", "--", "true")
        cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "runs", "-d", "-q", "--", "sleep", "1000")
        cli.wait("runs")

    @staticmethod
    def request_twice(up):
        """The id of the session of one request, which is sent again to whichever cluster: same Idempotency-Key, same body."""
        body = json.dumps({"name": "twice", "type": "batch", "command": ["true"], "resources": {"cpu": "0.1", "mem": "64m"}})
        status, answer = rig.asked(up, "POST", "/v1/sessions", body, idempotency="asked-twice")
        assert status in (200, 201, 202), (status, answer)
        return json.loads(answer)["sessions"][0]["id"]

    def backup(self, *words):
        return self.old.cli.json("backup", self.scratch + "/backup", "--with-secrets", "--passphrase-file", self.passphrase, *words)

    def restore(self, data, *words):
        done = subprocess.run([rig.program("berth"), "--data", data, "restore", self.scratch + "/backup", "--passphrase-file",
                               self.passphrase, "-o", "json", *words], capture_output=True, text=True, check=False,
                              env=rig.environment(data))
        return done.returncode, done.stdout, done.stderr

    def drill(self, log=""):
        self.fill()
        taken = self.backup()
        self.old.cli.ok("user", "add", "too-late", "--no-link")
        told_id = self.request_twice(self.old)
        new = rig.Berth(log=log, data=self.scratch + "/new")
        self.addCleanup(new.remove)
        code, _, said = self.restore(new.data, *(["--log", log, "--allow-one-replica"] if log else []))
        self.assertEqual((code, "original-answers" in said), (5, True), said)
        self.assertFalse(os.path.exists(new.data + "/cluster.json"))

        self.old.process.stop()
        code, out, said = self.restore(new.data, *(["--log", log, "--allow-one-replica"] if log else []))
        self.assertEqual(code, 0, said)
        told = json.loads(out)
        self.assertEqual(told["backup_state_hash"], taken["state_hash"])
        self.assertGreaterEqual(told["login_links_ended"], 1)
        self.assertEqual({user["name"] for user in told["users"]}, {"admin", "alice"}, "who came after the backup is not there")
        self.assertGreater(told["epoch"], 1000)

        os.makedirs(new.data + "/keys", mode=0o700, exist_ok=True)
        shutil.copy2(self.old.data + "/keys/admin.json", new.data + "/keys/admin.json")  # which is good again
        new.start()
        at_end = new.cli.ok("event", "tail", "--no-follow", "-o", "jsonl")
        self.assertIn("ClusterRestored", at_end)
        verified = new.verify()
        self.assertGreater(verified["records"], taken["records"])
        code, said = self.login(new, self.scratch + "/second")
        self.assertEqual(code, 0, f"alice signs in with the old password: {said}")
        self.assertIn("done", new.cli.names())
        self.assertEqual(new.cli.session("done")["env"], {"TOKEN": "hunter2"}, "sealed secrets open")
        new.cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "after", "--wait", "-q", "--", "true")
        self.assertGreater(new.cli.session("after")["attempt"], 1_000_000, "no attempt of the lost part comes again (P35)")
        self.assertEqual(self.request_twice(new), told_id, "a request that is decided again has the session that was told (P13)")
        # What ran on the old agent runs nowhere: the new one joined without it.
        rig.eventually("the old kernel is known to be gone", lambda: new.cli.session("runs")["status"] not in ("RUNNING", "PENDING"))
        return new

    def expect_it_is_read_without_its_server(self, cli, log, name):
        """The log is browsed, its placement of this session comes out again, and an audit walks it."""
        shown = cli.ok("log", "shell", log, "-c", "ls sessions", "-c", f"cat sessions/{name}", "-c", "cd @0", "-c", "ls sessions")
        self.assertIn(f"{name}\n", shown)
        self.assertIn(f'"name": "{name}"', shown)
        listed = cli.ok("log", "shell", log, "-c", "ls events")
        self.assertRegex(listed, r"\d+-\d+  ")
        [at] = [json.loads(line)["id"] for line in cli.ok("event", "tail", "--no-follow", "--session", name, "--type", "SessionScheduled",
                                                           "-o", "jsonl").splitlines()]
        self.assertIn("Equal to the record", cli.ok("replay", "--decision", at, "--log", log))
        self.assertTrue(cli.json("audit", "verify", "--log", log)["good"])


class Drill(DrillOnce):
    def test_a_backup_is_restored_elsewhere_and_the_old_password_signs_in(self):
        self.drill()

    def test_a_backup_is_read_as_it_lies_in_a_folder_and_as_a_stream_in_a_file(self):
        self.fill()
        self.backup()
        stream = self.scratch + "/backup.tar"
        os.mkdir(self.scratch + "/aside")
        aside = unittest.mock.patch.dict(os.environ, TMPDIR=self.scratch + "/aside")
        aside.start()
        self.addCleanup(aside.stop)
        with open(stream, "wb") as file:
            subprocess.run([rig.program("berth"), "--data", self.old.data, "backup", "-"], stdout=file, stderr=subprocess.PIPE, check=True,
                           env=rig.environment(self.old.data))
        for log in (self.scratch + "/backup", stream):
            self.expect_it_is_read_without_its_server(self.old.cli, log, "done")
        with open(stream, "r+b") as file:
            file.truncate(os.path.getsize(stream) // 2)
        for words in (("log", "shell", stream, "-c", "ls"), ("audit", "verify", "--log", stream)):
            refused = self.old.cli(*words)
            self.assertNotEqual(refused.returncode, 0, words)
            self.assertIn("backup-incomplete", refused.stderr)
        refused = self.old.cli("log", "shell", "-", "-c", "ls")
        self.assertEqual((refused.returncode, "tar xf" in refused.stderr), (3, True), refused.stderr)
        self.assertEqual(os.listdir(self.scratch + "/aside"), [], "what was unpacked is taken away")

    def test_a_backup_whose_sealing_key_was_destroyed_is_restored_where_that_is_meant(self):
        self.fill()
        self.old.cli.ok("backup", self.scratch + "/backup")
        first_file = private_file(self.scratch + "/first.json", open(self.old.data + "/cluster.json", encoding="utf-8").read())
        self.assertEqual(self.old.cli.json("cluster", "history")["backup"], json.load(open(self.scratch + "/backup/manifest.json"))["id"])
        rotated = self.old.cli("key", "rotate", "seal", "--destroy-old")
        self.assertEqual(rotated.returncode, 0, rotated.stderr)
        self.assertRegex(rotated.stderr, "the newest backup, [0-9a-f]{8} of .* opens with the cluster.json of its time alone")
        rig.eventually("the old key is gone from the file",
                       lambda: '"number":1' not in open(self.old.data + "/cluster.json", encoding="utf-8").read())
        self.old.cli.ok("backup", self.scratch + "/later")
        self.old.process.stop()
        new = rig.Berth(data=self.scratch + "/new")
        self.addCleanup(new.remove)
        # An older file opens the boxes of all later keys in the log, one after the other.
        done = subprocess.run([rig.program("berth"), "--data", self.scratch + "/chained", "restore", self.scratch + "/later", "--cluster-file",
                               first_file], capture_output=True, text=True, check=False, env=rig.environment(self.scratch + "/chained"))
        self.assertEqual(done.returncode, 0, done.stderr)
        file = ("--cluster-file", self.old.data + "/cluster.json")
        code, _, said = self.restore(new.data, *file)
        self.assertEqual((code, "sealing-keys-wrong" in said), (5, True), said)
        self.assertRegex(said, r"2 key pairs \(.*1 password \(alice\).* were sealed with key 1")
        self.assertFalse(os.path.exists(new.data + "/cluster.json"))
        code, _, said = self.restore(new.data, *file, "--lose-secrets")
        self.assertEqual(code, 0, said)
        new.launch()
        rig.eventually("it starts, and says what is dead", lambda: " is up\n" in new.process.words() or new.ended())
        self.assertIn("is dead: no sealing key of cluster.json opens its secret", new.process.words())
        link = new.cli.json("login-link", "admin")["url"]  # by the host's key
        done = subprocess.run([rig.program("berth"), "login", link, "--password-stdin"], input=PASSWORD + "\n", text=True,
                              capture_output=True, check=False, env={**rig.environment(new.data), "XDG_CONFIG_HOME": self.scratch + "/again"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_stream_to_a_full_disk_is_told_and_nothing_is_lost(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([rig.program("berth"), "--data", self.old.data, "backup", "-"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False, env=rig.environment(self.old.data))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("disk-full", done.stderr)
        self.old.verify()

    @unittest.skipUnless(rig.IS_ROOT, "mounts a small disk")
    def test_a_folder_on_a_full_disk_is_told_and_taken_away(self):
        small = self.scratch + "/small"
        os.mkdir(small)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", small], check=True)
        self.addCleanup(subprocess.run, ["umount", small], check=False)
        done = self.old.cli("backup", small + "/b")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("disk-full", done.stderr)
        self.assertEqual(os.listdir(small), [])


class DrillOnKafka(DrillOnce):
    def kafka(self, action, *words):
        done = subprocess.run([os.path.join(rig.ROOT, "ops", "kafka", action), "--data", self.broker, *words], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.strip()

    def test_a_backup_is_restored_elsewhere_and_the_old_password_signs_in(self):
        self.broker = tempfile.mkdtemp(prefix="berth-e2e-kafka-")
        self.addCleanup(shutil.rmtree, self.broker, ignore_errors=True)
        self.addCleanup(self.kafka, "stop", "--kill")
        broker = self.kafka("start", "--port", str(rig.free_port()))
        new = self.drill(broker + "/restored")
        self.expect_it_is_read_without_its_server(new.cli, broker + "/restored", "after")
        refused = new.cli("log", "shell", broker + "/other", "-c", "ls")
        self.assertNotEqual(refused.returncode, 0, "and none is made by looking")
        self.assertIn("berth: ", refused.stderr)


class Service(unittest.TestCase):
    """`berth up` as ops/systemd runs it: Type=notify, a watchdog, KillMode=process."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="berth-notify-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.socket.close)
        self.socket.bind(self.folder + "/notify")
        self.socket.settimeout(rig.PATIENCE)
        self.up = rig.Berth(keep=True, below=["env", "NOTIFY_SOCKET=" + self.folder + "/notify", "WATCHDOG_USEC=2000000"])
        self.addCleanup(self.up.remove)
        self.up.start()

    def heard(self, state):
        deadline = time.monotonic() + rig.PATIENCE
        while time.monotonic() < deadline:
            if self.socket.recv(4096).decode().split("\n")[0] == state:
                return True
        return False

    def test_it_says_that_it_is_ready_alive_and_stopping_and_kernels_outlive_its_restart(self):
        self.assertTrue(self.heard("READY=1"))
        self.assertTrue(self.heard("WATCHDOG=1"))
        self.up.cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "stays", "-d", "-q", "--", "sleep", "1000")
        self.up.cli.wait("stays")
        pid = self.up.cli.pid("stays")
        with open(f"/proc/{pid}/environ", "rb") as file:
            self.assertNotIn(b"NOTIFY_SOCKET", file.read(), "a kernel could speak for the service")
        self.up.process.send(signal.SIGTERM)  # as KillMode=process does: of the main process alone
        self.assertTrue(self.heard("STOPPING=1"))
        self.assertTrue(rig.alive(pid))
        self.up.start()
        self.assertTrue(self.heard("READY=1"))
        self.assertEqual(self.up.cli.session("stays")["status"], "RUNNING")
        self.assertEqual(self.up.cli.pid("stays"), pid)
        self.up.cli.ok("session", "end", "stays", "--wait")

    def test_a_service_that_hangs_feeds_no_watchdog(self):
        self.assertTrue(self.heard("WATCHDOG=1"))
        self.up.process.child.send_signal(signal.SIGSTOP)
        self.addCleanup(self.up.process.child.send_signal, signal.SIGCONT)
        self.socket.settimeout(3)
        with self.assertRaises(TimeoutError):
            for _ in range(100):  # what was sent before is read first
                self.socket.recv(4096)


class Rotation(unittest.TestCase):
    """The cluster's keys change while it runs."""

    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="berth-rotation-")
        self.addCleanup(shutil.rmtree, self.scratch, ignore_errors=True)

    def file(self):
        with open(self.up.data + "/cluster.json", encoding="utf-8") as file:
            return json.load(file)

    def keys_in_file(self):
        return {one["number"]: one["key"] for one in self.file()["sealing_keys"]}

    def test_what_lives_is_sealed_anew_and_the_old_key_is_erased_without_a_restart(self):
        self.up = rig.Berth(keep=True)
        self.addCleanup(self.up.remove)
        self.up.start()
        cli = self.up.cli
        cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "holder", "-e", "TOKEN=hunter2", "-d", "-q", "--", "sleep", "1000")
        cli.wait("holder")
        cli.ok("user", "add", "alice", "--project", "default", "--no-link")
        link = cli.json("login-link", "alice")["url"]
        old = self.keys_in_file()
        told = cli.json("key", "rotate", "seal", "--destroy-old")
        self.assertEqual((told["sealing"], told["newest"], told["to_reseal"], told["live"]), (2, 2, 0, [2]), told)
        rig.eventually("the old key is gone from the file", lambda: set(self.keys_in_file()) == {2})
        self.assertNotIn(old[1], open(self.up.data + "/cluster.json", encoding="utf-8").read())
        self.assertEqual(cli.session("holder")["env"], {"TOKEN": "hunter2"})
        # A link of before is opened, and the password set by it signs in; the admin's key pair, sealed anew, has signed all along.
        alice = {**rig.environment(self.up.data), "XDG_CONFIG_HOME": self.scratch + "/alice"}
        done = subprocess.run([rig.program("berth"), "login", link, "--password-stdin"], input=PASSWORD + "\n", text=True,
                              capture_output=True, check=False, env=alice)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # An environment that the new key sealed reaches its kernel.
        cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "later", "-e", "TOKEN=hunter3", "--wait", "-q", "--",
               "sh", "-c", "test $TOKEN = hunter3")
        self.assertEqual(cli.session("later")["kernels"][0]["exit_code"], 0)
        self.up.process.stop()
        self.up.start()  # with the new key alone
        self.assertEqual(cli.session("holder")["env"], {"TOKEN": "hunter2"})
        done = subprocess.run([rig.program("berth"), "login", f"http://127.0.0.1:{self.up.port}", "--user", "alice", "--password-stdin"],
                              input=PASSWORD + "\n", text=True, capture_output=True, check=False, env=alice)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.up.verify()
        cli.ok("session", "end", "holder", "--wait")

    def test_writers_get_keys_of_a_new_secret_and_the_old_ones_are_good_until_all_have(self):
        self.up = rig.Berth(keep=True)
        self.addCleanup(self.up.remove)
        self.up.start()
        cli = self.up.cli
        [agent] = [row["name"] for row in cli.json("agent", "ls")]
        shown = cli.json("key", "rotate", "writers")
        self.assertEqual([one["writer"] for one in shown], ["agent:" + agent])
        self.assertEqual(len(self.file()["writers"]), 2)
        refused = cli("key", "rotate", "writers", "--finish")
        self.assertEqual((refused.returncode, "writers-missing" in refused.stderr), (5, True), refused.stderr)
        run = ("session", "run", "--cpu", "0.1", "--mem", "64m", "--wait", "-q", "--", "true")
        cli.ok(*run)  # the old key is good still
        self.up.process.stop()
        self.up.start()  # its own agent joins anew, with a key of the new secret
        self.assertEqual(cli.json("key", "rotate", "writers", "--status"), [])
        cli.ok("key", "rotate", "writers", "--finish")
        self.assertEqual(len(self.file()["writers"]), 1)
        cli.ok(*run)
        self.up.verify()

    @unittest.skipUnless(shutil.which("groff"), "there is no groff")
    def test_every_man_page_renders_without_a_warning(self):
        folder = tempfile.mkdtemp(prefix="berth-man-")
        self.addCleanup(shutil.rmtree, folder)
        subprocess.run([rig.program("berth"), "man", "--to", folder], check=True)
        pages = sorted(os.listdir(folder))
        self.assertGreater(len(pages), 20)
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", *[os.path.join(folder, page) for page in pages]],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_history_keeps_what_its_rule_says(self):
        self.up = rig.Berth()
        self.addCleanup(self.up.remove)
        self.up.start()
        cli = self.up.cli
        self.assertIsNone(cli.json("cluster", "history")["keep_days"])
        self.assertEqual(cli.json("cluster", "history", "--keep", "365d")["keep_days"], 365)
        for words, code in ((["--keep", "1d"], "history-keep-out-of-range"), (["--keep", "a year"], "usage"),
                            (["--prune-before", "2100-01-01T00:00:00Z"], "history-too-recent")):
            refused = cli("cluster", "history", *words)
            self.assertEqual((refused.returncode != 0, code in refused.stderr or refused.returncode == 2), (True, True), refused.stderr)
        # The rule itself has pruned what was older than a year.
        before = time.strftime("%Y-%m-%dT00:00:00Z", time.gmtime(time.time() - 100 * 86_400))
        told = cli.json("cluster", "history", "--keep", "forever", "--prune-before", before)
        self.assertEqual((told["keep_days"], told["pruned_before"]), (None, before))


if __name__ == "__main__":
    which = {"kafka": DrillOnKafka, "service": Service, "rotation": Rotation}.get("".join(sys.argv[1:]), Drill)
    del sys.argv[1:]
    unittest_report.run(which)
