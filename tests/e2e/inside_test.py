"""Programs and shells in kernels, through a real server, agent and helper, by a WebSocket client of the test's own.

inside_test.py [containers]   kernels are containers (as root, with images built), else processes"""

import os
import signal
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report
from web_socket import BINARY, MORE, TEXT, Refused, WebSocket

BACKEND = "oci" if "containers" in sys.argv[1:] else "process"
IMAGE = ["--image", "python:3.11"] if BACKEND == "oci" else []
ENDED = {"ended": {"exit_code": 0, "signal": 0}}


def session(up, name):
    up.cli.ok("session", "run", *IMAGE, "--cpu", "0.5", "--mem", "128m", "--name", name, "-q", "-o", "name")
    up.cli.wait(name)


def stream(up, what, of="kept", **options):
    return WebSocket(up, f"/v1/sessions/{of}/{what}", **options)


class Inside(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth(backend=BACKEND)
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        session(cls.up, "kept")

    def open(self, what, of="kept", /, **first):
        opened = stream(self.up, what, of)
        self.addCleanup(opened.close)
        self.assertFalse(opened.begin(**first)["restarts"])
        return opened

    def run_there(self, script, **first):
        return self.open("exec", command=["/bin/sh", "-c", script], **first)

    def problem_of(self, opened):
        _, _, last, close = opened.end()
        return last["problem"]["code"], close

    def test_a_program_says_what_it_has_to_say_and_how_it_ended(self):
        out, err, last, close = self.run_there("echo out; echo err >&2; exit 7").end()
        self.assertEqual((out, err, close), (b"out\n", b"err\n", 1000))
        self.assertEqual(last, {"ended": {"exit_code": 7, "signal": 0}})
        _, _, last, _ = self.run_there("kill -9 $$").end()
        self.assertEqual(last, {"ended": {"exit_code": 137, "signal": 9}})

    def test_what_ends_with_a_kernel_is_counted_also_after_its_helper_died(self):
        session(self.up, "lost")
        run = ["/bin/sh", "-c", "printf 12345 >kept-nowhere; pwd"]
        opened = stream(self.up, "exec", "lost")
        self.addCleanup(opened.close)
        opened.begin(command=run)
        folder = opened.end()[0].decode().strip()
        path = folder + "/kept-nowhere" if BACKEND == "oci" else "kept-nowhere"
        for _ in range(2):
            lost = self.up.cli.json("session", "losses", "lost")
            self.assertEqual(lost["names"], [{"kernel": "main1", "path": path, "bytes": 5}])
            self.assertEqual((lost["files"], lost["bytes"], lost["complete"]), (1, 5, True))
            kill = stream(self.up, "exec", "lost")
            self.addCleanup(kill.close)
            kill.say(command=["/bin/sh", "-c", "kill -9 $PPID"])
            kill.end()  # what ends the helper may be quicker than the word that it has begun
        self.up.cli.ok("session", "end", "lost", "--wait", "-q")

    def test_what_is_typed_comes_to_the_program_whole(self):
        cat = self.open("exec", command=["cat"])
        data = os.urandom(1 << 20)

        def types():
            for at in range(0, len(data), 1 << 16):
                cat.type(data[at:at + (1 << 16)])
            cat.say(end_of_input=True)

        typist = threading.Thread(target=types)
        typist.start()
        out, _, last, _ = cat.end()
        typist.join()
        self.assertEqual(len(out), len(data))
        self.assertTrue(out == data)
        self.assertEqual(last, ENDED)

    def test_environment_and_folder_are_the_programs(self):
        out, _, _, _ = self.run_there('echo "$WORD"; pwd', environment={"WORD": "a b\nc"}, folder="/tmp").end()
        self.assertEqual(out, b"a b\nc\n/tmp\n")

    def test_a_program_that_is_not_there_is_told_by_its_name(self):
        opened = stream(self.up, "exec")
        opened.say(command=["no-such-program"])
        self.assertEqual(self.problem_of(opened), ("program-not-found", 1008))

    def test_a_program_in_a_terminal_knows_its_size(self):
        shown = self.run_there("stty size; read word; stty size", terminal=True, columns=120, rows=40)
        shown.until("40 120")
        shown.say(columns=101, rows=33)
        shown.type("\r")
        out, _, last, _ = shown.end()
        self.assertIn(b"33 101", out)
        self.assertEqual(last, ENDED)

    def test_a_program_ends_with_its_stream(self):
        began = self.run_there("echo $$; exec sleep 1000")
        pid = began.until("\n").strip()
        began.close()
        rig.eventually("it ends", lambda: self.run_there(f"kill -0 {pid} 2>/dev/null || echo gone").end()[0] == b"gone\n")

    def test_a_shell_lives_on_and_comes_back_with_what_it_printed(self):
        name = "lives"
        first = self.open("shell", name=name, command=["/bin/sh"], environment={"PS1": "$ "})
        first.type("echo one-$((20 + 3))\r")
        first.until("one-23")
        first.close()
        second = stream(self.up, "shell")
        begun = second.begin(name=name, existing=True)
        self.assertFalse(begun["made"])
        self.assertGreater(begun["scrollback"], 0)
        self.assertIn("one-23", second.until("one-23"))
        third = self.open("shell", name=name)
        second.type("echo two-$((20 + 3))\r")
        second.until("two-23")
        third.until("two-23")
        second.type("exit 3\r")
        for shown in (second, third):
            self.assertEqual(shown.end()[2:], ({"ended": {"exit_code": 3, "signal": 0}}, 1000))

    def test_shells_are_listed_and_ended(self):
        shown = self.open("shell", name="listed", command=["/bin/sh"])
        path = "/v1/sessions/kept/shells"
        status, told = rig.asked(self.up, "GET", path)
        self.assertEqual(status, 200)
        self.assertIn(b'"name":"listed","command":"/bin/sh"', told)
        self.assertEqual(rig.asked(self.up, "DELETE", path + "/listed")[0], 200)
        self.assertEqual(shown.end()[3], 1000)
        self.assertEqual(rig.asked(self.up, "DELETE", path + "/listed")[0], 404)

    def test_what_is_no_message_of_ours_closes_it(self):
        for opcode, payload, code in ((TEXT, b"{}", 1008), (BINARY, b"", 1008), (TEXT, b"\xff", 1007), (MORE, b"x", 1002)):
            opened = self.open("exec", command=["cat"])
            opened.send(opcode, payload)
            self.assertEqual(opened.end()[3], code, payload)

    def test_a_frame_of_a_gibibyte_is_not_waited_for(self):
        opened = self.open("exec", command=["cat"])
        opened.send(BINARY, b"x", announces=1 << 30)
        self.assertEqual(opened.end()[3], 1009)

    def test_100_mb_at_once_come_whole_and_slow_readers_hold_nobody_up(self):
        slow = self.run_there("head -c 100000000 /dev/zero")
        fast = self.run_there("head -c 100000000 /dev/zero | tr '\\0' x")
        size = 0
        while isinstance(told := fast.message(), bytes):
            size += len(told) - 1
        self.assertEqual((size, told), (100_000_000, ENDED))
        self.assertEqual(len(slow.end()[0]), 100_000_000)

    def test_who_does_not_sign_or_asks_for_another_protocol_is_refused(self):
        for options, code in (({"headers": {"Host": f"127.0.0.1:{self.up.port}"}}, "credential-missing"), ({"protocol": "chat"}, "unknown-subprotocol")):
            with self.assertRaises(Refused) as refused:
                stream(self.up, "exec", **options)
            self.assertEqual(refused.exception.code, code)
        with self.assertRaises(Refused) as refused:
            stream(self.up, "exec", "no-such")
        self.assertEqual(refused.exception.code, "unknown-session")

    def test_the_end_of_its_session_cuts_it(self):
        session(self.up, "short")
        shown = self.open("shell", "short", command=["/bin/sh"])
        began = time.monotonic()
        self.up.cli.ok("session", "end", "short", "-q")
        self.assertEqual(self.problem_of(shown), ("session-ended", 1008))
        self.assertLess(time.monotonic() - began, 10)
        with self.assertRaises(Refused) as refused:
            stream(self.up, "shell", "short")
        self.assertIn(refused.exception.code, ("session-ended", "session-terminating"))

    def test_a_server_that_stops_says_so_and_the_shell_is_there_again_behind_the_next(self):
        up = rig.Berth(backend=BACKEND, keep=True)
        self.addCleanup(up.remove)
        up.start()
        session(up, "kept")
        shown = stream(up, "shell")
        self.addCleanup(shown.close)
        shown.begin(name="lives", command=["/bin/sh"])
        shown.type("word=still-here\r")
        told = {}
        reader = threading.Thread(target=lambda: told.update(end=shown.end()))
        reader.start()
        up.process.send(signal.SIGINT)
        reader.join(rig.PATIENCE)
        self.assertEqual((told["end"][2]["problem"]["code"], told["end"][3]), ("stopping", 1001))
        up.start()
        up.cli.wait("kept")
        again = stream(up, "shell")
        self.addCleanup(again.close)
        self.assertFalse(again.begin(name="lives", existing=True)["made"])
        again.type("echo $word-$((1 + 1))\r")
        again.until("still-here-2")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if BACKEND == "oci" and not rig.has_containers():
        sys.exit("containers need root, and images: ops/images/build python")
    unittest_report.run(Inside)
