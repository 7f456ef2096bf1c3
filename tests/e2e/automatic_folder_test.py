"""The automatic folder: what a person keeps from session to session without asking, dotfiles and pip's packages, with real containers."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report
from egress_test import IMPORTED, PACKAGE, index_answers

INSTALL = ["python3", "-m", "pip", "install", "--no-cache-dir", "--disable-pip-version-check", PACKAGE]
HOME = "/home/work"


def labels_of(image):
    with open(os.path.join(rig.ROOT, "ops", "images", image, "labels"), encoding="utf-8") as file:
        return [word for label in file.read().splitlines() for word in ("--label", label)]


class AutomaticFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth(backend="oci", keep=True, more=["--verbose"])
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        # The same files under two names: two versions of an image.
        for tag in ("4.6", "4.5"):
            cls.up.cli.ok("image", "add", f"jupyter:{tag}", f"oci:{rig.images()}/jupyter:4.6", *labels_of("jupyter"))

    def session(self, name, *more, image="python:3.11", memory="128m", cli=None):
        cli = cli or self.up.cli
        cli.ok("session", "run", "--image", image, "--cpu", "0.2", "--mem", memory, "--name", name, "-q", "-o", "name", *more)
        cli.wait(name)
        shown = cli.session(name)
        self.assertEqual(shown["status"], "RUNNING", shown)
        return shown

    def end(self, *names, cli=None):
        (cli or self.up.cli).ok("session", "end", *names, "--wait")

    def inside(self, name, *words, cli=None, timeout=180):
        done = (cli or self.up.cli)("exec", name, "--", *words, timeout=timeout)
        return done.returncode, (done.stdout + done.stderr).strip()

    def says(self, name, script, expected, cli=None):
        self.assertEqual(self.inside(name, "sh", "-c", script, cli=cli), (0, expected))

    def refused(self, code, *words, cli=None):
        done = (cli or self.up.cli)(*words)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(f"berth: {code}: ", done.stderr)
        return done.stderr

    def person(self, name):
        key = os.path.join(self.up.data, name + ".json")
        self.up.cli.ok("user", "add", name, "--no-link")
        self.up.cli.ok("key", "add", "--name", "test", "--user", name, "--out", key)
        return rig.Cli(self.up.data, "--key-file", key)

    def test_a_dotfile_written_in_one_session_is_in_the_next(self):
        self.assertEqual(self.session("one")["automatic_folder"], "mounted")
        self.says("one", "readlink ~/.bashrc; echo 'alias l=ls' >>~/.bashrc; echo x >~/.vimrc; mkdir ~/.config/tool; echo 1 >~/.config/tool/set; "
                         "echo own >~/.automatic/dotfiles/.myrc", f"{HOME}/.automatic/dotfiles/.bashrc")
        self.says("one", "stat -c '%U %a' ~/.automatic", "work 770")
        self.end("one")
        self.session("two")
        self.says("two", "tail -n 1 ~/.bashrc; grep -c . ~/.bashrc >/dev/null && cat ~/.vimrc ~/.config/tool/set ~/.myrc", "alias l=ls\nx\n1\nown")
        self.assertNotIn("berth-init:", self.up.cli.ok("session", "logs", "two"))
        self.end("two")

    def test_a_session_may_refuse_it(self):
        self.session("with")
        self.end("with")
        self.assertEqual(self.session("without", "--no-automatic-folder")["automatic_folder"], "refused")
        self.says("without", "test -e ~/.automatic || echo none; test -L ~/.bashrc || echo plain; echo \"[$PYTHONUSERBASE]\"", "none\nplain\n[]")
        self.end("without")

    def test_two_sessions_at_once_have_one_folder(self):
        person = self.person("twins")
        person.ok("session", "run", "--image", "python:3.11", "--cpu", "0.1", "--mem", "64m", "--count", "2", "--name", "twin", "-q")
        for name in ("twin-1", "twin-2"):
            person.wait(name)
            self.assertEqual(person.session(name)["automatic_folder"], "mounted")
        self.says("twin-1", "echo seen >~/.automatic/note; cat ~/.automatic/note", "seen", cli=person)
        self.says("twin-2", "cat ~/.automatic/note", "seen", cli=person)
        self.assertEqual(len(person.json("folder", "ls")), 1)
        self.end("twin-1", "twin-2", cli=person)

    def test_pips_packages_are_those_of_the_image_in_each_next_session(self):
        if not index_answers():
            self.skipTest("pip of this machine reaches no index")
        rig.eventually("the agent says what kernels reach", lambda: "kernels with egress may reach" in self.up.process.words())
        imported = ("python3", "-c", IMPORTED)
        self.session("installs", image="jupyter:4.6", memory="1g")
        self.assertNotEqual(self.inside("installs", *imported)[0], 0)
        code, told = self.inside("installs", *INSTALL)
        self.assertEqual(code, 0, told)
        self.assertEqual(self.inside("installs", *imported), (0, PACKAGE))
        self.end("installs")
        self.session("imports", image="jupyter:4.6", memory="1g")
        self.assertEqual(self.inside("imports", *imported), (0, PACKAGE))
        code, told = self.inside("imports", "sh", "-c", "python3 -m venv /tmp/v && /tmp/v/bin/python -c 'import iniconfig'")
        self.assertNotEqual(code, 0, "a virtual environment stands alone: " + told)
        self.end("imports")
        self.session("other", image="jupyter:4.5", memory="1g")
        code, told = self.inside("other", *imported)
        self.assertNotEqual(code, 0)
        self.assertIn("No module named", told)
        self.end("other")
        self.session("refuses", "--no-automatic-folder", image="jupyter:4.6", memory="1g")
        self.assertNotEqual(self.inside("refuses", *imported)[0], 0)
        self.end("refuses")

    def test_it_is_listed_browsed_and_thrown_away_and_made_anew(self):
        person = self.person("carol")
        self.session("holds", cli=person)
        self.says("holds", "echo 1 >~/.automatic/dotfiles/.note; test -e ~/.note || echo not yet", "not yet", cli=person)
        listed = person.json("folder", "ls")
        self.assertEqual([(one["name"], one["automatic"], one["state"]) for one in listed], [(".automatic", True, "READY")])
        self.assertIn("automatic", person.ok("folder", "ls"))
        self.assertIn(".note", person.ok("folder", "files", ".automatic:dotfiles"))
        self.refused("folder-automatic", "folder", "rename", ".automatic", "mine", cli=person)
        self.refused("folder-automatic", "folder", "share", ".automatic", "--user", "admin", cli=person)
        self.assertIn("holds", self.refused("folder-mounted", "folder", "rm", ".automatic", cli=person))
        self.end("holds", cli=person)
        person.ok("folder", "rm", ".automatic")
        self.session("new", cli=person)
        self.says("new", "test -e ~/.automatic/dotfiles/.note || echo empty", "empty", cli=person)
        self.refused("in-use", "user", "rm", "carol")
        person.ok("folder", "rm", listed[0]["id"], "--purge", "--yes")
        rig.eventually("the old one is gone", lambda: len(person.json("folder", "ls", "--trash")) == 0)
        self.up.cli.ok("user", "rm", "carol", "--end-sessions")
        self.up.verify()


class WithoutTheVolume(unittest.TestCase):
    """Two agents on one log, of which one has no volume: it runs processes."""

    def kafka(self, action, *words):
        done = subprocess.run([os.path.join(rig.ROOT, "ops", "kafka", action), "--data", self.broker, *words], capture_output=True,
                              text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.strip()

    def test_a_kernel_starts_on_an_agent_that_lacks_its_volume(self):
        self.broker = tempfile.mkdtemp(prefix="berth-e2e-kafka-")
        self.addCleanup(shutil.rmtree, self.broker, True)
        self.addCleanup(self.kafka, "stop", "--kill")
        log = self.kafka("start", "--port", str(rig.free_port())) + "/automatic"
        up = rig.Berth(log=log, backend="oci")
        self.addCleanup(up.remove)
        up.start()
        data = tempfile.mkdtemp(prefix="berth-e2e-")
        self.addCleanup(shutil.rmtree, data, True)
        with open(os.open(data + "/a2.json", os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(up.cli.ok("agent", "enroll", "a2"))
        process = rig.Process([rig.program("berth-agent"), "--log", log, "--key-file", data + "/a2.json", "--data", data + "/agent", "--backend",
                               "process", *rig.process_user(), "--end-kernels"], data, data + "/agent.log")
        self.addCleanup(rig.end_kernels, data)
        self.addCleanup(process.kill)
        rig.eventually("the agent is ALIVE", lambda: "a2" in up.cli("agent", "ls", "--state", "ALIVE", "-o", "name", "-q").stdout)
        up.cli.ok("session", "run", "--agent", "a2", "--cpu", "0.1", "--mem", "64m", "--name", "far", "-q")
        up.cli.wait("far")
        shown = up.cli.session("far")
        self.assertEqual((shown["status"], shown["automatic_folder"]), ("RUNNING", "not-on-this-agent"), shown)
        self.assertIn("left out", up.cli.ok("session", "show", "far"))
        up.cli.ok("session", "end", "far", "--wait")


if __name__ == "__main__":
    if not rig.has_containers() or not os.path.exists(os.path.join(rig.images(), "jupyter", "index.json")):
        sys.exit("containers need root and build/images: ops/images/build jupyter")
    if sys.argv[1:] == ["kafka"]:
        sys.argv.pop()
        unittest_report.run(WithoutTheVolume)
    else:
        unittest_report.run(AutomaticFolder)
