"""A Berth of real processes on Kafka: brokers, two controllers, agents. Each can be killed, started again, and stopped for a while."""

import json
import os
import shutil
import subprocess

import berth as rig


class Part:
    """A program of the cell; its output goes on in one file over all its lives."""

    def __init__(self, name, data, *words):
        self.name, self.data, self.words, self.process = name, data, [*words, "--name", name], None
        self.port = int(words[words.index("--port") + 1]) if "--port" in words else 0

    def start(self):
        self.process = rig.Process(self.words, self.data, self.log())

    def log(self):
        return f"{self.data}/{self.name}.log"

    def kill(self):
        self.process.kill()

    def send(self, which):
        self.process.child.send_signal(which)

    def held(self):
        if not self.process.runs():
            raise AssertionError(f"{self.name} ended by itself: {self.process.words()[-2000:]}")


class OneBroker:
    """Where the brokers are not what a test is about."""

    def __init__(self, data):
        self.data, self.port = data, str(rig.free_port())

    def run(self, action, *words):
        done = subprocess.run([os.path.join(rig.ROOT, "ops", "kafka", action), "--data", self.data, *words], capture_output=True,
                              text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        return done.stdout.strip()

    def start(self):
        return self.run("start", "--port", self.port)

    def kill_all(self):
        self.run("stop", "--kill")


class Cell:
    names = ("a1", "a2")  # of its agents
    of_log = ("--allow-one-replica",)  # options of its controllers

    def __init__(self, root):
        self.root, self.controllers, self.agents = root, [], []
        self.brokers = self.brokers_in(self.folder("kafka"))

    def brokers_in(self, data):
        return OneBroker(data)

    def start(self):
        url = self.brokers.start() + "/campaign"
        first, second = self.folder("c1"), self.folder("c2")
        self.controllers = [self.controller("c1", first, url), self.controller("c2", second, url, "--cluster-file", first + "/cluster.json")]
        self.serve(self.controllers[0])
        os.makedirs(second + "/keys", mode=0o700)
        shutil.copy(first + "/keys/admin.json", second + "/keys/admin.json")
        self.serve(self.controllers[1])
        self.agents = [self.agent(name, self.folder(name), url) for name in self.names]
        for agent in self.agents:
            agent.start()
        rig.eventually("its agents are ALIVE", lambda: self.alive() == set(self.names))

    def folder(self, name):
        path = os.path.join(self.root, name)
        os.mkdir(path, 0o700)
        return path

    def controller(self, name, data, url, *more):
        return Part(name, data, rig.program("berth-controller"), "--log", url, *self.of_log, "--data", data, "--port", str(rig.free_port()), *more)

    def serve(self, controller):
        controller.start()
        rig.eventually(f"{controller.name} serves", lambda: " serves " in controller.process.words() or controller.held())

    def agent(self, name, data, url):
        key = data + "/key.json"
        with open(os.open(key, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(self.cli().ok("agent", "enroll", name))
        return Part(name, data, rig.program("berth-agent"), "--log", url, "--key-file", key, "--data", data + "/agent",
                    *self.kernels_of(data))

    def kernels_of(self, _):
        """Options of an agent with this folder."""
        return ["--backend", "process", *rig.process_user(), "--end-kernels"]

    def cli(self, other_than=None):
        return rig.Cli(next(one.data for one in self.controllers if one is not other_than))

    def alive(self):
        return set(self.cli()("agent", "ls", "--state", "ALIVE", "-o", "name", "-q").stdout.split())

    def remove(self):
        for part in self.agents + self.controllers:
            if part.process is not None:
                part.kill()
            rig.end_kernels(part.data)
        self.brokers.kill_all()
