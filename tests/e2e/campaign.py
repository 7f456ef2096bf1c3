#!/usr/bin/env python3
"""tests/e2e/campaign.py [--minutes N] [--seed S] [--return-within SECONDS]

A cell on a real Kafka broker, with two controllers and two agents, under one fault after the other: kill -9 and SIGSTOP of a
controller, an agent and the broker; an agent that is away, stopped or dead, for 4, 7, 9 and 30 seconds. Sessions are asked for
all the while. Then everything heals, and:

  - nothing is lost: what was accepted ends well, and sessions that may not be started again are the same processes as before;
  - nothing is doubled: no name twice, one start of what may not be started again, and never two at once of what may;
  - work waits for an agent that is away, and is placed --return-within seconds after its return at the latest (default 2);
  - a replay of the journal gives the live state.

The order of the faults is drawn from the seed; each kind comes before any comes again. Exit code 0: all held; 1: what did not
is said on stderr.
"""

import argparse
import datetime
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig

AWAY_S = (4, 7, 9, 30)
SMALL = ("--cpu", "0.1", "--mem", "128m", "-q")
DOUBLED = 99  # the exit code of a program that finds itself running already


class Part:
    """A program of the cell, to be killed, started again, or stopped for a while."""

    def __init__(self, name, data, *words):
        self.name, self.data, self.words, self.process = name, data, [*words, "--name", name], None

    def start(self):
        self.process = rig.Process(self.words, self.data, f"{self.data}/{self.name}.log")

    def kill(self):
        self.process.kill()

    def send(self, which):
        self.process.child.send_signal(which)

    def held(self):
        if not self.process.runs():
            raise AssertionError(f"{self.name} ended by itself: {self.process.words()[-2000:]}")


class Broker:
    """As a Part; its process is not a child of this one."""

    name = "broker"

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

    def kill(self):
        self.run("stop", "--kill")

    def send(self, which):
        with open(self.data + "/broker.pid", encoding="ascii") as file:
            os.kill(int(file.read()), which)

    def held(self):
        pass


class Cell:
    names = ("a1", "a2")  # of its agents

    def __init__(self, root):
        self.root, self.controllers, self.agents = root, [], []
        self.broker = Broker(self.folder("kafka"))

    def start(self):
        url = self.broker.start() + "/campaign"
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
        return Part(name, data, rig.program("berth-controller"), "--log", url, "--allow-one-replica", "--data", data, "--port",
                    str(rig.free_port()), *more)

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

    def parts(self):
        return [self.broker, *self.controllers, *self.agents]

    def remove(self):
        for part in self.agents + self.controllers:
            if part.process is not None:
                part.kill()
            rig.end_kernels(part.data)
        self.broker.run("stop", "--kill")


