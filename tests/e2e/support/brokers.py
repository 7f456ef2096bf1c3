"""Three brokers of Kafka on this machine, and a plain client of them beside Berth."""

import itertools
import os
import signal
import socket
import subprocess
import threading
import time

import berth as rig

PROBE = os.environ.get("KP") or os.path.join(os.path.dirname(rig.BIN), "tests", "kafka_probe")
BROKERS = 3


def is_free(port):
    with socket.socket() as there:
        return there.connect_ex(("127.0.0.1", port)) != 0


def ports_side_by_side():
    """The first of as many free ports as there are brokers; those of their controllers lie 10,000 above."""
    for _ in range(50):
        port = rig.free_port()
        if port < 55_000 and all(is_free(port + k + more) for k in range(BROKERS) for more in (0, 10_000)):
            return port
    raise AssertionError("no three free ports side by side")


class Brokers:
    """Numbers 1 to 3, on a folder that is the caller's."""

    def __init__(self, data):
        self.data, self.port = data, ports_side_by_side()
        self.numbers = range(1, BROKERS + 1)
        self.servers = ""

    def start(self):
        """Starts each broker that is down. Returns the cluster's URL."""
        done = subprocess.run([os.path.join(rig.ROOT, "ops", "kafka", "cluster"), "--data", self.data, "--port", str(self.port)], capture_output=True,
                              text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        url = done.stdout.strip()
        self.servers = url.removeprefix("kafka://")
        return url

    def kill(self, number):
        subprocess.run([os.path.join(rig.ROOT, "ops", "kafka", "stop"), "--data", f"{self.data}/{number}", "--kill"], check=True, capture_output=True)

    def kill_all(self):
        for number in self.numbers:
            self.kill(number)

    def send(self, number, which):
        with open(f"{self.data}/{number}/broker.pid", encoding="ascii") as file:
            os.kill(int(file.read()), which)

    def freeze(self, number):
        self.send(number, signal.SIGSTOP)

    def thaw(self, number):
        self.send(number, signal.SIGCONT)

    def partitions(self):
        """Of each partition: topic, number, leader, how many replicas are in sync, how many there are. Nothing where no broker answers."""
        told = subprocess.run([PROBE, self.servers, "partitions"], capture_output=True, text=True, timeout=rig.PATIENCE, check=False).stdout
        return [(topic, *map(int, numbers)) for topic, *numbers in map(str.split, told.splitlines())]

    def are_in_sync(self):
        there = self.partitions()
        return bool(there) and all(leader > 0 and in_sync == replicas for _, _, leader, in_sync, replicas in there)

    def leader_of_journal(self):
        return rig.eventually("the journal has a leader", lambda: next(
            (leader for topic, _, leader, _, _ in self.partitions() if topic.endswith(".journal") and leader > 0), None))


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

    def silence(self, since):
        """The longest pause of a partition."""
        return max(silence(times, since) for times in self.times.values())

    def stop(self):
        self.child.kill()
        self.child.wait()


def silence(times, since):
    """The longest pause between acknowledgements from `since` until now."""
    recent = itertools.takewhile(lambda at: at > since, reversed(times))
    marks = [since, *reversed(list(recent)), time.monotonic()]
    return max(later - earlier for earlier, later in zip(marks, marks[1:]))
