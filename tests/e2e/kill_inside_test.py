"""kill -9 of everything around a session in use: a container that mounts a folder. Clients work all the while: a terminal, programs, connections to an app,
uploads, downloads. Server and agent, launcher, shim and helper are killed in an order that is drawn from the seed, each once. Afterwards:

  - who was cut was told so, and is back: each client goes on after each kill;
  - nothing is lost: what was acknowledged is on disk with its hash, nothing half is under any name, the session is the same process;
  - nothing is left: processes, mounts of every namespace, loop devices, networks, cgroups and sockets are those of before.

kill_inside_test.py [kafka]   on a real Kafka broker, with two servers, of which one leads, and an agent, each killed by itself; else all three are one process"""

import hashlib
import http.client
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import campaign
import unittest_report
from files_client import CHUNK, Files, Refused
from traces import Traces
from web_socket import Refused as NoSocket
from web_socket import WebSocket

SEED = 1
ECHO = ("import socketserver\nclass Echo(socketserver.BaseRequestHandler):\n    def handle(self):\n        while data := self.request.recv(65536):\n"
        "            self.request.sendall(data)\nsocketserver.ThreadingTCPServer.allow_reuse_address = True\n"
        "socketserver.ThreadingTCPServer(('127.0.0.1', 8765), Echo).serve_forever()")
CUT = (OSError, EOFError, http.client.HTTPException, Refused, NoSocket, AssertionError)  # what a client may see of a kill: never a wrong answer


class Wrong(Exception):
    """An answer that no kill excuses."""


class Server:
    """Of the cell, as the rig's clients take it."""

    def __init__(self, part):
        self.data, self.port = part.data, int(part.words[part.words.index("--port") + 1])


class Client(threading.Thread):
    """Does one piece of work after the other, at a server that answers, until it is told to stop."""

    def __init__(self, servers, seed):
        super().__init__(daemon=True)
        self.servers, self.random = servers, random.Random(seed)
        self.done, self.cut, self.wrong, self.last, self.stopping = 0, 0, None, "", False

    def run(self):
        while not self.stopping and not self.wrong:
            try:
                self.work(self.random.choice(self.servers))
                self.done += 1
            except Wrong as wrong:
                self.wrong = wrong
            except CUT as cut:
                self.cut, self.last = self.cut + 1, repr(cut)[-300:]
                time.sleep(0.1)

    def work(self, server):
        raise NotImplementedError


class Terminal(Client):
    """One shell: what is typed is answered, by the same shell unless that had to die."""

    def work(self, server):
        with WebSocket(server, "/v1/sessions/work/shell", patience=20) as shell:
            shell.begin(name="kept", command=["/bin/sh"])
            while not self.stopping:
                number = self.random.randrange(1 << 30)
                shell.type(f"echo says-$(({number} + 1))\r")
                shell.until(f"says-{number + 1}\r\n")
                self.done += 1
                time.sleep(0.02)


class Program(Client):
    def work(self, server):
        with WebSocket(server, "/v1/sessions/work/exec", patience=20) as program:
            program.begin(command=["sh", "-c", "head -c 200000 /dev/zero | wc -c; exit 7"])
            out, _, last, _ = program.end()
            if last and "ended" in last and (out, last["ended"]["exit_code"]) != (b"200000\n", 7) and last["ended"]["signal"] == 0:
                raise Wrong((out[-100:], last))
            if not last or "ended" not in last or last["ended"]["signal"] != 0:
                raise EOFError(last)


class App(Client):
    def work(self, server):
        with WebSocket(server, "/v1/sessions/work/apps/8765/connect", patience=20) as app:
            for _ in range(8):
                sent, heard = self.random.randbytes(50_000), b""
                app.type(sent)
                while len(heard) < len(sent):
                    told = app.message()
                    if not isinstance(told, bytes):
                        if told == {}:
                            continue
                        raise EOFError(told)
                    heard += told
                if heard != sent:
                    raise Wrong("an app's bytes are others")


class Uploader(Client):
    """Each file under a name of its own; one that was acknowledged is there."""

    def __init__(self, servers, seed):
        super().__init__(servers, seed)
        self.asked, self.there = {}, {}

    def work(self, server):
        files = Files(server, "data")
        content = self.random.randbytes(self.random.choice((0, 1000, CHUNK + 1)))
        name = f"file{len(self.asked):04}"
        self.asked[name] = hashlib.sha256(content).digest()
        upload, offset = files.begin(name, content), 0
        while True:
            try:
                if offset < len(content):
                    offset = files.put(upload, content, offset)
                    continue
                files.finish(upload)
                self.there[name] = self.asked[name]
                return
            except CUT as cut:  # it goes on, with whoever answers
                if self.stopping:
                    raise
                self.cut, self.last = self.cut + 1, repr(cut)[-300:]
                if getattr(cut, "code", "") in ("path-exists", "checksum-differs"):
                    raise Wrong(cut) from cut
                time.sleep(0.1)
                files = Files(self.random.choice(self.servers), "data")
                offset = self.offset(files, upload, offset)

    @staticmethod
    def offset(files, upload, offset):
        try:
            return files.ask("GET", upload)["offset"]
        except CUT:
            return offset


