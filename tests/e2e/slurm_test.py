"""Slurm's commands, by links to `berth`, over a real server and agent: a script is submitted, listed, waited for, ended and accounted for."""

import os
import tempfile
import shutil
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(HERE, "support")]

import berth as rig
import unittest_report

SCRIPT = """#!/bin/bash
#SBATCH --job-name=greet --time=10   # minutes
#SBATCH --mem=64M
echo "hello $1, job $SLURM_JOB_ID of $SLURM_JOB_NAME in ${BASH_VERSION:+bash}"
exit 3
"""


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth(keep=True)
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        cls.bin = os.path.join(cls.up.data, "slurm")
        os.mkdir(cls.bin)
        subprocess.run([os.path.join(ROOT, "ops", "slurm-links"), cls.bin, rig.program("berth")], check=True)

    def run_tool(self, tool, *words, stdin=""):
        return subprocess.run([os.path.join(self.bin, tool), *words], env=rig.environment(self.up.data), input=stdin, timeout=rig.PATIENCE * 2,
                              capture_output=True, text=True, check=False)

    def ok(self, tool, *words, **options):
        done = self.run_tool(tool, *words, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_a_script_runs_by_its_own_lines_and_is_accounted_for(self):
        script = os.path.join(self.up.data, "greet.sh")
        with open(script, "w", encoding="ascii") as file:
            file.write(SCRIPT)
        done = self.run_tool("sbatch", "--wait", script, "two words")
        self.assertEqual(done.returncode, 3, done.stderr)
        job = re.fullmatch(r"Submitted batch job (\d+)\n", done.stdout)[1]
        self.assertEqual(self.up.cli.ok("logs", f"greet-{job}"), f"hello two words, job {job} of greet in bash\n")
        fields = self.ok("sacct", "-j", job, "-n", "-P", "-o", "JobName,AllocCPUS,ReqMem,Timelimit,State,ExitCode")
        self.assertEqual(fields, "greet|1|64m|10:00|FAILED|3:0\n")
        self.assertIn(job, self.ok("sacct", "-n", "--state=FAILED"))

    def test_a_job_that_waits_for_another_is_listed_and_ended(self):
        first = self.ok("sbatch", "--parsable", "--mem=32", "--job-name=first", "--wrap", "sleep 600").strip()
        rig.eventually("it runs", lambda: self.ok("squeue", "-h", "-j", first, "-o", "%t") == "R\n")
        second = self.ok("sbatch", "--parsable", "--mem=32", f"--dependency=afterok:{first}", stdin="#!/bin/sh\ntrue\n").strip()
        listed = self.ok("squeue", "-h", "--me", "-o", "%i %j %t %R").splitlines()
        agent = self.up.cli.json("agent", "ls")[0]["name"]
        self.assertIn(f"{first} first R {agent}", listed)
        self.assertIn(f"{second} sbatch PD (Dependency)", listed)
        self.assertEqual(self.ok("sinfo", "-h", "-o", "%P %D %t %N"), f"default* 1 mix {agent}\n")
        self.assertEqual(self.ok("scancel", second, first), "")
        rig.eventually("both have ended", lambda: self.ok("squeue", "-h", "-j", f"{first},{second}") == "")
        self.assertEqual(self.ok("sacct", "-n", "-P", "-j", f"{first},{second}", "-o", "State"), "CANCELLED\nCANCELLED\n")
        again = self.run_tool("scancel", first)
        self.assertEqual(again.returncode, 3)
        self.assertIn(f"scancel: error: Kill job error on job id {first}", again.stderr)

    def test_output_goes_to_a_file_of_the_kernel_and_an_unknown_line_is_told_with_its_number(self):
        folder = tempfile.mkdtemp(prefix="berth-slurm-")
        self.addCleanup(shutil.rmtree, folder)
        os.chmod(folder, 0o777)  # the kernel's user is another one
        self.ok("sbatch", "--wait", "--mem=32", "-D", folder, "-o", "out-%x.txt", "-J", "filed", "--wrap", "pwd; echo more >&2")
        with open(os.path.join(folder, "out-filed.txt"), encoding="ascii") as file:
            self.assertEqual(file.read(), f"{folder}\nmore\n")
        before = self.up.cli.names()
        done = self.run_tool("sbatch", stdin="#!/bin/sh\n#SBATCH --mem=32\n#SBATCH --frobnicate\ntrue\n")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("stdin:3: sbatch has no option '--frobnicate'", done.stderr)
        self.assertEqual(self.up.cli.names(), before)


if __name__ == "__main__":
    unittest_report.run(Slurm)
