"""Three brokers of Kafka, which are killed, stand still and come back, under a Berth of two controllers that is asked all the time. Beside it goes a plain
client that appends to a topic of its own (kafka_probe): what Berth adds to the brokers' own silence is bounded.

Short: the broker that leads the journal is killed, then the one that leads it stands still, then two of three are away, then all. Long (BERTH_TEST_LONG=1):
each broker is killed and stands still in turn, before that.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

PROBE = os.environ.get("KP") or os.path.join(os.path.dirname(rig.BIN), "tests", "kafka_probe")
BROKERS = 3
STEADY = 2.0  # seconds in which nobody has waited: it is over
WRITERS = 4
LONG = os.environ.get("BERTH_TEST_LONG") == "1"
ADDS_KILLED, ADDS_FROZEN = (2.0, 5.0) if LONG else (6.0, 9.0)  # seconds, to what the plain client waits; beside the short form other tests run


class Server:
    """A controller on its own folder, whose first key signs requests."""

    def __init__(self, name, url, data):
        self.data, self.port = data, rig.free_port()
        self.words = [rig.program("berth-controller"), "--log", url, "--data", data, "--name", name, "--port", str(self.port)]

    def start(self):
        self.process = rig.Process(self.words, self.data, self.data + "/controller.log")
        rig.eventually("it serves", lambda: " serves " in self.process.words() or not self.process.runs())
        if not self.process.runs():
            raise AssertionError(self.process.words())


class Probe:
    """The plain client: when it was acknowledged last, by partition."""

    def __init__(self, servers):
        subprocess.run([PROBE, servers, "topic", "probe", str(BROKERS)], check=True, timeout=rig.PATIENCE)
        self.child = subprocess.Popen([PROBE, servers, "produce", "probe"], stdout=subprocess.PIPE, text=True)
        self.times = {str(partition): [] for partition in range(BROKERS)}
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            partition, at = line.split()
            self.times[partition].append(int(at) / 1000)

    def stop(self):
        self.child.kill()
        self.child.wait()


class Asker:
    """Asks each of two controllers for groups of ever new names, and keeps which were acknowledged, and when."""

    def __init__(self, servers):
        self.servers, self.times, self.taken, self.refused = servers, [], [], []
        self.over, self.count, self.lock = False, 0, threading.Lock()
        self.threads = [threading.Thread(target=self.run, args=(number,), daemon=True) for number in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def run(self, number):
        server = self.servers[number % len(self.servers)]
        while not self.over:
            with self.lock:
                self.count += 1
                name = f"g{self.count}"
            try:
                status, body = rig.asked(server, "POST", "/v1/groups", json.dumps({"name": name}))
            except OSError as error:
                status, body = 0, str(error).encode()
            if status == 201:
                self.taken.append(name)
                self.times.append(time.monotonic())
            else:
                self.refused.append((status, json.loads(body)["code"] if body.startswith(b"{") else body.decode()))
                time.sleep(0.05)

    def stop(self):
        self.over = True
        for thread in self.threads:
            thread.join()


def is_free(port):
    with socket.socket() as there:
        return there.connect_ex(("127.0.0.1", port)) != 0


def silence(times, since):
    """The longest pause between acknowledgements from `since` until now."""
    marks = [since] + [at for at in list(times) if at > since] + [time.monotonic()]
    return max(later - earlier for earlier, later in zip(marks, marks[1:]))


class Brokers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = tempfile.mkdtemp(prefix="berth-e2e-brokers-")
        cls.addClassCleanup(shutil.rmtree, cls.data, True)
        cls.port = cls.three_ports()
        cls.addClassCleanup(cls.stop_all)
        cls.url = cls.start_all()
        cls.servers = cls.url.removeprefix("kafka://")

    @classmethod
    def three_ports(cls):
        for _ in range(50):
            port = rig.free_port()
            if port < 55_000 and all(is_free(port + k + more) for k in range(BROKERS) for more in (0, 10_000)):
                return port
        raise AssertionError("no three free ports side by side")

    @classmethod
    def start_all(cls):
        done = subprocess.run([os.path.join(rig.ROOT, "ops", "kafka", "cluster"), "--data", cls.data, "--port", str(cls.port)], capture_output=True,
                              text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        return done.stdout.strip()

    @classmethod
    def stop_all(cls):
        for broker in range(1, BROKERS + 1):
            cls.end(broker)

    @classmethod
    def end(cls, broker):
        subprocess.run([os.path.join(rig.ROOT, "ops", "kafka", "stop"), "--data", f"{cls.data}/{broker}", "--kill"], check=True, capture_output=True)

    def signal(self, broker, which):
        with open(f"{self.data}/{broker}/broker.pid", encoding="ascii") as file:
            os.kill(int(file.read()), which)

    def partitions(self):
        told = subprocess.run([PROBE, self.servers, "partitions"], capture_output=True, text=True, timeout=rig.PATIENCE, check=False).stdout
        return [(topic, *map(int, numbers)) for topic, *numbers in map(str.split, told.splitlines())]

    def in_sync(self):
        there = self.partitions()
        return bool(there) and all(leader > 0 and in_sync == replicas for _, _, leader, in_sync, replicas in there)

    def leader_of_journal(self):
        return next(leader for topic, _, leader, _, _ in self.partitions() if topic.endswith(".journal"))

    def controller(self, name):
        server = Server(name, f"{self.url}/brokers", self.folder())
        self.addCleanup(lambda: server.process.kill())
        return server

    def folder(self):
        data = tempfile.mkdtemp(prefix="berth-e2e-")
        self.addCleanup(shutil.rmtree, data, True)
        return data

    def begin(self):
        first = self.controller("c1")
        first.start()
        second = self.controller("c2")
        shutil.copy(first.data + "/cluster.json", second.data + "/cluster.json")
        second.start()
        os.makedirs(second.data + "/keys", mode=0o700, exist_ok=True)
        shutil.copy(first.data + "/keys/admin.json", second.data + "/keys/admin.json")
        self.berths = [first, second]
        self.probe = Probe(self.servers)
        self.addCleanup(self.probe.stop)
        self.asker = Asker(self.berths)
        self.addCleanup(self.asker.stop)
        rig.eventually("both are heard", lambda: len(self.asker.taken) > 20 and all(self.probe.times.values()))

    def waited(self, since):
        """(the plain client, Berth): seconds."""
        return max(silence(times, since) for times in self.probe.times.values()), silence(self.asker.times, since)

    def over(self, since):
        """Nobody has waited for a moment."""
        return time.monotonic() > since + 2 * STEADY and all(wait < STEADY / 4 for wait in self.waited(time.monotonic() - STEADY))

    def without(self, broker, how, adds):
        since = time.monotonic()
        if how == "killed":
            self.end(broker)
        else:
            self.signal(broker, signal.SIGSTOP)
        try:
            rig.eventually("all goes on", lambda: self.over(since))
        except AssertionError:
            pass  # told with the figures
        finally:
            plain, berth = self.waited(since)
            if how == "killed":
                self.start_all()
            else:
                self.signal(broker, signal.SIGCONT)
        print(f"broker {broker} {how}: a plain client waited {plain:.1f} s, Berth {berth:.1f} s")
        self.assertLessEqual(berth, plain + adds, how)
        rig.eventually("all replicas are in sync", self.in_sync)

    def test_berth_waits_little_longer_than_a_plain_client(self):
        self.begin()
        for broker in range(1, BROKERS + 1) if LONG else ():
            self.without(broker, "killed", ADDS_KILLED)
            self.without(broker, "frozen", ADDS_FROZEN)
        self.without(self.leader_of_journal(), "killed", ADDS_KILLED)
        self.without(self.leader_of_journal(), "frozen", ADDS_FROZEN)
        self.two_of_three_away()
        self.all_away()
        self.nothing_is_lost()

    def two_of_three_away(self):
        gone = self.leader_of_journal()
        for broker in (gone, gone % BROKERS + 1):
            self.end(broker)
        rig.eventually("the last one has noticed", lambda: time.monotonic() - max(self.asker.times) > 6)
        taken, refused = len(self.asker.taken), len(self.asker.refused)
        rig.eventually("it is refused", lambda: len(self.asker.refused) > refused + WRITERS)
        self.assertEqual(len(self.asker.taken), taken, "decided by one of three")
        self.assertLessEqual({code for _, code in self.asker.refused[refused:]},
                             {"log-unavailable", "outcome-unknown", "controller-full", "not-ready", "log-busy"})
        self.start_all()
        rig.eventually("it goes on", lambda: len(self.asker.taken) > taken + 20)
        rig.eventually("all replicas are in sync", self.in_sync)

    def all_away(self):
        self.stop_all()
        taken = len(self.asker.taken)
        self.start_all()
        rig.eventually("it goes on by itself", lambda: len(self.asker.taken) > taken + 20)

    def nothing_is_lost(self):
        self.asker.stop()
        for berth in self.berths:
            def missing(berth=berth):
                cli = rig.Cli(berth.data, "--endpoint", f"http://127.0.0.1:{berth.port}")
                return set(self.asker.taken) - set(cli.ok("group", "ls", "-o", "name").split())
            rig.eventually("each that was acknowledged is there", lambda missing=missing: not missing())
        self.assertEqual(len(self.asker.taken), len(set(self.asker.taken)))
        print(f"{len(self.asker.taken)} requests acknowledged, {len(self.asker.refused)} refused, none lost")


if __name__ == "__main__":
    if not rig.built("berth-controller") or not os.path.exists(PROBE):
        sys.exit("not built: berth-controller kafka_probe")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest_report.run(Brokers)
