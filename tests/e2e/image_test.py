"""Images that are built while Berth runs, by a builder that does what the test says: sessions wait for them and start by themselves."""

import os
import signal
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

LAYOUT = os.path.join(rig.ROOT, "build", "images", "python") + ":3.11"
# Takes a word at a time: "fail", "done", else a percent and a step to say.
BUILDER = """#!/bin/bash
echo $$ >>{folder}/pids
echo "fake: other:1: 1 %: beginning" >&2
exec 3<>{folder}/words # kept open: between two opens a writer that closes late would look like the end of the words
while read -r word <&3; do
  case "$word" in
    fail) echo "no room on the disk" >&2; exit 3 ;;
    done) echo "other:1 oci:{layout}"; exit 0 ;;
    *) echo "fake: other:1: $word" >&2 ;;
  esac
done
"""


class Image(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.builder = os.path.join(self.folder, "builder")
        os.mkfifo(os.path.join(self.folder, "words"))
        with open(self.builder, "w", encoding="ascii") as file:
            file.write(BUILDER.format(folder=self.folder, layout=LAYOUT))
        os.chmod(self.builder, 0o700)
        self.addCleanup(self.end_builders)

    def up(self, **options):
        up = rig.Berth(**{"backend": "oci", "more": ["--build-image", "other", "--image-builder", self.builder], **options})
        self.addCleanup(up.remove)
        return up.start()

    def builders(self):
        try:
            with open(os.path.join(self.folder, "pids"), encoding="ascii") as file:
                return [int(line) for line in file]
        except OSError:
            return []

    def end_builders(self):
        for pid in filter(rig.alive, self.builders()):
            os.kill(pid, signal.SIGKILL)

    def tell(self, word):
        """The builder that runs reads it next."""
        def opened():
            try:
                return os.open(os.path.join(self.folder, "words"), os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                return None  # nobody reads
        fd = rig.eventually("the builder listens", opened)
        os.write(fd, word.encode() + b"\n")
        os.close(fd)

    def ask(self, up, name="demo"):
        asked = ("session", "run", "--image", "other:1", "--cpu", "0.5", "--mem", "128m", "--name", name, "-q", "-o", "name")
        rig.eventually("other:1 can be asked for", lambda: up.cli(*asked).returncode == 0)

    def waits(self, up, code, percent=None, name="demo"):
        def reason():
            session = up.cli.session(name)
            return session["status"] == "PENDING" and session["reason"] == {"code": code, "slot": None, "percent": percent}
        rig.eventually(f"{name} waits: {code} {percent}", reason)

    def test_a_session_waits_for_its_image_and_starts_by_itself(self):
        up = self.up()
        log = os.path.join(up.data, "image-build.log")
        self.assertIn(f"berth up: image other is built in the background; its log: {log}\n", up.process.words())
        self.ask(up)
        self.waits(up, "image-building", 1)
        self.tell("43 %: installing")
        self.waits(up, "image-building", 43)
        self.assertIn("image-building 43 %", up.cli.ok("session", "ls"))
        self.assertIn("installing", up.cli.ok("session", "why", "demo"))
        self.tell("done")
        up.cli.wait("demo")
        self.assertEqual(up.cli.session("demo")["status"], "RUNNING")
        rig.eventually("berth up says that it is ready", lambda: "berth up: image other:1 is ready\n" in up.process.words())
        image = next(one for one in up.cli.json("image", "ls") if one["reference"] == "other:1")
        self.assertRegex(image["digest"], "^sha256:[0-9a-f]{64}$")
        self.assertEqual((image["source"], image["labels"]["berth.debian"]), (f"oci:{LAYOUT}", "bookworm"))
        with open(log, encoding="utf-8") as file:
            self.assertIn("fake: other:1: 43 %: installing\n", file.read())
        up.verify()

    def test_a_build_that_fails_is_told_and_the_next_one_lets_the_session_start(self):
        up = self.up()
        self.ask(up)
        self.tell("fail")
        self.waits(up, "image-build-failed")
        self.assertIn("no room on the disk", up.cli.ok("session", "why", "demo"))
        said = f"berth up: image other could not be built; why is in {up.data}/image-build.log\n"
        rig.eventually("berth up says so", lambda: said in up.process.words())
        self.assertTrue(up.process.runs())
        again = rig.Process([rig.program("berth"), "--data", up.data, "image", "build", "other", "--builder", self.builder], up.data,
                            self.folder + "/again.log")
        self.tell("done")
        self.assertEqual(again.child.wait(rig.PATIENCE), 0, again.words())
        up.cli.wait("demo")

    def test_a_second_build_on_the_machine_is_told_which_one_runs(self):
        up = self.up()
        self.tell("5 %: packages")
        second = up.cli("image", "build", "third", "--builder", self.builder)
        self.assertEqual(second.returncode, 5, second.stderr)
        self.assertRegex(second.stderr, r"image-build-running: this machine is building other \(process \d+\)")

    def test_ctrl_c_ends_the_build_too_and_the_next_start_builds_again(self):
        up = self.up(keep=True)
        self.ask(up)
        self.tell("5 %: packages")
        self.assertEqual(up.process.stop(), 0, up.process.words())
        self.assertNotIn("could not be built", up.process.words())
        self.assertEqual([rig.alive(pid) for pid in self.builders()], [False])
        up.start()
        self.tell("done")
        up.cli.wait("demo")
        self.assertEqual(len(self.builders()), 2)

    def test_a_kill_ends_the_build_too_and_the_next_start_builds_again(self):
        up = self.up(keep=True)
        self.ask(up)
        self.tell("50 %: packages")
        self.waits(up, "image-building", 50)
        up.process.kill()
        rig.eventually("the builder is gone", lambda: not any(map(rig.alive, self.builders())))
        up.start()
        self.waits(up, "image-building", 1)
        self.tell("done")
        up.cli.wait("demo")
        up.verify()

    def test_processes_have_no_images_and_nothing_is_built(self):
        up = self.up(backend="process")
        up.demo(1)
        up.cli.wait("demo")
        self.assertNotIn("berth up: image", up.process.words())
        self.assertEqual(up.process.stop(), 0, up.process.words())
        self.assertEqual(self.builders(), [])


if __name__ == "__main__":
    if not rig.has_containers():
        sys.exit("containers need root and build/images: ops/images/build python:3.11")
    unittest_report.run(Image)
