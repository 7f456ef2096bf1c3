"""`berth up` where its folder is not what it was: empty in place of one that it had, on a full disk, with files that cannot be written; and as a service."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Start(unittest.TestCase):
    def up(self, **options):
        one = rig.Berth(**options)
        self.addCleanup(one.remove)
        return one

    def service(self, **options):
        """As ops/systemd runs it: somebody listens for READY=1."""
        folder = tempfile.mkdtemp(prefix="berth-notify-")
        self.addCleanup(shutil.rmtree, folder)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(listener.close)
        listener.bind(folder + "/notify")
        return self.up(below=["env", "NOTIFY_SOCKET=" + folder + "/notify"], **options)

    def refused(self, up, code):
        self.assertEqual(up.launch().child.wait(rig.PATIENCE), 1, up.process.words())
        self.assertIn(code, up.process.words())
        self.assertEqual(os.listdir(up.data), ["up.log"], "nothing is made in it")
        return up.process.words()

    def emptied(self, up):
        """The folder goes aside, and an empty one is in its place, as after a mount over it."""
        aside = up.data + ".aside"
        os.rename(up.data, aside)
        os.mkdir(up.data, 0o700)
        self.addCleanup(shutil.rmtree, aside, ignore_errors=True)
        return aside

    @unittest.skipUnless(rig.IS_ROOT, "another user's records of kernels lie in the data folder")
    def test_an_empty_folder_in_place_of_one_whose_kernels_run_is_refused_and_they_go_on(self):
        up = self.up(keep=True).start()
        up.demo(1)
        up.cli.wait("demo")
        pid = up.cli.pid("demo")
        self.assertEqual(up.process.stop(), 0, up.process.words())
        aside = self.emptied(up)
        told = self.refused(up, "kernels-still-run")
        self.assertIn(up.data + "/agent", told)
        self.assertIn(f"kill {pid}", told)
        self.assertTrue(rig.alive(pid))
        shutil.rmtree(up.data)
        os.rename(aside, up.data)
        up.start()
        self.assertEqual(up.cli.pid("demo"), pid)
        self.assertTrue(rig.alive(pid))
        self.assertEqual(up.process.stop(), 0, up.process.words())
        self.emptied(up)
        os.kill(pid, signal.SIGTERM)  # as the hint says
        rig.eventually("its kernel has ended", lambda: not rig.kernel_processes(up.data))
        up.start()
        self.assertEqual(up.cli.names(), {}, "a new cluster")

    def test_a_person_who_removes_the_folder_gets_a_new_cluster(self):
        up = self.up().start()
        self.assertEqual(up.process.stop(), 0, up.process.words())
        self.emptied(up)
        up.start()

    def test_a_service_refuses_the_empty_folder_of_its_cluster_on_whatever_disk(self):
        up = self.service().start()
        self.assertEqual(up.process.stop(), 0, up.process.words())
        self.emptied(up)
        told = self.refused(up, "known-folder-empty")
        record = re.search(r"rm (/[^ )]+/[0-9a-f]{16})", told)[1]
        os.remove(record)
        up.start()

    def test_a_service_prints_nothing_that_is_meant_for_somebody_at_a_terminal(self):
        up = self.service().start()
        self.assertEqual(up.process.stop(), 0, up.process.words())
        told = up.process.words()
        self.assertIn(f"address  http://127.0.0.1:{up.port}", told)
        for words in ("Ctrl-C", "Try:", "to come back"):
            self.assertNotIn(words, told)

    def test_files_that_only_serve_people_keep_no_server_down_and_are_written_later(self):
        up = self.up().start()
        self.assertEqual(up.process.stop(), 0, up.process.words())
        up.port = rig.free_port()
        key = up.data + "/keys/admin.json"
        files = [up.data + "/berth.endpoint", key, up.data + "/login-link"]
        for path in files:
            os.makedirs(path + ".new/in-the-way")  # files are written aside first
        os.remove(files[2])
        up.launch()
        rig.eventually("it is up", lambda: " is up\n" in up.process.words() or up.ended())
        for path in files:
            self.assertIn(path, up.process.words())
            shutil.rmtree(path + ".new")
        for path in (files[0], key):
            rig.eventually(f"{path} names the endpoint", lambda path=path: os.path.exists(path) and str(up.port) in read(path))
        rig.eventually("the login link is there", lambda: os.path.exists(files[2]))
        self.assertTrue(up.cli.ok("agent", "ls"))
        self.assertEqual(up.process.stop(), 0, up.process.words())
        self.assertFalse(os.path.exists(files[0]))

    def test_what_is_wrong_in_the_options_or_the_environment_exits_2(self):
        up = self.up()
        for words, variables in (([], {"BERTH__AGENT__DISK": "much"}), (["--backend", "none"], {}), (["--log-format", "xml"], {}),
                                 (["--no-such-option"], {}), (["--address", "0.0.0.0"], {})):
            done = subprocess.run([rig.program("berth"), "up", *up.options(), *words], env={**rig.environment(up.data), **variables},
                                  capture_output=True, text=True, check=False, timeout=rig.PATIENCE)
            self.assertEqual(done.returncode, 2, f"{words} {variables}: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest_report.run(Start)