class Downloader(Client):
    """The same file, again and again: it is whole or cut."""

    def __init__(self, servers, seed, content):
        super().__init__(servers, seed)
        self.content = content

    def work(self, server):
        came = Files(server, "data").download("large")
        if came != self.content:
            raise Wrong(f"{len(came)} other bytes")


class Cell(campaign.Cell):
    """Two servers and an agent on Kafka."""

    names = ("a1",)

    def kernels_of(self, data):
        volume = data + "/volume"
        os.mkdir(volume, 0o700)
        return ["--backend", "oci", "--volume", "local=" + volume]

    def start(self):
        super().start()
        self.cli().ok("image", "add", "python:3.11", f"oci:{rig.images()}/python:3.11")

    def servers(self):
        return [Server(one) for one in self.controllers]

    def volume(self):
        return self.agents[0].data + "/volume"

    def agent_process(self):
        return self.agents[0].process

    def kills(self):
        def kill(part):
            part.kill()
            part.start()

        def leader():
            name = self.cli().json("cluster", "show")["leader"]
            return next(one for one in self.controllers if one.name == name)
        yield "the controller", lambda: kill(leader())
        yield "an API server", lambda: kill(next(one for one in self.controllers if one is not leader()))
        yield "the agent", lambda: kill(self.agents[0])

    def kill_agent_and(self, below):
        self.agents[0].kill()
        for pid in below:
            os.kill(pid, signal.SIGKILL)
        self.agents[0].start()


class Up:
    """`berth up`: server and agent in one process."""

    def __init__(self, root):
        os.mkdir(root + "/data", 0o700)
        self.up = rig.Berth(data=root + "/data", backend="oci", keep=True)

    def start(self):
        self.up.start()

    def remove(self):
        self.up.remove()

    def cli(self):
        return self.up.cli

    def alive(self):
        return set(self.up.cli("agent", "ls", "--state", "ALIVE", "-o", "name", "-q").stdout.split())

    def servers(self):
        return [self.up]

    def volume(self):
        return self.up.data + "/volumes/local"

    def agent_process(self):
        return self.up.process

    def kills(self):
        yield "server and agent", lambda: self.kill_agent_and([])

    def kill_agent_and(self, below):
        self.up.process.kill()
        for pid in below:
            os.kill(pid, signal.SIGKILL)
        self.up.start()


