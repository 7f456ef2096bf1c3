"""What a container shows and keeps, on a machine as people have them (ops/vm), by each runtime: the contract of container backends, and
what a hostile program tries, against cgroup v2, Debian's kernel and its AppArmor."""

import os
import re
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "support")]

import rig
import unittest_report

CONTRACT = "kernel_backend_oci_test"
SECONDS_MAX = 2400  # without KVM Python's image alone takes minutes to unpack


@unittest.skipUnless(rig.FULL, "only in ops/check --full (BERTH_VM_FULL=1)")
class RealIsolation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vm = rig.Installed(images=["python"], tests=[CONTRACT])
        cls.addClassCleanup(cls.vm.close)
        print(f"{rig.SUITE}: up after {cls.vm.boot_seconds:.0f} s ({cls.vm.machine.accelerator})", flush=True)

    def contract(self, runtime):
        began = time.monotonic()
        only = os.environ.get("GTEST_FILTER", "*")
        code, text = self.vm.call(f"cd /root/berth && BERTH_TEST_RUNTIME={runtime} BERTH_TEST_PATIENCE=120 TMPDIR=/var/tmp build/release/tests/{CONTRACT} "
                                  f"--gtest_color=no --gtest_filter='{only}'", SECONDS_MAX)
        print(f"{runtime}: {time.monotonic() - began:.0f} s\n{text[-1500:]}", flush=True)
        self.assertEqual(code, 0, "\n".join(line for line in text.splitlines() if "OK" not in line and "RUN" not in line)[-20000:])
        self.assertGreaterEqual(int(re.search(r"PASSED  \] (\d+) test", text)[1]), 140 if only == "*" else 1)

    @rig.of_suite("bookworm")
    def test_40_containers_of_runc_keep_their_contract(self):
        self.contract("runc")

    @rig.of_suite("trixie")
    def test_41_containers_of_crun_keep_their_contract(self):
        self.contract("crun")

    @rig.of_suite("bookworm")
    def test_42_nothing_that_a_hostile_program_tries_gets_it_out(self):
        code, text = self.vm.call("cd /root/berth && BERTH_TEST_PATIENCE=600 python3 -B tests/e2e/escape_test.py", SECONDS_MAX)
        print(text[-6000:], flush=True)
        self.assertEqual(code, 0, text[-8000:])
        self.assertIn("all were tried", text)


if __name__ == "__main__":
    unittest_report.run(RealIsolation)
