"""kill -9 of everything around a session in use: a container that mounts a folder. Clients work all the while: a terminal, programs, connections to an app,
uploads, downloads. Server and agent, launcher, shim, helper and app are killed in an order that is drawn from the seed, each once, at last the session's
own program. Afterwards:

  - only those clients were cut that what was killed serves, they were told so, and each goes on after each kill;
  - nothing is lost: what was acknowledged is on disk with its hash, nothing half is under any name, the session is the same process until its own ends;
  - nothing is left: processes, mounts of every namespace, loop devices, networks, cgroups and sockets are those of before, and none once all has stopped.

kill_inside_test.py [--seed N] [kafka]   on a real Kafka broker, with two servers, of which one leads, and an agent, each killed by itself; else all
                                         three are one process"""

import argparse
import contextlib
import hashlib
import http.client
import json
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
import cell
import unittest_report
from files_client import CHUNK, Files, Refused
from traces import Traces, text
from web_socket import Refused as NoSocket
from web_socket import WebSocket

PORT = "8765"
DISK = "2g"  # of the agent: what it offers by itself hangs on how full this machine is
KINDS = ("processes", "mounts", "loops", "networks", "cgroups", "sockets")  # of traces, of which a session in use has some
CLOSED = 1000  # the close of a stream whose other side ended it
ECHO = ["python3", "-c", "import socketserver\nclass Echo(socketserver.BaseRequestHandler):\n    def handle(self):\n"
        "        while data := self.request.recv(65536):\n            self.request.sendall(data)\n"
        "socketserver.ThreadingTCPServer.allow_reuse_address = True\nsocketserver.ThreadingTCPServer(('127.0.0.1', " + PORT + "), Echo).serve_forever()"]


def kill(*pids):
    """What has ended by itself meanwhile, as a launcher may after its agent, is gone all the same."""
    for pid in pids:
        rig.kill_hard(pid)


class Wrong(Exception):
    """An answer that no kill excuses."""


class Server:
    """Of the cell, as the rig's clients take it."""

    def __init__(self, part):
        self.data, self.port = part.data, int(part.words[part.words.index("--port") + 1])


class Told(Exception):
    """A stream's last word, or that there was none."""

    def __init__(self, last):
        super().__init__(str(last))
        self.code = last.get("problem", {}).get("code", "") if isinstance(last, dict) else ""


CUT = (OSError, EOFError, http.client.HTTPException, Refused, NoSocket, Told)  # what a client may see of a kill: never a wrong answer


class Client(threading.Thread):
    """Does one piece of work after the other, at a server that answers, until it is told to stop."""

    def __init__(self, servers, seed):
        super().__init__(daemon=True)
        self.servers, self.random = servers, random.Random(seed)
        self.done, self.cuts, self.wrong, self.stopping = 0, [], None, False

    def run(self):
        while not self.stopping and not self.wrong:
            try:
                self.work(self.random.choice(self.servers))
                self.done += 1
            except Wrong as wrong:
                self.wrong = wrong
            except CUT as cut:
                self.was_cut(cut)

    def was_cut(self, cut):
        self.cuts.append((getattr(cut, "code", ""), repr(cut)[:600]))
        time.sleep(0.1)  # a person's pause, or a cut server is asked all the time

    def last(self):
        return self.cuts[-1][1] if self.cuts else "it was never cut"

    def work(self, server):
        raise NotImplementedError

    def stream(self, server, what):
        return WebSocket(server, "/v1/sessions/work/" + what, patience=20)

    @staticmethod
    def begun(stream, **first):
        stream.say(**first)
        told = stream.message()
        if not isinstance(told, dict) or "begun" not in told:
            raise Told(told)
        return told["begun"]