class Campaign:
    def __init__(self, cell, options):
        self.cell, self.options, self.rng = cell, options, random.Random(options.seed)
        self.began = time.monotonic()
        self.asked, self.accepted, self.slowest = {}, set(), 0.0  # name -> whether it may be started again
        self.work = os.path.join(cell.root, "work")
        os.mkdir(self.work)
        os.chmod(self.work, 0o777)  # programs of kernels have a user of their own
        for agent in cell.agents:
            cell.cli().ok("session", "run", *SMALL, "--agent", agent.name, "--name", f"stays-{agent.name}")
        self.pids = self.pids_of_those_that_stay()

    def say(self, text):
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", flush=True)

    # ---- work ----

    def pids_of_those_that_stay(self):
        names = [f"stays-{agent.name}" for agent in self.cell.agents]
        for name in names:
            self.cell.cli().wait(name)
        return {name: self.cell.cli().pid(name) for name in names}

    def ask(self, cli, seconds, *more, again=None):
        """A session that notes its start and its end, and holds a lock between them. Returns its name."""
        name = f"job-{len(self.asked) + 1}"
        notes = os.path.join(self.work, name)
        again = self.rng.random() < 0.5 if again is None else again
        self.asked[name] = again
        told = cli("session", "run", *SMALL, "--type", "batch", "-d", "--name", name, *(["--requeueable"] if again else []), *more, "--",
                   "flock", "-n", "-E", str(DOUBLED), notes + ".lock", "sh", "-c",
                   f"echo start >> {notes}; sleep {seconds}; echo end >> {notes}")
        if told.returncode == 0:
            self.accepted.add(name)
        elif told.returncode not in (6, 7):  # it does not know whether it was taken
            raise AssertionError(f"{name} was refused: {told.stderr}")
        return name

    def ask_some(self, cli):
        for _ in range(2):
            self.ask(cli, self.rng.choice((0.1, 1, 3, 6)))

    # ---- faults ----

    def faults(self):
        cell = self.cell
        for part in (self.rng.choice(cell.controllers), self.rng.choice(cell.agents), cell.broker):
            yield lambda part=part: self.kill(part)
            yield lambda part=part: self.stop(part)
        for seconds in AWAY_S:
            yield lambda seconds=seconds: self.away(self.rng.choice(cell.agents), seconds, self.rng.random() < 0.5)

    def kill(self, part):
        seconds = self.rng.uniform(0, 5)
        self.say(f"kill -9 of {part.name}, started again after {seconds:.1f} s")
        part.kill()
        self.ask_until(seconds, part, part.start)

    def stop(self, part):
        seconds = self.rng.uniform(0.5, 6)
        self.say(f"SIGSTOP of {part.name} for {seconds:.1f} s")
        part.send(signal.SIGSTOP)
        self.ask_until(seconds, part, lambda: part.send(signal.SIGCONT))

    def ask_until(self, seconds, part, bring_back):
        """Asks for work while the part is away; what is asked then may take longer than that."""
        timer = threading.Timer(seconds, bring_back)
        timer.start()
        try:
            self.ask_some(self.cell.cli(part))
        finally:
            timer.join()

    def away(self, agent, seconds, dead):
        gone = time.monotonic()
        if dead:
            agent.kill()
        else:
            agent.send(signal.SIGSTOP)
        self.sleep_until(gone + seconds - 0.8)
        name = self.ask(self.cell.cli(), 0.1, "--agent", agent.name, again=True)
        self.sleep_until(gone + seconds)
        back = time.time()
        if dead:
            agent.start()
        else:
            agent.send(signal.SIGCONT)
        self.cell.cli().ok("session", "show", name, "--wait", "--timeout", f"{rig.PATIENCE}s", "-o", "name")
        placed = datetime.datetime.fromisoformat(self.cell.cli().session(name)["scheduled_at"].replace("Z", "+00:00")).timestamp() - back
        self.say(f"{agent.name} was {'dead' if dead else 'stopped'} for {seconds} s; work placed {max(placed, 0):.2f} s after its return")
        self.slowest = max(self.slowest, placed)
        if placed > self.options.return_within:
            raise AssertionError(f"work was placed {placed:.2f} s after {agent.name} returned")

    def sleep_until(self, at):
        time.sleep(max(0.0, at - time.monotonic()))

    def is_whole(self):
        for part in self.cell.parts():
            part.held()
        return self.cell.alive() == set(self.cell.names) and all(
            rig.Cli(one.data)("session", "ls", "-o", "name", "-q").returncode == 0 for one in self.cell.controllers)

    # ---- the end ----

    def sessions(self):
        cli = self.cell.cli()
        cli.names()  # each once
        return {one["name"]: one for one in map(json.loads, cli.ok("session", "ls", "--all", "-o", "jsonl").splitlines())}

    def check(self):
        rig.eventually("all work has ended", lambda: all(
            one["status"] in ("TERMINATED", "CANCELLED") for name, one in self.sessions().items() if name in self.asked), 180)
        sessions = self.sessions()
        lost = self.accepted - set(sessions)
        wrong = [f"{name}: {fault}" for name, one in sessions.items() if name in self.asked for fault in [self.fault_of(name, one)] if fault]
        if lost or wrong:
            raise AssertionError("\n".join([f"{name}: accepted, and not there" for name in sorted(lost)] + wrong))
        pids = self.pids_of_those_that_stay()
        if pids != self.pids or not all(map(rig.alive, pids.values())):
            raise AssertionError(f"other processes than before: {pids}, were {self.pids}")
        told = self.cell.cli().json("cluster", "verify")
        if not told["verified"] or told["live_state_hash"] != told["replayed_state_hash"]:
            raise AssertionError(f"a replay gives another state: {told}")
        again = sum(one["attempt"] > 1 for one in sessions.values())
        self.say(f"{len(self.accepted)} of {len(self.asked)} requests accepted, {again} sessions started again, all ended well, none lost, none"
                 f" doubled; work placed {max(self.slowest, 0):.2f} s after a return at the latest")

    def fault_of(self, name, session):
        if session["result"] != "SUCCESS":
            return f"{session['status']} {session['result']}, exit code {session['exit_code']}: {session['message']}"
        with open(os.path.join(self.work, name), encoding="ascii") as file:
            notes = file.read().split()
        whole = notes == ["start", "end"]
        return None if whole or (self.asked[name] and notes[-1] == "end") else f"it noted {notes}"

    def run(self):
        self.say(f"seed {self.options.seed}, {self.options.minutes:g} minutes")
        until = self.began + self.options.minutes * 60
        while time.monotonic() < until:
            faults = list(self.faults())
            self.rng.shuffle(faults)
            for fault in faults:
                if time.monotonic() >= until:
                    break
                self.ask_some(self.cell.cli())
                fault()
                rig.eventually("the cell is whole again", self.is_whole, 120)
        self.check()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--return-within", type=float, default=2)
    options = parser.parse_args()
    if not rig.built("berth", "berth-controller", "berth-agent", "berth-launcher"):
        sys.exit("not built: berth berth-controller berth-agent berth-launcher")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    root = tempfile.mkdtemp(prefix="berth-campaign-")
    os.chmod(root, 0o755)
    cell = Cell(root)
    try:
        cell.start()
        Campaign(cell, options).run()
    except AssertionError as failed:
        sys.exit(f"campaign: seed {options.seed}: {failed}")
    finally:
        cell.remove()
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
