"""What a program in a kernel, or an image, tries against the machine (shared list: "Isolation"). Each attempt is printed with its outcome;
one that is not blocked fails the test, one that cannot be tried here says why."""

import base64
import os
import re
import shutil
import socket
import sys
import tempfile
import unittest
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import hostile_layers
import unittest_report

ATTEMPTS_MIN = 25
DISK = 256 << 20  # what a kernel may write


class Escape(unittest.TestCase):
    def setUp(self):
        self.up = rig.Berth(backend="oci", more=["--disk-per-kernel", str(DISK)])
        self.addCleanup(self.up.remove)
        self.up.start()

    def ended(self, name):
        session = self.up.cli.session(name)
        return session if session["status"] in ("TERMINATED", "CANCELLED", "ERROR") else None

    def run_to_its_end(self, name, *command, image="python:3.11"):
        self.up.cli.ok("session", "run", "--type", "batch", "--image", image, "--cpu", "1", "--mem", "2g", "--name", name, "-q",
                       "--env", f"ATTEMPT_PATIENCE={rig.PATIENCE}", "--", *command)
        rig.eventually(f"{name} ends", lambda: self.ended(name), patience=3 * rig.PATIENCE)
        return self.up.cli.ok("session", "logs", name)

    def left(self):
        agent = self.up.data + "/agent"
        return os.listdir(agent + "/layers") + [one for one in os.listdir(agent + "/disks") if not one.startswith(("spare-", "template"))]

    def test_s10_nothing_that_a_program_tries_gets_it_out(self):
        name = f"berth-escape-{os.getpid()}"
        with open(os.path.join(HERE, "support", "escape_attempts.py"), "rb") as file:
            packed = base64.b64encode(zlib.compress(file.read())).decode()
        folder = tempfile.mkdtemp(prefix="berth-escape-")
        self.addCleanup(shutil.rmtree, folder)
        self.up.cli.ok("image", "add", "python:root", hostile_layers.make_image_of_root(folder, rig.ROOT + "/build/images/python"))
        with socket.socket(socket.AF_UNIX) as host:
            host.bind("\0" + name)
            host.listen()
            told = self.run_to_its_end("escape", "python3", "-c", f"import base64, zlib\nexec(zlib.decompress(base64.b64decode('{packed}')))",
                                       str(self.up.port), name, str(DISK), image="python:root")
        print(told)
        outcomes = re.findall(r"(?m)^([a-z0-9_-]+): (.*)$", told)
        self.assertTrue(told.endswith("all were tried\n"), told)
        self.assertGreaterEqual(len(outcomes), ATTEMPTS_MIN)
        self.assertEqual([one for one in outcomes if not one[1].startswith(("blocked", "skipped: "))], [])

    def test_s10_no_layer_of_an_image_gets_out_of_it(self):
        folder = tempfile.mkdtemp(prefix="berth-layers-")
        self.addCleanup(shutil.rmtree, folder)
        bait = folder + "/bait"
        os.mkdir(bait)
        with open(bait + "/kept", "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(hostile_layers.KEPT)
        names = hostile_layers.make_images(folder, bait, rig.ROOT + "/build/images/python")
        self.up.cli.ok("group", "set", "default", "--max-attempts", "1")
        for name in names:
            self.up.cli.ok("image", "add", f"hostile:{name}", f"oci:{folder}/layout:{name}")
            # One at a time, so that what it reached is known to be its doing.
            self.up.cli.ok("session", "run", "--type", "batch", "--image", f"hostile:{name}", "--cpu", "0.1", "--mem", "64m",
                           "--name", name, "-q", "--detach", "--", "/nothing")
            session = rig.eventually(f"{name} ends", lambda name=name: self.ended(name))
            faults = list(hostile_layers.faults(bait, self.up.data))
            why = session["kernels"][0].get("message") or "it stayed inside"
            print(f"{name}: " + (f"NOT BLOCKED: {faults}" if faults else f"blocked ({why})"))
            self.assertEqual(faults, [], name)
        self.up.cli.ok("image", "add", "hostile:runs", f"oci:{folder}/layout:runs")
        told = self.run_to_its_end("runs", "python3", "-c", hostile_layers.RUNS, image="hostile:runs")
        print(told)
        self.assertTrue(told.endswith("all were tried\n"), told)
        self.assertNotIn("NOT BLOCKED", told)

    def test_s3_a_deep_tree_and_many_files_are_gone_with_their_kernel(self):
        self.run_to_its_end("deep", "python3", "-c", "import os\nfor i in range(10000): open(str(i), 'w').close()\n"
                            "for _ in range(3000): os.mkdir('d'); os.chdir('d')\nprint('made')")
        self.assertEqual(self.up.cli.session("deep")["kernels"][0]["exit_code"], 0)
        rig.eventually("its layer and its disk are removed", lambda: not self.left())

    def test_a_flood_of_output_keeps_the_newest_16_mib(self):
        self.run_to_its_end("flood", "python3", "-c", "import os\nfor _ in range(100): os.write(1, bytes(1 << 20))\nprint('last')")
        logs = self.up.data + "/agent/logs"
        self.assertLessEqual(sum(os.path.getsize(f"{logs}/{one}") for one in os.listdir(logs)), 16 << 20)


if __name__ == "__main__":
    if not rig.has_containers():
        sys.exit("containers need root and build/images: ops/images/build python:3.11")
    unittest_report.run(Escape)
