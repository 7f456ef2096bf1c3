"""The console of a real `berth up` in Chromium: ops/console/test/real.mjs, for which this test kills and restarts the server."""

import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

CONSOLE = os.path.join(rig.ROOT, "ops", "console")
RUN = 'source ops/lib/common.sh && source ops/lib/node.sh && use_node && cd ops/console && install_packages && exec node "$@"'


class Browser(unittest.TestCase):
    def test_a_stranger_works_from_the_link_to_the_end(self):
        up = rig.Berth(backend="oci" if rig.has_containers() else "process", keep=True)
        up.more = ["--public-url", f"http://127.0.0.1:{up.port + 1}"]
        self.addCleanup(up.remove)
        up.start()
        with open(os.path.join(up.data, "login-link"), encoding="utf-8") as file:
            token = file.read().strip().rpartition("/")[2]
        child = subprocess.Popen(
            ["bash", "-c", RUN, "ops/console/check", "test/real.mjs", f"http://127.0.0.1:{up.port}", token], cwd=rig.ROOT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "BERTH_SCREENSHOT": os.path.join(rig.ROOT, "build", "browser_failed.png")})
        lines = []
        for line in child.stdout:
            lines.append(line)
            if line == "restart\n":
                up.process.kill()
                up.start()
                child.stdin.write("done\n")
                child.stdin.flush()
        self.assertEqual(child.wait(rig.PATIENCE), 0, "".join(lines) + up.process.words()[-2000:])
        self.assertEqual(sum(line.startswith("ok ") for line in lines), 8, "".join(lines))


if __name__ == "__main__":
    unittest_report.run(Browser)
