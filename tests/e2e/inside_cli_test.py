"""`berth session exec`, `shell` and `attach` as people use them: with pipes, on a terminal, through a cut, against a real server, agent and helper.

inside_cli_test.py [tls]   the server speaks https"""

import hashlib
import os
import signal
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report
from terminal import Terminal

MORE = ["--tls"] if "tls" in sys.argv[1:] else []


class InsideCli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth(keep=True, more=MORE)
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        cls.up.cli.ok("session", "run", "--cpu", "0.1", "--mem", "256m", "--name", "demo", "-q", "-o", "name")
        cls.up.cli.wait("demo")

    def terminal(self, *words, **size):
        opened = Terminal(self.up.data, *words, **size)
        self.addCleanup(opened.close)
        return opened

    def exec(self, *words, **more):
        return subprocess.run([rig.program("berth"), "--data", self.up.data, "exec", "demo", *words], env=rig.environment(self.up.data),
                              capture_output=True, timeout=rig.PATIENCE * 2, check=False, **more)

    def shell(self, name):
        """A shell on a terminal that waits for what is typed."""
        shell = self.terminal("shell", "demo", "-n", name, "--", "/bin/sh")
        shell.sees(f"shell {name} of demo; ")
        shell.type("PS1='> '; echo rea''dy\r")
        shell.sees("ready\r\n> ")
        return shell

    def test_a_programs_output_errors_and_code_are_the_commands(self):
        done = self.exec("--", "sh", "-c", "echo out; echo err >&2; exit 7", stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, b"out\n", b"err\n"))
        self.assertEqual(self.exec("--", "sh", "-c", "kill -9 $$", stdin=subprocess.DEVNULL).returncode, 137)
        done = self.exec("-e", "WORD=a b", "-w", "/tmp", "--", "sh", "-c", 'echo "$WORD"; pwd', stdin=subprocess.DEVNULL)
        self.assertEqual(done.stdout, b"a b\n/tmp\n")

    def test_a_descriptor_that_came_closed_is_none_of_berths_own(self):
        """`>&-` and the like: neither a socket nor an epoll takes the number, to be waited on for ever."""
        for script in ("echo hi >&- </dev/null", "cat <&-", "sh -c 'echo hello >&2' 2>&- </dev/null"):
            done = subprocess.run(["sh", "-c", f'exec "$0" --data "$1" exec demo -- {script}', rig.program("berth"), self.up.data],
                                  env=rig.environment(self.up.data), capture_output=True, timeout=rig.PATIENCE, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""), script)

    def test_what_cannot_run_and_what_is_not_there_exit_as_documented(self):
        done = self.exec("--", "no-such-program", stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 127, done.stderr)
        self.assertIn(b"berth: program-not-found: ", done.stderr)
        self.assertEqual(self.exec("-k", "sub9", "--", "true", stdin=subprocess.DEVNULL).returncode, 3)
        self.assertEqual(self.up.cli("exec", "nobody", "--", "true").returncode, 3)
        self.assertEqual(self.up.cli("shell", "demo", "-n", "none", "--existing").returncode, 3)
        self.assertEqual(self.up.cli("shell", "demo", "-n", "none", "--end").returncode, 3)

    def test_ten_mebibytes_go_through_a_program_and_come_back_whole(self):
        data = os.urandom(10 << 20)
        done = self.exec("--", "cat", input=data)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(hashlib.sha256(done.stdout).digest(), hashlib.sha256(data).digest())

    def test_a_reader_that_goes_away_ends_it_without_a_word(self):
        with subprocess.Popen([rig.program("berth"), "--data", self.up.data, "exec", "demo", "--", "yes"], env=rig.environment(self.up.data),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as yes:
            self.assertEqual(yes.stdout.read(4), b"y\ny\n")
            yes.stdout.close()
            self.assertEqual(yes.wait(rig.PATIENCE), 141)
            self.assertEqual(yes.stderr.read(), b"")

    def test_dash_t_gives_a_terminal_of_this_size(self):
        run = self.terminal("exec", "demo", "-t", "--", "sh", "-c", "tty; stty size; read line; stty size; exit 3")
        self.assertIn(b"/dev/", run.sees(r"[^\r\n]+\r\n").group())
        run.sees("30 90\r\n")
        with run.held():
            run.resize(101, 41)
            run.type("\r")
        run.sees("41 101\r\n")
        self.assertEqual(run.ends(), 3)

    def test_keys_go_to_the_program_on_the_terminal(self):
        run = self.terminal("exec", "demo", "-t", "--", "sh", "-c", "trap 'echo caught; exit 5' INT; echo go; while :; do sleep 0.1; done")
        run.sees("go\r\n")
        run.type(b"\x03")
        run.sees("caught\r\n")
        self.assertEqual(run.ends(), 5)

    def test_a_shell_that_one_detached_from_is_there_as_it_was(self):
        shell = self.shell("kept")
        shell.type("VALUE=4''2; cd /tmp\r")
        shell.sees("> $")
        shell.type(b"\x1d?")
        shell.sees(r"Ctrl-\] \.       detaches")
        shell.type(b"\x1d.")
        shell.sees("detached; shell kept of demo goes on: `berth shell demo -n kept` comes back\r\n")
        self.assertEqual(shell.ends(), 0)
        listed = self.up.cli.json("shell", "demo", "--list")
        self.assertIn(("kept", "/bin/sh", 0), [(one["name"], one["command"], one["clients"]) for one in listed])
        again = self.terminal("shell", "demo", "-n", "kept")
        again.sees("shell kept of demo, as it was left")
        again.type("echo $VALUE $PWD\r")
        again.sees("42 /tmp\r\n")
        again.type("exit 4\r")
        self.assertEqual(again.ends(), 4)
        self.assertNotIn("kept", [one["name"] for one in self.up.cli.json("shell", "demo", "--list")])

    def run_with_stdin(self, name, *words, **more):
        return subprocess.Popen([rig.program("berth"), "--data", self.up.data, "run", "--cpu", "0.1", "--mem", "64m", "--name", name, *words],
                                env=rig.environment(self.up.data), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def test_a_session_for_one_command_gets_this_stdin_and_ends_with_it(self):
        run = self.run_with_stdin("piped", "--stdin", "--", "sh", "-c", "wc -c; exit 6")
        out, err = run.communicate(b"x" * 100_000, timeout=rig.PATIENCE * 2)
        self.assertEqual((run.returncode, out.strip()), (6, b"100000"), err)
        self.up.cli.ok("session", "show", "piped", "--wait=ended", "--timeout", f"{rig.PATIENCE}s", "-o", "name")
        on_terminal = self.terminal("run", "--cpu", "0.1", "--mem", "64m", "--name", "typed", "--terminal", "--", "sh", "-c", "echo go; read a; echo got $a")
        on_terminal.sees("go\r\n")
        on_terminal.type("this\r")
        on_terminal.sees("got this\r\n")
        self.assertEqual(on_terminal.ends(), 0)
        self.up.cli.ok("session", "show", "typed", "--wait=ended", "--timeout", f"{rig.PATIENCE}s", "-o", "name")

    def test_a_signal_to_the_one_who_ran_a_command_ends_its_session(self):
        run = self.run_with_stdin("stopped", "--stdin", "--", "sh", "-c", "echo go; cat")
        self.assertEqual(run.stdout.readline(), b"go\n")
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=rig.PATIENCE)
        self.up.cli.ok("session", "show", "stopped", "--wait=ended", "--timeout", f"{rig.PATIENCE}s", "-o", "name")
        on_terminal = self.terminal("run", "--cpu", "0.1", "--mem", "64m", "--name", "hung", "--terminal", "--", "sh", "-c", "echo go; cat")
        on_terminal.sees("go\r\n")
        on_terminal.child.send_signal(signal.SIGHUP)
        on_terminal.ends()
        self.up.cli.ok("session", "show", "hung", "--wait=ended", "--timeout", f"{rig.PATIENCE}s", "-o", "name")

    def test_end_ends_a_shell_for_all_who_look_at_it(self):
        shell = self.shell("ended")
        self.assertEqual(self.up.cli.ok("shell", "demo", "-n", "ended", "--end"), "ended\n")
        self.assertEqual(shell.ends(), 129)

    def test_a_signal_leaves_the_terminal_as_it_was_and_the_shell_alive(self):
        for which in (signal.SIGTERM, signal.SIGHUP):
            shell = self.shell(f"of-{which}")
            shell.child.send_signal(which)
            self.assertEqual(shell.ends(), -which)
            rig.eventually("nobody looks at it", lambda name=f"of-{which}": (name, 0) in [
                (one["name"], one["clients"]) for one in self.up.cli.json("shell", "demo", "--list")])

    def test_what_is_piped_into_a_shell_is_typed(self):
        done = subprocess.run([rig.program("berth"), "--data", self.up.data, "shell", "demo", "-n", "piped", "--", "/bin/sh"],
                              env=rig.environment(self.up.data), input=b"echo 4''2\nexit 6\n", capture_output=True, timeout=rig.PATIENCE,
                              check=False)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn(b"42\r\n", done.stdout)

    def test_z_a_server_that_is_killed_is_come_back_to(self):
        shell = self.shell("cut")
        program = self.terminal("exec", "demo", "-t", "--", "sh", "-c", "echo go; sleep 100")
        program.sees("go\r\n")
        shell.type("A=before\r")
        shell.sees("> $")
        self.up.process.kill()
        shell.sees(r"the connection is lost; trying for 60 s to come back \(Ctrl-\] \. leaves\)\r\n")
        program.sees("berth: connection-lost: ")
        self.assertEqual(program.ends(), 6)
        self.up.start()
        shell.sees("back in shell cut of demo\r\n")
        shell.type("echo $A and aft''er\r")
        shell.sees("before and after\r\n")
        shell.type("exit\r")
        self.assertEqual(shell.ends(), 0)

    def test_z_attach_follows_a_session_to_its_end(self):
        self.up.cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "job", "--detach", "-q", "--", "sh", "-c",
                       "echo begun; sleep 1; echo done; exit 9")
        done = self.up.cli("session", "attach", "job")
        self.assertEqual((done.returncode, done.stdout), (9, "begun\ndone\n"), done.stderr)
        self.assertIn("job exited 9", done.stderr)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest_report.run(InsideCli)
