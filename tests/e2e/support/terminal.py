"""A terminal of a test's own, on which `berth` runs."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import berth as rig


class Terminal:
    """`berth` on a terminal of its own, and the hands of the one who sits there."""

    def __init__(self, data, *words, columns=90, rows=30, **variables):
        """`variables`: of its environment, beside the usual ones."""
        self.hand, terminal = pty.openpty()
        self.path = os.ttyname(terminal)
        self.resize(columns, rows)
        self.before = termios.tcgetattr(terminal)
        self.child = subprocess.Popen([rig.program("berth"), "--data", data, *words], stdin=terminal, stdout=terminal, stderr=terminal,
                                      env={**rig.environment(data), **variables}, start_new_session=True,
                                      preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.terminal = terminal
        self.seen = b""

    def resize(self, columns, rows):
        fcntl.ioctl(self.hand, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @contextlib.contextmanager
    def held(self):
        """`berth` finds all that happens meanwhile at once."""
        self.child.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.child.pid, os.WSTOPPED)
        yield
        self.child.send_signal(signal.SIGCONT)

    def type(self, keys):
        os.write(self.hand, keys if isinstance(keys, bytes) else keys.encode())

    def read(self, patience):
        if not select.select([self.hand], [], [], patience)[0]:
            return False
        self.seen += os.read(self.hand, 65536)
        return True

    def sees(self, pattern):
        """Waits for what is printed next; returns the match and drops all up to its end."""
        deadline = time.monotonic() + rig.PATIENCE
        while True:
            found = re.search(pattern.encode(), self.seen)
            if found:
                self.seen = self.seen[found.end():]
                return found
            if time.monotonic() > deadline or (self.child.poll() is not None and not self.read(0)):
                raise AssertionError(f"no {pattern!r} in {self.seen!r}, exit {self.child.poll()}")
            self.read(0.2)

    def ends(self):
        """The exit code; the terminal has its modes back."""
        deadline = time.monotonic() + rig.PATIENCE
        while self.child.poll() is None and time.monotonic() < deadline:
            self.read(0.05)
        while self.read(0):
            pass
        assert termios.tcgetattr(self.terminal)[:4] == self.before[:4], "the terminal is not as it was"
        return self.child.wait(0)

    def close(self):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        os.close(self.hand)
        os.close(self.terminal)
