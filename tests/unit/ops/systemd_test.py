"""ops/systemd, ops/install and ops/uninstall: the units parse, are as hard as they say, and let kernels outlive a restart; what is
installed goes again, but for data."""

import configparser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "tests", "support")]

import unittest_report

UNITS = os.path.join(ROOT, "ops", "systemd")
# Exposure in tenths, as `systemd-analyze security` marks it: 0 is none. What has an agent is root, and what hardens its unit would
# hold its kernels: there the machine's own suite (tests/vm) shows that a kernel is the same however its agent was started.
MOST = {"berth-controller": 15}
SERVICES = ["berth-controller", "berth-agent", "berth"]
# They give a unit mounts of its own, or filters of system calls: kernels are children of the unit's process.
INHERITED = re.compile(r"Protect\w+|Private\w+|LoadCredential\w*|SetCredential\w*|SystemCall\w+|Restrict\w+|LockPersonality|NoNewPrivileges|"
                       r"MemoryDenyWriteExecute|DeviceAllow|DevicePolicy|ProcSubset|ReadOnlyPaths|InaccessiblePaths|BindPaths|RootDirectory|"
                       r"TemporaryFileSystem|MountFlags|User|DynamicUser|Delegate\w*")
PROGRAMS = ["berth", "berth-controller", "berth-agent", "berth-launcher", "berth-init", "berth-policy-host"]

# Writes its man pages, tells its options.
FAKE_PROGRAM = """#!/bin/sh
[ "$1" = man ] && echo ".TH BERTH 1" > "$3/berth.1"
[ "$1" = --help ] && printf '%s: does what it does\\nUsage: %s [OPTIONS]\\n\\nOptions:\\n  --log-of-it FILE   a\\\\b\\n.dot\\n' "$(basename "$0")" "$0"
[ "$1" = --version ] && echo 9.9-x
exit 0
"""
SLURM = ["squeue", "sinfo", "sbatch", "scancel", "sacct"]


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def unit(name, section="Service"):
    parsed = configparser.RawConfigParser(strict=False, comment_prefixes=("#",), delimiters=("=",))
    parsed.optionxform = str
    parsed.read(os.path.join(UNITS, name + ".service"), encoding="utf-8")
    return parsed[section]


