"""Three brokers of Kafka, most of which are away and come back, under a Berth of two controllers that is asked all the time: what one of three decides is
never acknowledged, and Berth goes on by itself. What happens where one of three is away, campaign.py shows.
"""

import json
import os
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
import brokers
import cell
import unittest_report

WRITERS = 4


class Cell(cell.Cell):
    names, of_log = (), ()

    def brokers_in(self, data):
        return brokers.Brokers(data)


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
                self.refused.append((json.loads(body)["code"] if body.startswith(b"{") else body.decode(), status, body))
                time.sleep(0.05)

    def stop(self):
        self.over = True
        for thread in self.threads:
            thread.join()


class Brokers(unittest.TestCase):
    def setUp(self):
        root = tempfile.mkdtemp(prefix="berth-e2e-brokers-")
        self.addCleanup(shutil.rmtree, root, True)
        self.cell = Cell(root)
        self.addCleanup(self.cell.remove)
        self.cell.start()
        self.brokers = self.cell.brokers
        self.asker = Asker(self.cell.controllers)
        self.addCleanup(self.asker.stop)
        rig.eventually("both are heard", lambda: len(self.asker.taken) > 20)

    def test_one_of_three_decides_nothing_and_nothing_is_lost_when_all_were_away(self):
        self.two_of_three_away()
        self.all_away()
        self.nothing_is_lost()

    def two_of_three_away(self):
        gone = self.brokers.leader_of_journal()
        for broker in (gone, gone % brokers.BROKERS + 1):
            self.brokers.kill(broker)
        rig.eventually("the last one has noticed", lambda: time.monotonic() - max(self.asker.times) > 6)
        taken, refused = len(self.asker.taken), len(self.asker.refused)
        rig.eventually("it is refused", lambda: len(self.asker.refused) > refused + WRITERS)
        self.assertEqual(len(self.asker.taken), taken, "decided by one of three")
        told = self.asker.refused[refused:]
        self.assertLessEqual({code for code, _, _ in told}, {"log-unavailable", "outcome-unknown", "controller-full", "not-ready", "log-busy"}, told)
        self.brokers.start()
        rig.eventually("it goes on", lambda: len(self.asker.taken) > taken + 20)
        rig.eventually("all replicas are in sync", self.brokers.are_in_sync)

    def all_away(self):
        self.brokers.kill_all()
        taken = len(self.asker.taken)
        self.brokers.start()
        rig.eventually("it goes on by itself", lambda: len(self.asker.taken) > taken + 20)

    def nothing_is_lost(self):
        self.asker.stop()
        for controller in self.cell.controllers:
            def missing(cli=rig.Cli(controller.data)):
                return set(self.asker.taken) - set(cli.ok("group", "ls", "-o", "name").split())
            rig.eventually("each that was acknowledged is there", lambda missing=missing: not missing())
        self.assertEqual(len(self.asker.taken), len(set(self.asker.taken)))
        print(f"{len(self.asker.taken)} requests acknowledged, {len(self.asker.refused)} refused, none lost")


if __name__ == "__main__":
    if not rig.built("berth-controller") or not os.path.exists(brokers.PROBE):
        sys.exit("not built: berth-controller kafka_probe")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest_report.run(Brokers)