class Terminal(Client):
    """One shell: what is typed is answered, by the same shell unless that died with its helper."""

    def __init__(self, servers, seed):
        super().__init__(servers, seed)
        self.of = set()  # the helpers whose shell has answered, by their number

    def work(self, server):
        with self.stream(server, "shell") as shell:
            begun = self.begun(shell, name="kept", command=["/bin/sh"])
            if begun["made"] and begun["restarts"] in self.of:
                raise Wrong(f"the shell is another one: {begun}")
            while not self.stopping:
                self.ask(shell)
                self.of.add(begun["restarts"])
                self.done += 1
                time.sleep(0.02)

    def ask(self, shell):
        number = self.random.randrange(1 << 30)
        shell.type(f"echo says-$(({number} + 1))\r")
        answer, seen = f"says-{number + 1}\r\n".encode(), b""
        while answer not in seen:
            told = shell.message()
            if isinstance(told, bytes):
                seen = seen[-100:] + told[1:]
            elif "lost" not in (told if isinstance(told, dict) else {}):
                raise Told(told)


class Program(Client):
    """Programs that print and end with a code of their own."""

    def work(self, server):
        with self.stream(server, "exec") as program:
            self.begun(program, command=["sh", "-c", "head -c 200000 /dev/zero | wc -c; exit 7"])
            out, _, last, _ = program.end()
            if not last or "ended" not in last or last["ended"]["signal"] != 0:
                raise Told(last)
            if (out, last["ended"]["exit_code"]) != (b"200000\n", 7):
                raise Wrong((out[-100:], last))


class App(Client):
    """Starts the app, which does nothing where it runs, and speaks to it."""

    def work(self, server):
        self.start_app(server)
        with self.stream(server, "apps/echo/connect") as app:
            for _ in range(8):
                sent, heard = self.random.randbytes(50_000), b""
                app.type(sent)
                while len(heard) < len(sent):
                    told = app.message()
                    if isinstance(told, bytes):
                        heard += told
                    elif told != {}:
                        raise Told(told)
                if heard != sent:
                    raise Wrong("an app's bytes are others")

    def start_app(self, server):
        with self.stream(server, "apps/echo/start") as start:
            self.begun(start)
            while True:
                told = start.message()
                if isinstance(told, int) or (isinstance(told, dict) and ("problem" in told or "ended" in told)):
                    raise Told(told)
                if isinstance(told, dict) and told.get("app", {}).get("state") == "ready":
                    return


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
                if getattr(cut, "code", "") in ("path-exists", "checksum-differs"):
                    raise Wrong(cut) from cut
                self.was_cut(cut)
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
        came = Files(server, "data").download("large0")
        if came != self.content:
            raise Wrong(f"{len(came)} other bytes")


class Cell(cell.Cell):
    """Two servers and an agent on Kafka."""

    names = ("a1",)

    def kernels_of(self, data):
        volume = data + "/volume"
        os.mkdir(volume, 0o700)
        return ["--backend", "oci", "--volume", "local=" + volume, "--disk", DISK]

    def servers(self):
        return [Server(one) for one in self.controllers]

    def volume(self):
        return self.agents[0].data + "/volume"

    def agent_process(self):
        return self.agents[0].process

    def leader(self):
        def named():
            name = self.cli().json("cluster", "show")["leader"]
            return next((one for one in self.controllers if one.name == name), None)
        return rig.eventually("a server leads", named)

    def kills(self):
        def again(part):
            part.kill()
            part.start()
        yield "the server that leads", lambda: again(self.leader())
        yield "the other server", lambda: again(next(one for one in self.controllers if one is not self.leader()))
        yield "the agent", self.kill_agent_and

    def kill_agent_and(self, *below):
        self.agents[0].kill()
        kill(*below)
        self.agents[0].start()

    def is_whole(self):
        return all(set(rig.Cli(one.data)("agent", "ls", "--state", "ALIVE", "-o", "name", "-q").stdout.split()) == {"a1"} for one in self.controllers)

    def stop(self):
        for one in self.agents + self.controllers:
            one.send(signal.SIGINT)
            one.process.child.wait(rig.PATIENCE)
        self.brokers.run("stop")