class Systemd(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="berth-systemd-")
        self.addCleanup(shutil.rmtree, self.root)

    def placed(self, name):
        """The unit with a program that is there."""
        with open(os.path.join(UNITS, name + ".service"), encoding="utf-8") as file:
            text = re.sub(r"^(ExecSt\w+)=\S+", r"\1=/bin/true", file.read(), flags=re.M)
        path = os.path.join(self.root, name + ".service")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze")
    def test_every_unit_is_one_that_systemd_takes_without_a_word(self):
        for name in [*SERVICES, "berth-kernels"]:
            done = run("systemd-analyze", "verify", "--man=no", self.placed(name))
            words = [line for line in done.stderr.splitlines() if name + ".service" in line]
            self.assertEqual(words, [], done.stderr)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze")
    def test_every_unit_is_as_hard_as_it_was(self):
        for name, most in MOST.items():
            done = run("systemd-analyze", "security", "--offline=true", f"--threshold={most}", self.placed(name))
            self.assertEqual(done.returncode, 0, done.stdout[-300:] + done.stderr)

    def test_kernels_outlive_a_restart_of_what_has_an_agent(self):
        for name in ("berth-agent", "berth"):
            service = unit(name)
            self.assertEqual(service["KillMode"], "mixed", "kernels are in scopes of their own; tools of the agent end with it")
            self.assertEqual([key for key in service if INHERITED.fullmatch(key)], [], f"{name}: kernels would have it too")

    def test_what_has_an_agent_stops_before_the_kernels_and_they_before_network_and_mounts(self):
        for name in ("berth-agent", "berth"):
            self.assertIn("berth-kernels.service", unit(name, "Unit")["Wants"], name)
            with open(os.path.join(UNITS, name + ".service"), encoding="utf-8") as file:
                self.assertRegex(file.read(), r"(?m)^After=berth-kernels\.service$", name)
        for earlier in ("network.target", "remote-fs.target"):
            self.assertIn(earlier, unit("berth-kernels", "Unit")["After"].split())
        self.assertRegex(unit("berth-kernels")["ExecStop"], r"^/usr/bin/berth-launcher --machine-stops \d+$")

    def test_no_two_units_of_two_users_have_one_state_folder(self):
        folders = {name: unit(name)["StateDirectory"].split() for name in SERVICES}
        together = sum(folders.values(), [])
        self.assertEqual(len(set(together)), len(together), "systemd gives all in it to the unit's user")
        for name, (data, *_) in folders.items():
            self.assertIn(f"--data /var/lib/{data} ", unit(name)["ExecStart"])
            self.assertEqual(unit(name, "Unit")["RequiresMountsFor"], f"/var/lib/{data}")

    def test_a_system_call_that_a_filter_leaves_out_is_refused_and_ends_nothing(self):
        self.assertEqual(unit("berth-controller")["SystemCallErrorNumber"], "EPERM")

    def test_every_unit_tells_when_it_is_ready_and_has_a_watchdog(self):
        for name in SERVICES:
            self.assertEqual(unit(name)["Type"], "notify")
            self.assertRegex(unit(name)["WatchdogSec"], r"^\d+s$")

    def test_a_wrong_option_ends_a_unit_and_all_else_is_tried_again_for_ever(self):
        for name in SERVICES:
            service = unit(name)
            self.assertEqual((service["Restart"], service["RestartPreventExitStatus"]), ("always", "2"), name)
            self.assertGreaterEqual(int(service["RestartSec"].rstrip("s")), 5, "a start that fails is no load on the machine")
            self.assertEqual(unit(name, "Unit")["StartLimitIntervalSec"], "0", name)
            self.assertNotIn("RestartSteps", service, "systemd 252 does not know it")

    def test_an_agents_key_is_a_file_that_root_alone_reads(self):
        self.assertIn("--key-file /etc/berth/agent.key", unit("berth-agent")["ExecStart"])

    def test_every_secret_that_a_unit_hands_on_is_a_credential_that_is_loaded(self):
        for name in SERVICES:
            with open(os.path.join(UNITS, name + ".service"), encoding="utf-8") as file:
                lines = [line for line in file.read().splitlines() if not line.startswith("#")]
            loaded = {line.partition("=")[2].partition(":")[0] for line in lines if line.startswith("LoadCredential=")}
            used = set(re.findall(r"(?:\$\{CREDENTIALS_DIRECTORY\}|%d)/([\w.-]+)", "\n".join(lines)))
            self.assertEqual(used, loaded, f"{name}: each credential that is loaded is used, and each that is used is loaded")
            for line in lines:
                if line.startswith("LoadCredential="):
                    self.assertRegex(line, r"^LoadCredential=[\w.-]+:/etc/berth/[\w.-]+$", "from where only root reads")
                self.assertNotRegex(line, r"(?i)^(Environment|ExecStart)=.*(passphrase|secret_key|token)=", "no secret is a word of a command")

    def test_every_exception_has_its_reason(self):
        for name in SERVICES:
            with open(os.path.join(UNITS, name + ".service"), encoding="utf-8") as file:
                text = file.read()
            self.assertRegex(text, r"(?m)^# (Exceptions[:.]|Hardening and its exceptions as of)", name)

    def fake_build(self):
        build = os.path.join(self.root, "build")
        os.makedirs(build + "/bin")
        for name in PROGRAMS:
            with open(f"{build}/bin/{name}", "w", encoding="utf-8") as file:
                file.write(FAKE_PROGRAM)
            os.chmod(f"{build}/bin/{name}", 0o755)
        return build

    def test_what_is_installed_goes_again_but_for_data_and_configuration(self):
        build, root = self.fake_build(), os.path.join(self.root, "root")
        install = [os.path.join(ROOT, "ops", "install"), "--build", build]
        env = {**os.environ, "DESTDIR": root}
        done = run(*install, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        for path in ["/usr/bin/" + name for name in PROGRAMS] + ["/lib/systemd/system/berth.service", "/lib/systemd/system/berth.slice",
                                                                "/lib/systemd/system/berth-kernels.service", "/usr/share/man/man1/berth.1",
                                                                "/usr/share/man/man1/berth-agent.1", "/usr/share/man/man1/berth-controller.1",
                                                                "/etc/berth/agent.env", "/etc/berth/controller.env"]:
            self.assertTrue(os.path.exists(root + path), path)
        with open(root + "/etc/berth/controller.env", "a", encoding="utf-8") as file:
            file.write("BERTH_OPTIONS=--log kafka://k:9092\n")
        os.makedirs(root + "/var/lib/berth/log")
        self.assertEqual(run(*install, env=env).returncode, 0, "an upgrade is the same once more")
        done = run(os.path.join(ROOT, "ops", "uninstall"), env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        left = sorted(os.path.relpath(os.path.join(at, name), root) for at, _, names in os.walk(root) for name in names)
        self.assertEqual(left, ["etc/berth/agent.env", "etc/berth/berth.env", "etc/berth/controller.env"])
        with open(root + "/etc/berth/controller.env", encoding="utf-8") as file:
            self.assertIn("kafka://k:9092", file.read(), "what is configured stays as it is")
        self.assertTrue(os.path.isdir(root + "/var/lib/berth/log"))

    def test_controller_and_agent_have_man_pages_of_their_own_help(self):
        build = self.fake_build()
        for name in ("berth-controller", "berth-agent"):
            done = run(os.path.join(ROOT, "ops", "man-of-help"), f"{build}/bin/{name}")
            self.assertEqual(done.returncode, 0, done.stderr)
            dashed = name.replace("-", "\\-")
            self.assertEqual(done.stdout, f""".TH {name.upper()} 1 "" "9.9\\-x" "Berth"
.SH NAME
{dashed} \\- does what it does
.SH SYNOPSIS
.B {dashed}
[\\fIOPTIONS\\fR]
.SH OPTIONS
.nf
Options:
  \\-\\-log\\-of\\-it FILE   a\\eb
\\&.dot
.fi
.SH SEE ALSO
.BR berth (1)
""")

    def test_slurms_names_are_linked_if_asked_and_go_again_but_for_those_of_others(self):
        build, root = self.fake_build(), os.path.join(self.root, "root")
        env = {**os.environ, "DESTDIR": root}
        os.makedirs(root + "/usr/bin")
        with open(root + "/usr/bin/sacct", "w", encoding="utf-8") as file:
            file.write("Slurm's own\n")
        done = run(os.path.join(ROOT, "ops", "install"), "--slurm", "--build", build, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sacct is there and not Berth's", done.stderr)
        for name in SLURM[:-1]:
            self.assertEqual(os.readlink(f"{root}/usr/bin/{name}"), "/usr/bin/berth", name)
        self.assertEqual(run(os.path.join(ROOT, "ops", "uninstall"), env=env).returncode, 0)
        self.assertEqual(os.listdir(root + "/usr/bin"), ["sacct"])

    def test_a_build_that_is_not_whole_is_not_installed(self):
        build = self.fake_build()
        os.remove(build + "/bin/berth-init")
        root = os.path.join(self.root, "root")
        done = run(os.path.join(ROOT, "ops", "install"), "--build", build, env={**os.environ, "DESTDIR": root})
        self.assertEqual(done.returncode, 1)
        self.assertIn("berth-init", done.stderr)
        self.assertFalse(os.path.exists(root))


if __name__ == "__main__":
    unittest_report.run(Systemd)
