"""What a stranger without a key may do to a running Berth: nothing that lasts."""

import hashlib
import json
import os
import re
import resource
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

STRANGER = "127.0.0.2"  # all of 127.0.0.0/8 is this machine


class Strangers(unittest.TestCase):
    def connect(self, up):
        client = socket.create_connection(("127.0.0.1", up.port), timeout=rig.PATIENCE, source_address=(STRANGER, 0))
        self.addCleanup(client.close)
        return client

    def test_idle_connections_stop_neither_the_cluster_nor_their_own_address(self):
        """With 1,024 descriptors, soft and hard, as many containers and service managers give."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        up = rig.Berth(below=["sh", "-c", 'ulimit -n 1024 && exec "$@"', "sh"])
        self.addCleanup(up.remove)
        up.start()

        idle = [self.connect(up) for _ in range(1_500)]
        self.assertTrue(self.asks(up), "one more of the same address is served at once")
        self.assertEqual(idle[0].recv(1), b"", "the oldest has given way")
        up.demo(2)
        up.cli.wait("demo-2")
        up.cli.ok("session", "rm", "demo-1", "--wait", "--timeout", "30s", "-q")
        up.verify()

    def test_a_local_user_can_read_nothing_of_the_data_folder(self):
        above = tempfile.mkdtemp(prefix="berth-e2e-")
        self.addCleanup(shutil.rmtree, above, ignore_errors=True)
        os.chmod(above, 0o755)
        umask = os.umask(0)
        self.addCleanup(os.umask, umask)
        up = rig.Berth(data=above + "/data")
        os.mkdir(up.data, 0o700)  # the log of `berth up` goes there
        self.addCleanup(up.remove)
        up.start()
        up.demo(1)
        up.cli.wait("demo")
        open_to_others = [path for path in self.everything_in(up.data) if not self.is_private(path) and path != up.data + "/up.log"]
        self.assertEqual([path for path in open_to_others if "/agent/" not in path], [])
        self.assertTrue(self.is_private(up.data))
        for lock in ("/log/lock", "/log/rows/LOCK", "/state/db/LOCK"):
            self.assertIn(up.data + lock, self.everything_in(up.data))

    def everything_in(self, folder):
        return [os.path.join(where, name) for where, folders, files in os.walk(folder) for name in folders + files]

    def is_private(self, path):
        return os.path.islink(path) or os.lstat(path).st_mode & 0o077 == 0

    @unittest.skipUnless(rig.IS_ROOT, "gives a folder to another user")
    def test_a_folder_that_another_user_prepared_is_refused(self):
        up = rig.Berth()
        self.addCleanup(up.remove)
        up.start()
        self.assertEqual(up.process.stop(), 0)
        for path, code in ((up.data, "data-folder"), (up.data + "/keys", "data-folder"), (up.data + "/keys/admin.json", "key-file-foreign"),
                           (up.data + "/cluster.json", "cluster-file-foreign")):
            os.chown(path, 12_345, -1)
            self.assertEqual(up.launch().child.wait(rig.PATIENCE), 1, path)
            self.assertIn(code, up.process.words())
            self.assertIn(path, up.process.words())
            os.chown(path, 0, -1)

    @unittest.skipUnless(rig.IS_ROOT, "becomes another user")
    def test_another_user_of_the_command_line_is_told_whose_the_key_is(self):
        up = rig.Berth()
        self.addCleanup(up.remove)
        up.start()
        above = tempfile.mkdtemp(prefix="berth-e2e-")
        self.addCleanup(shutil.rmtree, above, ignore_errors=True)
        os.chmod(above, 0o755)
        berth = shutil.copy(rig.program("berth"), above)
        key = ["--endpoint", f"http://127.0.0.1:{up.port}", "--key-file", up.data + "/keys/admin.json"]
        for words, told in ((["--data", up.data], "no berth.endpoint that you may read"), (key, "as the user that started it")):
            done = subprocess.run([berth, *words, "agent", "ls"], user=12_345, group=12_345, extra_groups=[], cwd=above, env={},
                                  timeout=rig.PATIENCE, capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0, done.stdout)
            self.assertIn(told, done.stderr)

    def test_an_address_of_others_wants_tls(self):
        up = rig.Berth()
        self.addCleanup(up.remove)
        done = up.cli("up", *up.options()[2:], "--address", "0.0.0.0")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("tls-missing", done.stderr)
        self.assertIn("--insecure-http", done.stderr)

    def test_https_is_for_clients_that_know_the_certificate(self):
        up = rig.Berth(more=["--tls"])
        self.addCleanup(up.remove)
        up.start()
        up.demo(1)
        up.cli.wait("demo")
        told = up.process.words()
        self.assertIn(f"https://127.0.0.1:{up.port}", told)
        fingerprint = re.search(r"sha256:[0-9a-f]{64}", told).group()
        with open(up.data + "/keys/tls.crt", encoding="ascii") as file:
            certificate = ssl.PEM_cert_to_DER_cert(file.read())
        self.assertEqual(fingerprint, "sha256:" + hashlib.sha256(certificate).hexdigest())

        there = ["--endpoint", f"https://localhost:{up.port}", "--key-file", up.data + "/keys/admin.json"]
        up.cli.ok("session", "ls", *there, "--fingerprint", fingerprint)
        up.cli.ok("session", "ls", *there, "--ca", up.data + "/keys/tls.crt")
        for trust in ([], ["--fingerprint", "sha256:" + "0" * 64]):
            refused = up.cli("session", "ls", *there, *trust)
            self.assertEqual(refused.returncode, 1, refused.stdout)
            self.assertIn("untrusted", refused.stderr)

    def test_who_takes_http_for_https_or_the_other_way_is_told_in_words(self):
        plain, tls = rig.Berth(), rig.Berth(more=["--tls"])
        for up, wrong, words in ((plain, "https", "does not speak https"), (tls, "http", "this port speaks https")):
            self.addCleanup(up.remove)
            up.start()
            key = ["--key-file", up.data + "/keys/admin.json"]
            done = up.cli("agent", "ls", "--endpoint", f"{wrong}://127.0.0.1:{up.port}", *key)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)

    def test_tls_1_1_is_refused(self):
        up = rig.Berth(more=["--tls"])
        self.addCleanup(up.remove)
        up.start()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_1
        with socket.create_connection(("127.0.0.1", up.port), timeout=rig.PATIENCE) as plain:
            self.assertRaises((ssl.SSLError, OSError), context.wrap_socket, plain)
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        with socket.create_connection(("127.0.0.1", up.port), timeout=rig.PATIENCE) as plain, context.wrap_socket(plain) as client:
            self.assertEqual(client.version(), "TLSv1.2")

    def test_an_agent_gets_its_key_for_a_token_once(self):
        up = rig.Berth(more=["--tls"])
        self.addCleanup(up.remove)
        up.start()
        token = up.cli.ok("agent", "token", "a2", "-o", "name", "-q").strip()
        join = ["agent", "join", "a2", "--token", token, "--key-file", "/nowhere"]
        key = json.loads(up.cli.ok(*join))
        self.assertEqual((key["agent"]["name"], key["generation"], len(key["key"])), ("a2", 1, 64))
        again = up.cli(*join)
        self.assertEqual(again.returncode, 4, again.stdout)
        self.assertIn("token-not-valid", again.stderr)

    def asks(self, up):
        client = self.connect(up)
        client.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return b"200 OK" in client.recv(4_096)


if __name__ == "__main__":
    unittest_report.run(Strangers)
