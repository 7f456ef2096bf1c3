"""The same on a real Kafka: one broker for all tests, streams of its own for each. Kills of the controller, the agent and the broker, each
apart; two controllers, of which one leads."""

import http.client
import json
import os
import signal
import subprocess
import sys
import shutil
import tempfile
import time
import unittest
import urllib.error
import urllib.request
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report


PROBE = os.path.join(os.path.dirname(rig.BIN), "tests", "kafka_probe")
LONG = os.environ.get("BERTH_TEST_LONG") == "1"


def broker(action, data, *words):
    done = subprocess.run([os.path.join(rig.ROOT, "ops", "kafka", action), "--data", data, *words], capture_output=True, text=True,
                          timeout=300, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout.strip()


def start_broker(test):
    """A broker for all tests of a class, which has its `data`, `port` and `url` from here on."""
    test.data = tempfile.mkdtemp(prefix="berth-e2e-kafka-")
    test.addClassCleanup(shutil.rmtree, test.data, True)
    test.port = str(rig.free_port())
    test.addClassCleanup(broker, "stop", test.data, "--kill")
    test.url = broker("start", test.data, "--port", test.port)


class Kafka(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        start_broker(cls)

    def streams(self):
        return f"{self.url}/{self.id().rpartition('.')[2][:70]}"

    def folder(self):
        data = tempfile.mkdtemp(prefix="berth-e2e-")
        self.addCleanup(shutil.rmtree, data, True)
        return data

    def up(self):
        up = rig.Berth(log=self.streams())
        self.addCleanup(up.remove)
        up.start()
        up.demo(3)
        return up, self.pids(up.cli)

    def pids(self, cli):
        for name in ("demo-1", "demo-2"):
            cli.wait(name)
        return [cli.pid(name) for name in ("demo-1", "demo-2")]

    def goes_on(self, cli, pids, late=()):
        """`late`: names asked for while the log could not say whether it took them."""
        self.assertEqual(self.pids(cli), pids)
        self.assertTrue(all(map(rig.alive, pids)))
        cli.ok("session", "rm", "demo-1", "--wait", "--timeout", "60s", "-q")
        cli.wait("demo-3")
        names = {name: status for name, status in cli.names().items() if name not in late}
        self.assertEqual(names, {"demo-1": "TERMINATED", "demo-2": "RUNNING", "demo-3": "RUNNING"})
        told = cli.json("cluster", "verify")
        self.assertEqual((told["verified"], told["live_state_hash"]), (True, told["replayed_state_hash"]))

    def test_kill_9_of_controller_and_agent(self):
        up, pids = self.up()
        up.process.kill()
        up.start()
        self.goes_on(up.cli, pids)

    def test_kill_9_of_the_broker(self):
        up, pids = self.up()
        broker("stop", self.data, "--kill")
        self.assertTrue(up.process.runs() and all(map(rig.alive, pids)))
        broker("start", self.data, "--port", self.port)
        self.goes_on(up.cli, pids)
        self.assertTrue(up.process.runs())

    def test_a_broker_that_stands_still_is_said_and_costs_nothing(self):
        up, pids = self.up()
        with open(self.data + "/broker.pid", encoding="ascii") as file:
            stopped = int(file.read())
        os.kill(stopped, signal.SIGSTOP)
        try:
            told = up.cli("session", "run", "--cpu", "0.1", "--mem", "128m", "--name", "late", "-q")
            self.assertIn(told.returncode, (6, 7), told.stderr)
            self.assertRegex(told.stderr, "log-unavailable|outcome-unknown|controller-full")
            self.assertEqual(up.cli.session("demo-1")["status"], "RUNNING")  # reading goes on
            for path in ("/v1/events", "/v1/journal"):  # of what is known to be there
                status, body = rig.asked(up, "GET", path)
                self.assertEqual((status, json.loads(body)["code"]), (503, "log-unavailable"), body)
            _, body = rig.asked(up, "GET", "/v1/events/export")
            self.assertIn(b'{"error":{"code":"log-unavailable","events":0}}', body)
            self.assertTrue(up.process.runs() and all(map(rig.alive, pids)))
        finally:
            os.kill(stopped, signal.SIGCONT)
        rig.eventually("requests are taken again", lambda: up.cli(
            "session", "run", "--cpu", "0.1", "--mem", "128m", "--name", "later", "-q").returncode == 0)
        self.goes_on(up.cli, pids, late=("late", "later"))

    def test_a_first_start_on_a_broker_that_stands_still_for_long_makes_a_key_that_is_good(self):
        data = self.folder()
        with open(self.data + "/broker.pid", encoding="ascii") as file:
            stopped = int(file.read())
        port = rig.free_port()
        process = rig.Process([rig.program("berth-controller"), "--log", self.streams(), "--allow-one-replica", "--data", data, "--name", "c1",
                               "--port", str(port)], data, data + "/controller.log")
        self.addCleanup(process.kill)
        rig.eventually("the key is drawn", lambda: os.path.exists(data + "/keys/admin.json") or not process.runs())
        os.kill(stopped, signal.SIGSTOP)
        try:
            with self.assertRaises(urllib.error.HTTPError) as red:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=rig.PATIENCE)
            red.exception.close()
            time.sleep(33 if LONG else 5)  # once it gave up after 30
        finally:
            os.kill(stopped, signal.SIGCONT)
        self.assertTrue(process.runs(), process.words())
        if LONG:
            self.assertIn("still waiting for the controller", process.words())
        rig.eventually("it serves", lambda: " serves " in process.words() or not process.runs())
        self.assertEqual(rig.Cli(data).json("agent", "ls"), [], "with the key that was told")
        rig.eventually("it is ready", lambda: self.is_ready(port))

    def is_ready(self, port):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=rig.PATIENCE):
                return True
        except urllib.error.HTTPError as error:
            error.close()
            return False

    def test_another_clusters_streams_are_refused(self):
        up, _ = self.up()
        other = rig.Berth(log=up.log)
        self.addCleanup(other.remove)
        self.assertEqual(other.launch().child.wait(rig.PATIENCE), 1, other.process.words())
        self.assertIn("cluster-file-missing", other.process.words())
        with open(os.open(other.data + "/cluster.json", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            json.dump({"format": 1, "cluster": str(uuid.uuid4()), "secret": "a" * 64, "sealing_keys": [{"number": 1, "key": "b" * 64}]}, file)
        self.assertEqual(other.launch().child.wait(rig.PATIENCE), 1, other.process.words())
        self.assertIn("journal-of-another-cluster", other.process.words())

    def launch(self, name, data):
        port = rig.free_port()
        process = rig.Process([rig.program("berth-controller"), "--log", self.streams(), "--allow-one-replica", "--data", data, "--name", name,
                               "--port", str(port)], data, data + "/controller.log")
        process.port = port
        self.addCleanup(process.kill)
        return process

    def controller(self, name, data):
        process = self.launch(name, data)
        rig.eventually(f"{name} serves", lambda: " serves " in process.words() or not process.runs())
        self.assertTrue(process.runs(), process.words())
        return process, rig.Cli(data)

    def agent(self, data, key, *more):
        process = rig.Process([rig.program("berth-agent"), "--log", self.streams(), "--key-file", key, "--data", data + "/agent", "--backend",
                               "process", *rig.process_user(), "--accelerator", "mock:1x2", "--end-kernels", *more], data, data + "/agent.log")
        self.addCleanup(process.kill)
        return process

    def pair(self):
        """Two controllers as README has them, which share cluster.json alone: their processes, data folders and CLIs."""
        first, second = self.folder(), self.folder()
        one, first_cli = self.controller("c1", first)
        shutil.copy(first + "/cluster.json", second + "/cluster.json")
        two, _ = self.controller("c2", second)
        self.assertFalse(os.path.exists(second + "/keys/admin.json"), "a cluster has one first key")
        return (one, two), (first, second), (first_cli, rig.Cli(second, "--key-file", first + "/keys/admin.json"))

    def cell(self, *more):
        """A pair, one agent with a key and more options of its own, three sessions."""
        (one, two), _, clis = self.pair()
        third = self.folder()
        key = third + "/a1.json"
        with open(os.open(key, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(clis[0].ok("agent", "enroll", "a1"))
        self.addCleanup(rig.end_kernels, third)
        agent = self.agent(third, key, *more)
        rig.eventually("the agent is ALIVE", lambda: "a1" in clis[0]("agent", "ls", "--state", "ALIVE", "-o", "name", "-q").stdout)
        clis[0].ok("session", "run", "--cpu", "0.5", "--mem", "128m", "--resource", "cuda.shares=1", "--count", "3", "--name", "demo", "-q")
        return (one, two), clis, agent, (third, key)

    def test_kill_9_of_the_leading_controller_and_the_other_goes_on(self):
        controllers, clis, _, _ = self.cell()
        pids = self.pids(clis[1])
        controllers[0].kill()
        self.goes_on(clis[1], pids)

    def test_a_leader_that_is_stopped_hands_over(self):
        (one, two), _, clis = self.pair()
        leader = lambda: clis[1].json("cluster", "show")["leader"]
        rig.eventually("c1 leads", lambda: leader() == "c1")
        asked_at = time.monotonic()
        one.child.send_signal(signal.SIGTERM)
        rig.eventually("c2 leads", lambda: leader() == "c2")
        print(f"a leader that is stopped hands over within {time.monotonic() - asked_at:.2f} s")
        self.assertEqual(one.child.wait(rig.PATIENCE), 0, one.words())
        clis[1].ok("group", "set", "after")

    def test_a_controller_that_stood_still_seals_with_no_key_that_was_destroyed(self):
        (one, two), folders, clis = self.pair()
        servers = lambda: {server["name"]: server["sealing"] for server in clis[0].json("key", "rotate", "seal", "--status")["servers"]}
        rig.eventually("both say with which key they seal", lambda: servers() == {"c1": 1, "c2": 1})
        two.child.send_signal(signal.SIGSTOP)
        try:
            clis[0].ok("key", "rotate", "seal")
            rig.eventually("c1 seals with the new key", lambda: servers() == {"c1": 2, "c2": 1})
            refused = clis[0]("key", "rotate", "seal", "--destroy-old")
            self.assertEqual(refused.returncode, 5, refused.stderr)
            self.assertRegex(refused.stderr, "seal-key-not-learned(.|\n)*c2 sealed with key 1")
            clis[0].ok("key", "rotate", "seal", "--destroy-old", "--without", "c2")
        finally:
            two.child.send_signal(signal.SIGCONT)
        clis[1].ok("key", "add", "--name", "laptop", "--out", folders[1] + "/laptop.json")
        clis[0].ok("whoami", "--key-file", folders[1] + "/laptop.json")  # the other server opens what was sealed
        rig.eventually("c2 seals with the new key", lambda: servers() == {"c1": 2, "c2": 2})
        numbers = lambda folder: [key["number"] for key in json.load(open(folder + "/cluster.json", encoding="utf-8"))["sealing_keys"]]
        self.assertIn(2, numbers(folders[1]), "c2 says so once the key is on its disk")
        rig.eventually("the destroyed key stands on neither disk", lambda: numbers(folders[0]) == numbers(folders[1]) == [2])
        for process in (one, two):
            process.kill()
        self.controller("c2", folders[1])
        rig.eventually("it leads", lambda: clis[1]("session", "ls").returncode == 0)
        rig.Cli(folders[1], "--key-file", folders[1] + "/laptop.json").ok("whoami")

    def test_a_journal_without_its_beginning_is_said_and_the_state_goes_on(self):
        (one, two), folders, clis = self.pair()
        clis[0].ok("group", "set", "before")
        rig.eventually("c2 has read that", lambda: "before" in clis[1].ok("group", "ls", "-o", "name", "-q"))
        for process in (one, two):
            process.send(signal.SIGTERM)  # its state is written
        lost = self.lose_beginning()
        one, _ = self.controller("c1", folders[0])
        red = lambda: next((line for line in self.readiness(one) if "journal-beginning" in line), "")
        rig.eventually("it says what is lost", lambda: f"begins at {lost}" in red())
        rig.eventually("it leads", lambda: clis[0]("group", "set", "after").returncode == 0)
        for words in (("event", "export", "--file", folders[0] + "/events"), ("backup", folders[0] + "/backup")):
            told = clis[0](*words)
            self.assertNotEqual(told.returncode, 0, words)
            self.assertIn("log-beginning-lost", told.stderr)
        clis[0].ok("cluster", "accept-truncation")
        self.assertEqual(red(), "")
        shutil.rmtree(folders[1] + "/state")
        without = self.launch("c2", folders[1])
        self.assertEqual(without.child.wait(rig.PATIENCE), 1, without.words())
        self.assertIn("log-beginning-lost", without.words())

    def lose_beginning(self):
        servers, streams = self.streams().removeprefix("kafka://").split("/")
        subprocess.run([PROBE, servers, "lose", streams + ".c0.journal", "3"], check=True, timeout=rig.PATIENCE)
        return 3

    def readiness(self, controller):
        connection = http.client.HTTPConnection("127.0.0.1", controller.port, timeout=rig.PATIENCE)
        try:
            connection.request("GET", "/readyz?verbose=1")
            return connection.getresponse().read().decode().splitlines()
        finally:
            connection.close()

    def test_kill_9_of_the_agent_alone(self):
        _, clis, agent, (data, key) = self.cell()
        pids = self.pids(clis[0])
        agent.kill()
        self.assertTrue(all(map(rig.alive, pids)))
        self.agent(data, key)
        self.goes_on(clis[0], pids)

    def test_a_job_that_ended_while_its_agent_was_away_keeps_its_result(self):
        lease = ("--lease-seconds", "5")
        _, clis, agent, (data, key) = self.cell(*lease)
        self.pids(clis[0])
        clis[0].ok("session", "run", "--type", "batch", "--requeueable", "--cpu", "0.1", "--mem", "64m", "-p", "20", "--name", "job", "-q", "-d",
                   "--", "sh", "-c", "echo it ran; sleep 2; echo it ended")
        clis[0].wait("job")
        pid = clis[0].pid("job")
        agent.kill()
        rig.eventually("the job ends by itself", lambda: not rig.alive(pid))
        rig.eventually("the job waits for its next attempt", lambda: clis[0].names()["job"] == "PENDING")
        self.assertIn("(a1 is lost)", clis[0].ok("session", "ls"))
        self.assertIn("demo-1 is RUNNING: agent-lost", clis[0].ok("session", "why", "demo-1"))
        self.assertRegex(clis[0].ok("session", "show", "demo-1"), r"Agent +a1 is lost since .*goes on when the agent is back")
        self.agent(data, key, *lease)
        rig.eventually("its result is known", lambda: clis[0].names()["job"] == "TERMINATED")
        job = clis[0].session("job")
        self.assertEqual((job["result"], job["exit_code"], job["attempt"], len(job["kernels"])), ("SUCCESS", 0, 1, 1))
        self.assertEqual(clis[0].ok("session", "logs", "job").splitlines(), ["it ran", "it ended"])
        self.assertNotIn("is lost", clis[0].ok("session", "ls"))
        self.assertTrue(clis[0].json("cluster", "verify")["verified"])


if __name__ == "__main__":
    if not rig.built("berth", "berth-controller", "berth-agent"):
        sys.exit("not built: berth berth-controller berth-agent")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest_report.run(Kafka)