class Up:
    """`berth up`: server and agent in one process."""

    def __init__(self, root):
        os.mkdir(root + "/data", 0o700)
        self.up = rig.Berth(data=root + "/data", backend="oci", keep=True, more=["--disk", DISK])

    def start(self):
        self.up.start()

    def remove(self):
        self.up.remove()

    def cli(self):
        return self.up.cli

    def is_whole(self):
        return self.up.cli("agent", "ls", "--state", "ALIVE", "-o", "name", "-q").stdout.split() == ["a1"]

    def servers(self):
        return [self.up]

    def volume(self):
        return self.up.data + "/volumes/local"

    def agent_process(self):
        return self.up.process

    def kills(self):
        yield "server and agent", self.kill_agent_and

    def kill_agent_and(self, *below):
        self.up.process.kill()
        kill(*below)
        self.up.start()

    def stop(self):
        self.up.process.stop()


class KillInside(unittest.TestCase):
    cell, seed = Up, 1

    def setUp(self):
        self.began = time.monotonic()
        self.root = tempfile.mkdtemp(prefix="berth-inside-")
        os.chmod(self.root, 0o755)
        self.addCleanup(shutil.rmtree, self.root, True)
        self.traces = Traces(self.root)
        self.nothing = self.traces.look()
        self.cell = type(self).cell(self.root)
        self.addCleanup(self.cell.remove)
        self.cell.start()

    @property
    def cli(self):
        return self.cell.cli()

    def say(self, told):
        print(f"{time.monotonic() - self.began:6.1f} s  {told}", file=sys.stderr, flush=True)

    # ---- what is killed ----

    @staticmethod
    def children(pid):
        return [int(word) for word in text(f"/proc/{pid}/task/{pid}/children").split()]

    @staticmethod
    def named(name, pids):
        """Of these processes the one that has the name, once there is one alone."""
        return rig.eventually(f"there is one {name}", lambda: [found for found in [[pid for pid in pids() if text(f"/proc/{pid}/comm").strip() == name]]
                                                               if len(found) == 1])[0][0]

    def end_kernel(self):
        """Of a test that failed: a kernel outlives launcher and shim."""
        if os.path.basename(self.root) in text(f"/proc/{self.kernel}/mountinfo"):
            kill(self.kernel)

    def helper(self):
        return self.named("berth-helper", lambda: self.children(self.kernel))

    def shell(self):
        return self.named("sh", lambda: [pid for pid in self.children(self.helper()) if text(f"/proc/{pid}/cmdline") == "/bin/sh\0"])

    def app(self):
        return self.named("python3", lambda: self.children(self.helper()))

    def shim(self):
        return self.named("berth-shim", lambda: rig.kernel_processes(self.root))

    def launcher(self):
        agent = self.cell.agent_process().child.pid
        return self.named("berth-launcher", lambda: [pid for pid in rig.kernel_processes(self.root) if rig.parent(pid) == agent])

    def kill_helper(self):
        """What it holds dies with it, and whoever looks at that is told."""
        below = [self.shell(), self.app()]
        with self.held("shell", name="kept") as shell, self.held("apps/echo/connect") as app:
            kill(self.helper())
            self.assertEqual(self.last_of(shell)["problem"]["code"], "channel-closed")
            self.assertEqual(self.last_of(app), CLOSED)
        rig.eventually("shell and app are gone", lambda: not any(map(rig.alive, below)))

    def kill_app(self):
        with self.held("apps/echo/connect") as app:
            kill(self.app())
            self.assertEqual(self.last_of(app), CLOSED)

    @contextlib.contextmanager
    def held(self, what, **first):
        """A stream of this thread's that has answered, and on which nothing is on its way."""
        with WebSocket(self.cell.servers()[0], "/v1/sessions/work/" + what, patience=20) as stream:
            if first:
                stream.begin(**first)
            else:
                stream.type("are you there?")
                self.assertEqual(stream.message(), b"are you there?")
            yield stream

    @staticmethod
    def last_of(stream):
        """The last that a stream says, without output: a text, or the code of its close."""
        while isinstance(told := stream.message(), bytes):
            pass
        return told

    def kills(self):
        """What each is called, how it is done, and which clients may notice it."""
        for what, done in self.cell.kills():
            yield what, done, (Client,)
        yield "the launcher", lambda: kill(self.launcher()), ()
        yield "the shim", lambda: kill(self.shim()), ()
        yield "the helper", self.kill_helper, (Terminal, Program, App)
        yield "the app", self.kill_app, (App,)
        yield "agent, launcher and shim", lambda: self.cell.kill_agent_and(self.launcher(), self.shim()), (Client,)

    # ---- the test ----

    def folder_on_disk(self):
        return os.path.join(self.cell.volume(), "folders", self.cli.json("folder", "show", "data")["id"].replace("-", ""))

    def begin_session(self):
        source = f"oci:{rig.images()}/python:3.11"
        self.cli.ok("image", "add", "echo:1", source, "--label", f"berth.apps=echo:tcp:{PORT}", "--label", "berth.app.echo.command=" + json.dumps(ECHO))
        self.cli.ok("session", "run", "--image", "echo:1", "--cpu", "1", "--mem", "512m", "--disk", "1g", "--name", "work", "--mount", "data", "-d", "-q",
                    "--", "sleep", "infinity", timeout=rig.PATIENCE * 4)
        self.cli.ok("session", "show", "work", "--wait", "--timeout", f"{rig.PATIENCE * 4}s", "-o", "name", timeout=rig.PATIENCE * 5)

    def go_on(self, clients, what):
        """Each client has done something that it began after now."""
        before = [one.done for one in clients]
        try:
            rig.eventually("each goes on", lambda: all(one.done >= was + 2 or one.wrong for one, was in zip(clients, before)), rig.PATIENCE * 2)
        except AssertionError:
            late = "; ".join(f"{type(one).__name__}: {one.last()}" for one, was in zip(clients, before) if one.done < was + 2)
            self.fail(f"these do not go on after the kill of {what}: {late}")
        self.assertEqual([one.wrong for one in clients if one.wrong], [])

    def survive(self, what, done, noticed_by):
        """The kill, after which all clients go on; only those that may notice it do, and they are told nothing wrong."""
        for one in self.clients:
            one.cuts.clear()
        self.say("kill -9 of " + what)
        done()
        self.go_on(self.clients, what)
        rig.eventually("the cell is whole", self.cell.is_whole)
        cuts = {type(one).__name__: list(one.cuts) for one in self.clients if one.cuts}
        for name, told in cuts.items():
            self.say(f"  {name} was told " + ", ".join(sorted({code or words.partition("(")[0] for code, words in told})))
        noticed = [type(one).__name__ for one in self.clients if one.cuts and not isinstance(one, noticed_by)]
        self.assertEqual(noticed, [], f"they noticed the kill of {what}: {cuts}")
        if Client not in noticed_by:
            self.assertNotIn("agent-unreachable", str(cuts), "the agent was there")

    def end_program(self):
        """The session ends with its own program: each client is told so, and those of the folder work on."""
        inside, outside = self.clients[:3], self.clients[3:]
        for one in self.clients:
            one.cuts.clear()
        self.say("kill -9 of the session's own program")
        kill(self.named("sleep", lambda: self.children(self.kernel)))
        rig.eventually("each is told of the session's end", lambda: all("session-ended" in [code for code, _ in one.cuts] for one in inside))
        self.go_on(outside, "the session's own program")
        self.assertEqual([one.cuts for one in outside], [[], []])
        rig.eventually("the session has ended", lambda: self.cli.session("work")["status"] == "TERMINATED")
        self.assertEqual(self.cli.session("work")["kernels"][0]["exit_code"], 137)

    def stop_clients(self):
        for one in self.clients:
            one.stopping = True
        for one in self.clients:
            one.join(rig.PATIENCE)
            self.assertFalse(one.is_alive(), type(one).__name__)
        self.say("; ".join(f"{type(one).__name__} did {one.done}" for one in self.clients))

    def test_of_everything_around_a_session_in_use_loses_and_leaves_nothing(self):
        servers, rng = self.cell.servers(), random.Random(self.seed)
        large = rng.randbytes(CHUNK + 1)
        self.cli.ok("folder", "create", "data")
        for number, one in enumerate(servers):  # so that each server has its connection to the agent
            Files(one, "data").upload(f"large{number}", large)
        idle = rig.eventually("no connection is closing", lambda: [seen for seen in [self.traces.look()] if not seen["closing sockets"]])[0]
        self.begin_session()
        self.kernel = self.cli.pid("work")
        self.addCleanup(self.end_kernel)
        uploader = Uploader(servers, self.seed)
        self.clients = [Terminal(servers, self.seed), Program(servers, self.seed), App(servers, self.seed), uploader,
                        Downloader(servers, self.seed, large)]
        for one in self.clients:
            one.start()
        self.go_on(self.clients, "nothing")
        used = self.traces.look()
        self.assertEqual([kind for kind in KINDS if used[kind] == idle[kind]], [], "of these a session in use has none: what it leaves would not be seen")
        kills = list(self.kills())
        rng.shuffle(kills)
        for what, done, noticed_by in kills:
            time.sleep(rng.random())  # so that it comes upon any step of a client's work
            self.survive(what, done, noticed_by)
        session = self.cli.session("work")
        self.assertEqual((session["kernels"][0]["pid"], rig.alive(self.kernel), session["status"]), (self.kernel, True, "RUNNING"))
        self.end_program()
        self.stop_clients()
        self.check_files(uploader, large)
        self.leave(idle)

    def check_files(self, uploader, large):
        found = {}
        for name in os.listdir(self.folder_on_disk()):
            with open(os.path.join(self.folder_on_disk(), name), "rb") as file:
                found[name] = hashlib.sha256(file.read()).digest()
        for number in range(len(self.cell.servers())):
            self.assertEqual(found.pop(f"large{number}"), hashlib.sha256(large).digest())
        self.assertEqual({name: found.get(name) for name in uploader.there}, uploader.there)
        self.assertEqual({name: uploader.asked.get(name) for name in found}, found)

    def leave(self, idle):
        """The session's folders are purged, and all is as before."""
        for folder in self.cli.json("folder", "ls"):
            self.cli.ok("folder", "rm", folder["name"])
            self.cli.ok("folder", "rm", folder["id"], "--purge", "--yes")
        rig.eventually("its files are gone", lambda: not any(os.listdir(f"{self.cell.volume()}/{part}") for part in ("folders", "staging", "trash")))
        self.is_as(idle, "all is as before")
        verified = self.cli.json("cluster", "verify")
        self.assertTrue(verified["verified"] and verified["live_state_hash"] == verified["replayed_state_hash"], verified)
        self.cell.stop()
        self.is_as(self.nothing, "nothing is left")

    def is_as(self, before, what):
        differs = {}

        def look():
            differs.clear()
            now = self.traces.look()
            differs.update({kind: (before[kind], now[kind]) for kind in before if before[kind] != now[kind]})
            return not differs
        try:
            rig.eventually(what, look, 30)
        except AssertionError:
            self.fail(f"not so: {what}. That differs (before, now): {differs}")
        self.say(what)


if __name__ == "__main__":
    if not rig.has_containers():
        sys.exit("containers need root and build/images: ops/images/build python:3.11")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", nargs="?", choices=("kafka",))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    KillInside.seed = options.seed
    if options.log:
        KillInside.cell, KillInside.__name__ = Cell, "KillInsideOnKafka"
    unittest_report.run(KillInside)
