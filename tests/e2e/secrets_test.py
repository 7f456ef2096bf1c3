"""Secrets stay secret (P29): what a user sends as environment, and the secret of a key pair, is in no stream, store, log, metric or error,
plain or as a hash."""

import base64
import hashlib
import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

SECRET = "hunter2-Zq8vW3nK5xR7tY9p"


def shapes(secret):
    """The secret as it is and as whoever leaked it might have written it."""
    plain = secret.encode()
    digests = [hashlib.sha256(plain), hashlib.blake2b(plain, digest_size=16), hashlib.blake2b(plain, digest_size=32), hashlib.md5(plain)]
    found = [plain, base64.b64encode(plain).rstrip(b"="), plain.hex().encode()]
    for digest in digests:
        found += [digest.digest(), digest.hexdigest().encode(), base64.b64encode(digest.digest()).rstrip(b"=")]
    return found


def files_below(folder, leave_out):
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if os.path.join(at, name) not in leave_out]
        for name in names:
            path = os.path.join(at, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


class Secrets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth()
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()

        with open(cls.up.data + "/keys/admin.json", encoding="ascii") as file:
            key = json.load(file)
        cls.access_key = key["access_key"].encode()
        cls.shapes = shapes(SECRET) + shapes(key["secret_key"])

    def leaks(self, data):
        return [shape for shape in self.shapes if shape in data]

    def test_an_environment_reaches_its_program_and_nobody_else(self):
        up = self.up
        # Its length alone is printed: the output is the user's own, and shown to whoever may see the session.
        up.cli.ok("session", "run", "--name", "holder", "--cpu", "0.1", "--mem", "128m", "-e", f"TOKEN={SECRET}", "-d", "-q", "--",
                  "sh", "-c", "echo got ${#TOKEN}; sleep 1000")
        up.cli.wait("holder")
        rig.eventually("the program has it", lambda: f"got {len(SECRET)}" in up.cli("session", "logs", "holder").stdout)
        self.assertEqual(up.cli.session("holder")["env"], {"TOKEN": SECRET}, "its owner sees it")
        listed = up.cli.ok("session", "ls", "-o", "json")
        self.assertFalse(self.leaks(listed.encode()), "a list holds it")

        # A refusal, and a request that is repeated, name nothing of it either.
        refused = up.cli("session", "run", "--name", "holder", "--cpu", "0.1", "--mem", "128m", "-e", f"TOKEN={SECRET}", "-d", "--", "true")
        self.assertNotEqual(refused.returncode, 0)
        self.assertFalse(self.leaks((refused.stdout + refused.stderr).encode()), "an error holds it")

        _, metrics = rig.asked(up, "GET", "/metrics")
        self.assertIn(b"berth_", metrics)
        self.assertFalse(self.leaks(metrics), "a metric holds it")
        exported = up.cli.ok("journal", "export")
        payloads = b"".join(base64.b64decode(json.loads(line)["payload"]) for line in exported.splitlines()[1:])
        self.assertIn(b"holder", payloads, "the journal was read")
        self.assertIn(self.access_key, payloads, "the journal knows the key pair")
        self.assertFalse(self.leaks(payloads), "the journal holds it")
        self.assertFalse(self.leaks(up.cli.ok("event", "tail", "--no-follow", "-o", "jsonl").encode()), "the events hold it")

        up.process.stop()  # all that was in memory is on disk now
        kernels = {os.path.join(up.data, "agent", name) for name in os.listdir(os.path.join(up.data, "agent"))}
        looked_at = 0
        # An agent hands its kernel's environment to the runtime by its own files; the key file is the person's.
        for path in files_below(up.data, kernels | {up.data + "/keys"}):
            with open(path, "rb") as file:
                self.assertFalse(self.leaks(file.read()), path)
            looked_at += 1
        self.assertGreater(looked_at, 5, "streams, store, keys and logs were looked at")

    def test_a_new_sealing_key_seals_and_what_the_older_one_sealed_is_still_shown(self):
        up = rig.Berth()
        self.addCleanup(up.remove)
        up.start()
        run = ("session", "run", "--cpu", "0.1", "--mem", "128m", "-e", f"TOKEN={SECRET}", "-d", "-q", "--name")
        up.cli.ok(*run, "before", "--", "sleep", "1000")
        with open(up.data + "/cluster.json", "rb") as file:
            one_key = file.read()
        refused = up.cli("cluster", "rotate-key")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("berth key rotate seal", refused.stderr)
        told = up.cli("key", "rotate", "seal", "-o", "name")
        self.assertEqual((told.returncode, told.stdout), (0, "2\n"), told.stderr)
        up.cli.ok(*run, "after", "--", "sleep", "1000")
        for name in ("before", "after"):
            self.assertEqual(up.cli.session(name)["env"], {"TOKEN": SECRET}, name)
        up.process.stop()
        with open(up.data + "/cluster.json", "wb") as file:  # as on a controller that did not get the copy
            file.write(one_key)
        up.start()
        for name in ("before", "after"):
            self.assertEqual(up.cli.session(name)["env"], {"TOKEN": SECRET}, f"{name}: the log has the key")
        with open(up.data + "/cluster.json", "rb") as file:
            self.assertEqual([key["number"] for key in json.load(file)["sealing_keys"]], [1, 2])


if __name__ == "__main__":
    unittest_report.run(Secrets)
