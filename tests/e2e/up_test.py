"""`berth up` as a user runs it: again, with other options, on a taken port, on another cluster's journal, stopped and killed."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import traces
import unittest_report


class Up(unittest.TestCase):
    def up(self, **options):
        one = rig.Berth(**options)
        self.addCleanup(one.remove)
        return one

    def test_the_same_again_prints_the_address_and_exits_0(self):
        up = self.up().start()
        again = up.again()
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn(f"http://127.0.0.1:{up.port}", again.stdout)
        self.assertTrue(up.process.runs())

    def test_other_options_say_what_differs_and_exit_5(self):
        up = self.up().start()
        again = up.cli("up", "--port", str(up.port), "--backend", "process", *rig.process_user(), "--accelerator", "mock:2x2",
                       "--end-kernels")
        self.assertEqual(again.returncode, 5, again.stdout)
        self.assertIn("--accelerator is 'mock:1x2', asked for 'mock:2x2'", again.stderr)
        self.assertNotIn("--port", again.stderr)
        self.assertTrue(up.process.runs())

    def test_a_port_in_use_is_named_and_exits_5(self):
        up = self.up()
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", up.port))
            taken.listen()
            self.assertEqual(up.launch().child.wait(rig.PATIENCE), 5, up.process.words())
        self.assertIn(str(up.port), up.process.words())

    def test_a_start_with_all_its_descriptors_closed_runs_on(self):
        up = self.up()
        words = ["sh", "-c", 'exec "$0" up "$@" <&- >&- 2>&-', rig.program("berth"), *up.options()]
        with subprocess.Popen(words, env=rig.environment(up.data)) as child:
            self.addCleanup(child.kill)
            rig.eventually("its agent is ALIVE", lambda: up.cli("agent", "ls", "--state", "ALIVE", "-o", "name", "-q").stdout.strip() or
                           child.poll() is not None)
            up.demo(1)
            self.running(up, "demo")
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(rig.PATIENCE), 0)

    def test_ctrl_c_ends_kernels_and_itself_and_leaves_no_process(self):
        up = self.up().start()
        up.demo(2)
        pids = [self.running(up, name) for name in ("demo-1", "demo-2")]
        self.assertEqual(up.process.stop(), 0, up.process.words())
        for pid in pids:
            self.assertFalse(rig.alive(pid))
        rig.eventually("no launcher and no shim is left", lambda: not rig.kernel_processes(up.data))
        self.assertFalse(os.path.exists(up.data + "/berth.endpoint"))

    def test_a_second_start_after_ctrl_c_knows_how_its_kernels_ended(self):
        up = self.up().start()
        up.demo(1)
        self.running(up, "demo")
        up.process.stop()
        up.start()
        rig.eventually("demo has ended", lambda: up.cli.session("demo")["status"] not in ("RUNNING", "TERMINATING"))
        kernel = up.cli.session("demo")["kernels"][0]
        self.assertEqual((kernel["end"], kernel["code"], kernel["message"]), ("STOPPED", "agent-stopped", "the agent was stopped"))
        up.verify()

    def test_kept_kernels_are_adopted_by_the_next_start(self):
        up = self.up(keep=True).start()
        up.demo(2)
        pids = [self.running(up, name) for name in ("demo-1", "demo-2")]
        self.assertEqual(up.process.stop(), 0, up.process.words())
        self.assertTrue(all(map(rig.alive, pids)))
        told = up.process.words()
        self.assertIn("these go on: demo-1, demo-2\n", told)
        self.assertIn(f"to come back   berth up --data {up.data} --port {up.port} --accelerator mock:1x2 --backend process\n", told)
        self.assertIn(f"to end them    berth --data {up.data} session rm demo-1 demo-2 ", told)
        up.start()
        self.assertEqual([self.running(up, name) for name in ("demo-1", "demo-2")], pids)
        up.cli.ok("session", "rm", "demo-1", "--wait", "--timeout", "30s", "-q")
        self.assertFalse(rig.alive(pids[0]))
        up.verify()
        left = traces.Traces(up.data)
        self.assertTrue(left.look()["processes"])
        up.remove()
        self.assertEqual(left.look()["processes"], [], "a test leaves no kernel behind")

    def test_a_start_takes_an_image_that_was_removed_and_a_key_that_was_renewed_as_they_are(self):
        up = self.up().start()
        for image in json.loads(up.cli.ok("image", "ls", "-o", "json")):
            up.cli.ok("image", "rm", image["reference"])
        up.cli.ok("agent", "enroll", "a1")
        self.assertEqual(up.process.stop(), 0, up.process.words())
        up.start()
        rig.eventually("a1 is ALIVE", lambda: up.cli.ok("agent", "ls", "--state", "ALIVE", "-o", "name").split() == ["a1"])
        up.demo(1)
        self.running(up, "demo")

    def test_a_journal_of_another_cluster_is_refused(self):
        first, second = self.up().start(), self.up().start()
        for one in (first, second):
            one.process.stop()
        shutil.rmtree(second.data + "/log")
        shutil.copytree(first.data + "/log", second.data + "/log")
        self.assertNotEqual(second.launch().child.wait(rig.PATIENCE), 0, second.process.words())
        self.assertRegex(second.process.words(), "(?i)cluster")

    def test_a_log_without_its_cluster_file_is_refused_and_gets_none(self):
        up = self.up().start()
        up.process.stop()
        os.remove(up.data + "/cluster.json")
        self.assertNotEqual(up.launch().child.wait(rig.PATIENCE), 0, up.process.words())
        self.assertIn("cluster-file-missing", up.process.words())
        self.assertFalse(os.path.exists(up.data + "/cluster.json"))

    def test_a_cluster_file_without_its_sealing_keys_is_refused(self):
        up = self.up().start()
        up.process.stop()
        with open(up.data + "/cluster.json", encoding="ascii") as file:
            whole = file.read()
        text = json.loads(whole)

        def without(gone):
            return {name: value for name, value in text.items() if name != gone}

        for damaged, code, status in (({**text, "sealing_keys": [{"number": 1, "key": "a" * 64}]}, "sealing-keys-wrong", 1),
                                      ({**text, "sealing_keys": []}, "cluster-file-malformed", 1),
                                      (without("sealing_keys"), "cluster-file-malformed", 1),
                                      (without("format"), "made-before-0.1.0", 2)):  # a unit does not start again after 2
            with open(up.data + "/cluster.json", "w", encoding="ascii") as file:
                json.dump(damaged, file)
            self.assertEqual(up.launch().child.wait(rig.PATIENCE), status, up.process.words())
            self.assertIn(code, up.process.words())
        with open(up.data + "/cluster.json", "w", encoding="ascii") as file:
            file.write(whole)
        up.start()

    def test_a_group_that_is_not_there_is_refused_with_those_that_are(self):
        up = self.up(more=["--group", "nope"])
        self.assertNotEqual(up.launch().child.wait(rig.PATIENCE), 0, up.process.words())
        self.assertIn("there are: default", up.process.words())

    def test_an_agent_that_was_removed_comes_back_under_another_name(self):
        up = self.up().start()
        self.assertEqual(up.process.stop(), 0, up.process.words())
        up.more = ["--name", "a2"]
        up.launch()
        rig.eventually("a2 is ALIVE", lambda: "a2" in up.cli("agent", "ls", "--state", "ALIVE", "-o", "name", "-q").stdout)
        rig.eventually("a1 is not", lambda: up.cli("agent", "rm", "a1").returncode == 0)
        self.assertEqual(up.process.stop(), 0, up.process.words())
        up.more = []
        self.assertNotEqual(up.launch().child.wait(rig.PATIENCE), 0, up.process.words())
        self.assertIn("berth up --name NAME", up.process.words())
        up.more = ["--name", "a2"]
        up.start()

    def test_a_copy_of_a_folder_is_refused_while_the_original_runs(self):
        up, copy = self.up().start(), self.up()
        shutil.rmtree(copy.data)
        subprocess.run(["cp", "-a", up.data, copy.data], check=True)
        self.assertNotEqual(copy.launch().child.wait(rig.PATIENCE), 0, copy.process.words())
        self.assertIn(f"{copy.data} is a copy of {up.data}", copy.process.words())
        self.assertEqual(up.process.stop(), 0, up.process.words())
        copy.start()

    def test_a_start_without_words_after_the_default_group_was_removed_names_the_groups(self):
        up = self.up().start()
        up.cli.ok("group", "set", "gpu")
        self.assertEqual(up.process.stop(), 0, up.process.words())
        up.more = ["--group", "gpu"]
        up.start()
        rig.eventually("a1 is of gpu", lambda: up.cli("group", "rm", "default").returncode == 0)
        self.assertEqual(up.process.stop(), 0, up.process.words())
        up.more = []
        self.assertNotEqual(up.launch().child.wait(rig.PATIENCE), 0, up.process.words())
        self.assertIn("there are: gpu", up.process.words())
        up.more = ["--group", "gpu"]
        up.start()

    def test_a_data_folder_that_is_a_file_is_an_error_and_no_crash(self):
        up = self.up()
        path = up.data + "/file"
        with open(path, "w", encoding="ascii") as file:
            file.write("x")
        done = rig.Cli(path)("up", "--port", str(up.port), "--backend", "process", *rig.process_user())
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertIn(path, done.stderr)

    def test_the_readmes_command_gives_what_the_readme_shows(self):
        """ops/up on a built tree, with plain processes: set-up, build, `berth up`; the first key and three commands to try."""
        up = self.up()
        words = [os.path.join(rig.ROOT, "ops", "up"), "--data", up.data, "--port", str(up.port), "--backend", "process", *rig.process_user(),
                 "--accelerator", "mock:1x2", "--end-kernels"]
        up.process = rig.Process(words, up.data, up.data + "/up.log")
        commands = re.compile(r"^  (berth .*)\n", re.MULTILINE)
        rig.eventually("ops/up prints its address and three commands", lambda: len(commands.findall(up.process.words())) >= 3 or up.ended(),
                       patience=240)
        told = up.process.words()
        self.assertRegex(told, rf"address +http://127.0.0.1:{up.port}\n +key +{up.data}/keys/admin.json\n")
        self.assertEqual(len(commands.findall(told)), 3, told)
        self.assertIn("a1", up.cli.ok("agent", "ls"))
        up.demo(3)
        up.cli.wait("demo-2")
        self.assertEqual(up.cli.session("demo-3")["reason"], {"code": "no-capacity", "slot": "cuda.shares", "percent": None})
        again = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual((again.returncode, f"http://127.0.0.1:{up.port}" in again.stdout), (0, True), again.stdout + again.stderr)
        self.assertEqual(up.process.stop(), 0, up.process.words())

    def running(self, up, name):
        up.cli.wait(name)
        self.assertEqual(up.cli.session(name)["status"], "RUNNING")
        return up.cli.pid(name)


if __name__ == "__main__":
    unittest_report.run(Up)