class KillInside(unittest.TestCase):
    cell = Up

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="berth-inside-")
        os.chmod(self.root, 0o755)
        self.addCleanup(shutil.rmtree, self.root, True)
        self.traces = Traces(self.root)
        self.cell = type(self).cell(self.root)
        self.addCleanup(self.cell.remove)
        self.cell.start()

    @property
    def cli(self):
        return self.cell.cli()

    def say(self, told):
        print(f"{time.monotonic() - self.began:6.1f} s  {told}", file=sys.stderr, flush=True)

    # ---- what is killed ----

    def kernel(self):
        return self.cli.pid("work")

    def children(self, pid):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]

    def helper(self):
        init = os.readlink(f"/proc/{self.kernel()}/exe")
        return next(pid for pid in self.children(self.kernel()) if os.readlink(f"/proc/{pid}/exe") == init)

    def launcher(self):
        return next(pid for pid in rig.kernel_processes(self.root) if rig.parent(pid) == self.cell.agent_process().child.pid)

    def kills(self):
        yield from self.cell.kills()
        yield "the launcher", lambda: os.kill(self.launcher(), signal.SIGKILL)
        yield "the shim", lambda: os.kill(rig.parent(self.kernel()), signal.SIGKILL)
        yield "the helper", lambda: os.kill(self.helper(), signal.SIGKILL)
        yield "agent, launcher and shim", lambda: self.cell.kill_agent_and(rig.kernel_processes(self.root))

    # ---- the test ----

    def folder_on_disk(self):
        return os.path.join(self.cell.volume(), "folders", self.cli.json("folder", "show", "data")["id"].replace("-", ""))

    def begin_session(self):
        self.cli.ok("folder", "create", "data")
        self.cli.ok("session", "run", "--image", "python:3.11", "--cpu", "1", "--mem", "512m", "--name", "work", "--mount", "data", "-d", "-q",
                    "--", "python3", "-c", ECHO, timeout=rig.PATIENCE * 4)
        self.cli.ok("session", "show", "work", "--wait", "--timeout", f"{rig.PATIENCE * 4}s", "-o", "name", timeout=rig.PATIENCE * 5)

    def go_on(self, clients, what):
        """Each client has done something that it began after now."""
        before = [one.done for one in clients]
        try:
            rig.eventually("each goes on", lambda: all(one.done >= was + 2 or one.wrong for one, was in zip(clients, before)), rig.PATIENCE * 2)
        except AssertionError:
            late = "; ".join(f"{type(one).__name__}: {one.last}" for one, was in zip(clients, before) if one.done < was + 2)
            self.fail(f"these do not go on after the kill of {what}: {late}")
        self.assertEqual([one.wrong for one in clients if one.wrong], [])

    def test_of_everything_around_a_session_in_use_loses_and_leaves_nothing(self):
        self.began = time.monotonic()
        idle = self.traces.look()
        self.begin_session()
        server = self.cell.servers()
        large = os.urandom(3 * CHUNK)
        Files(server[0], "data").upload("large", large)
        kernel = self.kernel()
        uploader = Uploader(server, SEED)
        clients = [Terminal(server, SEED), Program(server, SEED), App(server, SEED), uploader, Downloader(server, SEED, large)]
        for one in clients:
            one.start()
        self.go_on(clients, "nothing")
        rng = random.Random(SEED)
        kills = list(self.kills())
        rng.shuffle(kills)
        for what, kill in kills:
            time.sleep(rng.random())
            self.say("kill -9 of " + what)
            kill()
            self.go_on(clients, what)
        for one in clients:
            one.stopping = True
        for one in clients:
            one.join(rig.PATIENCE)
            self.assertFalse(one.is_alive(), type(one).__name__)
        self.say("; ".join(f"{type(one).__name__} did {one.done} and was cut {one.cut} times" for one in clients))
        rig.eventually("the cell is whole", lambda: self.cell.alive() == {"a1"})
        self.assertEqual((self.kernel(), rig.alive(kernel), self.cli.session("work")["status"]), (kernel, True, "RUNNING"))
        self.check_files(uploader, large)
        self.leave(idle)

    def check_files(self, uploader, large):
        found = {}
        for name in os.listdir(self.folder_on_disk()):
            with open(os.path.join(self.folder_on_disk(), name), "rb") as file:
                found[name] = hashlib.sha256(file.read()).digest()
        self.assertEqual(found.pop("large"), hashlib.sha256(large).digest())
        self.assertEqual({name: found.get(name) for name in uploader.there}, uploader.there)
        self.assertEqual({name: uploader.asked.get(name) for name in found}, found)
        self.assertGreater(len(found), len(list(self.kills())))

    def leave(self, idle):
        """The session ends, its folder is purged, and all is as before."""
        shown = self.cli.json("folder", "show", "data")["id"]
        self.cli.ok("session", "end", "work", "--wait")
        self.cli.ok("folder", "rm", "data")
        self.cli.ok("folder", "rm", shown, "--purge", "--yes")
        rig.eventually("its files are gone", lambda: not any(files for folder in ("folders", "staging", "trash")
                                                             for files in [os.listdir(f"{self.cell.volume()}/{folder}")]))
        told = {}

        def is_as_before():
            now = self.traces.look()
            # A server keeps connections to the broker, its agent and the other, more or fewer of them.
            now["sockets"] = idle["sockets"] if abs(now["sockets"] - idle["sockets"]) <= 12 else now["sockets"]
            told["differs"] = {what: (idle[what], now[what]) for what in idle if idle[what] != now[what]}
            return not told["differs"]
        try:
            rig.eventually("all is as before", is_as_before, 30)
        except AssertionError:
            self.fail(f"left behind (before, now): {told['differs']}")
        verified = self.cli.json("cluster", "verify")
        self.assertTrue(verified["verified"] and verified["live_state_hash"] == verified["replayed_state_hash"], verified)
        self.say("all is as before")


if __name__ == "__main__":
    if not rig.has_containers():
        sys.exit("containers need root and build/images: ops/images/build python:3.11")
    if "kafka" in sys.argv[1:]:
        KillInside.cell, KillInside.__name__ = Cell, "KillInsideOnKafka"
    unittest_report.run(KillInside)
