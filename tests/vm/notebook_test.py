"""README's way to a running notebook on a machine as people have them (ops/vm): the installed units, Jupyter's image, a person's browser. The
machine has no IPv6. Building the image is spared (minutes of emulation; `berth image build jupyter` makes the same layout)."""

import os
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, *(os.path.join(os.path.dirname(HERE), *names) for names in (("support",), ("e2e", "support")))]

import berth
import rig
import unittest_report
from vm.machine import free_port

IMAGE = "jupyter:4.6"
SECONDS_MAX = 1800


@unittest.skipUnless(rig.FULL, "only in ops/check --full (BERTH_VM_FULL=1)")
class RealNotebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run(["bash", "-c", "ops/setup console && ops/console/build"], cwd=rig.ROOT, check=True, stdout=subprocess.DEVNULL)
        cls.vm = rig.Installed(images=["jupyter"], options="ipv6.disable=1")
        cls.addClassCleanup(cls.vm.close)
        cls.port = free_port()
        cls.vm.enable(f"--port {cls.port}")
        cls.way = cls.vm.machine.forward(cls.port)
        cls.addClassCleanup(cls.way.kill)

    @rig.of_suite("bookworm")
    def test_49_readmes_lines_lead_to_an_image_and_a_session(self):
        text = (rig.ROOT / "README.md").read_text()
        block = text.split("### As a service of systemd", 1)[1].split("```")[1]
        lines = [line.split("  #")[0].strip() for line in block.splitlines() if line.strip()]
        self.assertIn("systemctl enable --now berth", lines)
        said = {}
        for line in lines:
            began = time.monotonic()
            said[line] = self.vm.run(f"cd /root/berth && {line}", SECONDS_MAX)
            print(f"{rig.SUITE}: {line}: {time.monotonic() - began:.0f} s", flush=True)
        self.assertIn("ALIVE", said["berth agent ls"])
        self.assertIn("/#/link/", said["cat /var/lib/berth/login-link"])
        code, text = self.vm.call("berth session run --image python:3.11 --cpu 0.5 --mem 256m --wait -- python3 -c 'print(6*7)'", SECONDS_MAX)
        self.assertEqual(code, 0, text)
        self.assertIn("42", text)

    @rig.of_suite("trixie")
    def test_50_a_person_runs_a_cell_in_a_notebook(self):
        self.vm.run("test ! -e /proc/net/if_inet6")
        labels = (rig.ROOT / "ops/images/jupyter/labels").read_text().splitlines()
        words = " ".join(f"--label '{label}'" for label in labels)
        began = time.monotonic()
        self.vm.run(f"berth image add {IMAGE} oci:/root/berth/build/images/{IMAGE} {words}", 300)
        token = self.vm.run("cat /var/lib/berth/login-link").strip().rpartition("/")[2]
        done = subprocess.run(["bash", "-c", berth.CONSOLE_SCRIPT, "notebook", "test/real/notebook.mjs", f"http://127.0.0.1:{self.port}", token], cwd=rig.ROOT, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_MAX,
                              env={**os.environ, "BERTH_SCREENSHOT": str(rig.ROOT / "build/vm/failed.png"),
                                   "BERTH_PICTURES": os.environ.get("BERTH_VM_LOGS", "")})
        print(f"{rig.SUITE}: a notebook after {time.monotonic() - began:.0f} s\n{done.stdout}", flush=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout.count("\nok ") + done.stdout.startswith("ok "), 3, done.stdout)

    def test_51_a_kernel_of_a_machine_without_ipv6_has_no_such_loopback(self):
        self.vm.run("test ! -e /proc/net/if_inet6")
        self.vm.session("plain")
        text = self.vm.inside("plain", "cat /etc/hosts")
        self.assertNotIn("::1", text)
        self.assertIn("127.0.0.1", text)


if __name__ == "__main__":
    unittest_report.run(RealNotebook)
