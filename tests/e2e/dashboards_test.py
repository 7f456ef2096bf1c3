"""Dashboards and alerts of ops/grafana over a running Berth under load: each query has data in Debian's Prometheus, each alert fires once.

Times of rules are shortened (`for:` to a second, ten minutes to ten seconds), thresholds are as they are. `promtool test rules ops/grafana/alerts_test.yml`
evaluates all but BerthSessionsWaitLong and BerthServerDown, with their texts, and is alone with these (PROMTOOL):

BerthNoLeader: the one server of an embedded log leads for as long as it answers; a cell on Kafka without a leader is e2e_kafka's, which has no Prometheus.
BerthProjectionLags: a server that leads has read what it wrote; 10,000 records behind is a follower on Kafka whose disk is slow.
BerthLogDamaged, BerthLogScrubOld: the first walk over the journal begins five minutes after the start (LogScrub.* damages a log).
BerthDiskNearlyFull, where the test is not root: a small disk takes a mount."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

GRAFANA = os.path.join(rig.ROOT, "ops", "grafana")
TOKEN = "a-token-of-the-dashboards-test"
MACROS = {"$__rate_interval": "8s", "$__interval": "1s", "$__range": "30s"}
LIVE = {"BerthSessionsWaitLong", "BerthServerDown", "BerthMetricsLeftOut", "BerthWrongPasswords", "BerthAgentLost", "BerthServerErrors",
        "BerthLeaderChangesOften", "BerthDiskNearlyFull", "BerthQuarantine", "BerthNoLeader"}
PROMTOOL = {"BerthProjectionLags", "BerthLogDamaged", "BerthLogScrubOld"}
ELECTIONS = 'changes(max(berth_leader_epoch{job="berth"})[10m:5s])'


def substituted(expression, variables):
    """As Grafana does it: its macros first, then the dashboard's own variables; whatever `$name` is left is an error."""
    for macro, value in MACROS.items():
        expression = re.sub(re.escape(macro) + r"\b", value, expression)
    for name, value in variables.items():
        expression = re.sub(rf"\$\{{{name}\}}|\${name}\b", lambda _: value, expression)
    left = re.findall(r"\$(?:\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)", expression)
    if left:
        raise AssertionError(f"unset: {left} in {expression}")
    return expression


def dashboards():
    for path in sorted(glob.glob(os.path.join(GRAFANA, "*.json"))):
        with open(path, encoding="utf-8") as file:
            yield os.path.basename(path), json.load(file)


def scrape(up, token=TOKEN):
    request = urllib.request.Request(f"http://127.0.0.1:{up.port}/metrics", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=rig.PATIENCE) as reply:
        return reply.read().decode()


class Prometheus:
    """A Prometheus of the test's own, on a free port, which scrapes each second and evaluates the rules as fast."""

    def __init__(self, up):
        self.up, self.port, self.folder = up, rig.free_port(), tempfile.mkdtemp(prefix="berth-prometheus-")
        with open(os.path.join(GRAFANA, "alerts.yml"), encoding="utf-8") as file:
            rules = re.sub(r"(?m)^( +for:) .*$", r"\1 1s", file.read()).replace("[10m]", "[10s]")
        self.write("alerts.yml", rules)
        self.write("token", TOKEN)
        self.write("prometheus.yml", f"""
global: {{scrape_interval: 1s, evaluation_interval: 1s, scrape_timeout: 1s}}
rule_files: [alerts.yml]
scrape_configs:
  - job_name: berth
    authorization: {{credentials_file: {self.folder}/token}}
    static_configs: [{{targets: ["127.0.0.1:{up.port}"]}}]
""")
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.child = subprocess.Popen(
                ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/tsdb",
                 f"--web.listen-address=127.0.0.1:{self.port}"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def get(self, path, **parameters):
        url = f"http://127.0.0.1:{self.port}{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=rig.PATIENCE) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error

    def values(self, expression):
        """Finite values over the last 20 s, one a step and series."""
        now = time.time()
        told = self.get("/api/v1/query_range", query=expression, start=now - 20, end=now, step=1)
        return [value for series in told["data"]["result"] for _, value in series["values"] if value not in ("NaN", "+Inf", "-Inf")]

    def number(self, expression):
        """Its one value now; 0 without data."""
        result = self.get("/api/v1/query", query=expression)["data"]["result"]
        return float(result[0]["value"][1]) if result else 0.0

    def answers(self):
        """Whether queries are answered: a Prometheus that still opens its store says 503."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=rig.PATIENCE):
                return True
        except OSError:  # HTTPError too
            return False

    def scrapes(self):
        return bool(self.values('up{job="berth"} == 1'))

    def firing(self):
        return {alert["labels"]["alertname"] for alert in self.get("/api/v1/alerts")["data"]["alerts"] if alert["state"] == "firing"}

    def stop(self):
        self.child.terminate()
        self.child.wait(rig.PATIENCE)
        shutil.rmtree(self.folder)


class Dashboards(unittest.TestCase):
    def test_an_unset_variable_is_an_error(self):
        self.assertEqual(substituted('rate(x{job=~"$job"}[$__rate_interval])', {"job": "b"}), 'rate(x{job=~"b"}[8s])')
        for wrong in ('x{job=~"$jobs"}', "rate(x[$__rate_intervall])", "x{a='${nothing}'}"):
            with self.assertRaises(AssertionError):
                substituted(wrong, {"job": "b"})

    def begin(self):
        token = os.path.join(tempfile.mkdtemp(prefix="berth-token-"), "token")
        self.addCleanup(shutil.rmtree, os.path.dirname(token))
        with open(os.open(token, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write(TOKEN + "\n")
        self.disk = tempfile.mkdtemp(prefix="berth-e2e-disk-")
        self.addCleanup(os.rmdir, self.disk)
        if rig.IS_ROOT:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512m", "tmpfs", self.disk], check=True)
            self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)
        self.up = rig.Berth(data=self.disk + "/data", more=["--metrics-token-file", token, "--trusted-proxy", "127.0.0.1"],
                            below=("env", "BERTH__AGENT__LEASE_SECONDS=5"))  # an agent that is gone is lost at once
        os.mkdir(self.up.data, 0o700)
        self.addCleanup(self.up.remove)
        self.up.start()
        self.prometheus = Prometheus(self.up)
        self.addCleanup(self.prometheus.stop)
        rig.eventually("Prometheus answers", self.prometheus.answers)
        rig.eventually("Prometheus scrapes", self.prometheus.scrapes)

    def asked(self, method, target, body=None):
        return rig.asked(self.up, method, target, json.dumps(body) if body is not None else "")

    def load(self):
        """A little of everything that a panel shows: places, starts, orders, refusals, a wrong password, requests turned away."""
        self.up.cli("session", "run", "--cpu", "0.1", "--mem", "16m", "--name", f"load-{time.monotonic_ns()}", "--", "true")
        rig.asked(self.up, "GET", "/v1/sessions", secret="wrong")
        self.guess("nobody", "192.0.2.1")

    def guess(self, user, address):
        """A wrong password, from that address by way of a proxy. Returns the status."""
        login = urllib.request.Request(f"http://127.0.0.1:{self.up.port}/v1/login", method="POST",
                                       data=json.dumps({"user": user, "password": "wrong password"}).encode(),
                                       headers={"Content-Type": "application/json", "X-Forwarded-For": address})
        try:
            with urllib.request.urlopen(login, timeout=rig.PATIENCE) as reply:
                return reply.status
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    @unittest.skipUnless(shutil.which("prometheus") and shutil.which("promtool"), "no Prometheus is installed (ops/setup)")
    def test_every_query_has_data_and_every_alert_fires(self):
        self.begin()
        wanted = [(name, panel["title"], target["expr"]) for name, board in dashboards() for panel in board["panels"]
                  for target in panel["targets"]]
        self.assertGreater(len(wanted), 30)
        variables = {"job": "berth", "group": ".*"}
        for name, board in dashboards():
            declared = {one["name"] for one in board["templating"]["list"]}
            self.assertLessEqual(declared - {"datasource"}, set(variables), name)
        left = dict.fromkeys(substituted(expression, variables) for _, _, expression in wanted)
        deadline = time.monotonic() + rig.PATIENCE
        while left and time.monotonic() < deadline:
            self.load()
            left = {one: None for one in left if not self.prometheus.values(one)}
        self.assertEqual(list(left), [], "no data")
        self.documented()
        self.alerts()

    def documented(self):
        """The table of ops/grafana/README.md names what /metrics has, and nothing else."""
        text = scrape(self.up)
        there = set(re.findall(r"(?m)^# TYPE (berth_\w+) ", text))
        with open(os.path.join(GRAFANA, "README.md"), encoding="utf-8") as file:
            rows = [line for line in file if line.startswith("| `berth_")]
        table = {re.match(r"\| `(berth_\w+)", row).group(1): row for row in rows}
        self.assertEqual(there - set(table), set(), "in /metrics and not in the table")
        self.assertEqual({name for name, row in table.items() if "(where" not in row} - there, set(), "in the table alone")
        for name, row in table.items():
            labels = set(re.findall(r"\w+", re.match(r"\| `berth_\w+(?:\{([\w,]*)\})?`", row).group(1) or ""))
            shown = set(re.findall(r'(\w+)="', " ".join(re.findall(rf"(?m)^{name}(?:_bucket|_sum|_count)?{{([^}}]*)}}", text)))) - {"le"}
            if shown or name in there and f"\n{name} " in text:
                self.assertEqual(shown, labels, name)

    def alerts(self):
        with open(os.path.join(GRAFANA, "alerts.yml"), encoding="utf-8") as file:
            names = set(re.findall(r"- alert: (\w+)", file.read()))
        with open(os.path.join(GRAFANA, "alerts_test.yml"), encoding="utf-8") as file:
            offline = set(re.findall(r"alertname: (\w+)\n +exp_alerts", file.read()))
        self.assertEqual(names, LIVE | PROMTOOL, "each alert is made to fire, here or by promtool")
        self.assertLessEqual(PROMTOOL, offline)
        told = subprocess.run(["promtool", "test", "rules", "alerts_test.yml"], cwd=GRAFANA, capture_output=True, text=True, check=False)
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        self.fired = set()
        self.one_session_stays()
        for number in range(2):  # each asks for all there is
            status, body = self.asked("POST", "/v1/sessions", {"name": f"all-{number}", "resources": {"cpu": str(os.cpu_count()), "mem": "64m"}})
            self.assertEqual(status, 201, body)
        self.guesses()
        self.fire("BerthSessionsWaitLong", "BerthWrongPasswords")
        if rig.IS_ROOT:
            self.fill_disk()
        self.assertEqual(self.fired - {"BerthDiskNearlyFull"}, {"BerthSessionsWaitLong", "BerthWrongPasswords"})
        self.agents_that_come_and_go()
        self.elections()
        self.fire("BerthMetricsLeftOut", "BerthQuarantine", "BerthLeaderChangesOften", "BerthAgentLost")
        self.fire("BerthServerErrors", meanwhile=self.faults)
        self.assertLess(scrape(self.up).count("\n"), 4_000)
        self.assertEqual(self.fired, LIVE - ({"BerthDiskNearlyFull"} if not rig.IS_ROOT else set()))

    def fire(self, *names, meanwhile=lambda: None):
        def fired():
            meanwhile()
            self.fired.update(self.prometheus.firing())
            return set(names) <= self.fired

        rig.eventually(f"{', '.join(names)} fire", fired)

    def one_session_stays(self):
        self.up.cli.ok("session", "run", "--cpu", "0.1", "--mem", "16m", "--name", "stays", "-d", "-q", "--", "sleep", "1000")
        self.up.cli.wait("stays")

    def agents_that_come_and_go(self):
        """While no server has the log; the next one reads of them: agents of more groups than have series, and one whose join fits no record, which is set aside."""
        folder = tempfile.mkdtemp(prefix="berth-agents-")
        self.addCleanup(shutil.rmtree, folder)
        groups = {f"many-{number}": f"many-{number}" for number in range(100)}  # beside `default`; by agent
        for group in groups:
            status, body = self.asked("POST", "/v1/groups", {"name": group})
            self.assertEqual(status, 201, body)
        groups["poison"] = "x" * 300_000
        for name, group in groups.items():
            with open(f"{folder}/{name}.toml", "w", encoding="ascii") as file:
                file.write(f'[agent]\ngroup = "{group}"\n')
            status, body = self.asked("POST", f"/v1/agents/{name}/enroll", {})
            self.assertEqual(status, 201, body)
            with open(os.open(f"{folder}/{name}.key", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(body)
        self.up.process.kill()
        self.fire("BerthServerDown")
        for name in groups:
            data = f"{folder}/{name}"
            agent = rig.Process([rig.program("berth-agent"), "--log", f"local:{self.up.data}/log", "--key-file", data + ".key", "--data", data,
                                 "--backend", "fake", "--config", data + ".toml"], folder, folder + "/log")
            self.addCleanup(lambda agent=agent: agent.runs() and agent.kill())
            rig.eventually("it has joined", lambda agent=agent, data=data: os.path.exists(data + "/announced") or not agent.runs())
            self.assertEqual(agent.stop(), 0, agent.words())

    def guesses(self):
        """More than the alert's 50, each of another user from another network: nobody of them has to wait."""
        for number in range(60):
            self.assertEqual(self.guess(f"user-{number}", f"10.{number}.0.1"), 401)

    def fill_disk(self):
        ballast = os.path.join(self.disk, "ballast")
        room = os.statvfs(self.disk)
        with open(ballast, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, room.f_frsize * room.f_bavail - room.f_frsize * room.f_blocks // 20)
        self.fire("BerthDiskNearlyFull")
        os.remove(ballast)

    def elections(self):
        """As many servers one after the other as are one too many; the first one's agent does not come back."""
        self.up.more += ["--name", "a2"]
        for number in range(1, 5):
            self.up.process.kill()
            self.up.launch()
            rig.eventually(f"Prometheus has seen election {number}", lambda number=number: self.prometheus.number(ELECTIONS) >= number)

    def faults(self):
        """Answers 503: the agent of that kernel is gone."""
        for _ in range(10):
            status, body = self.asked("GET", "/v1/sessions/stays/logs")
            self.assertEqual(status, 503, body)


if __name__ == "__main__":
    unittest_report.run(Dashboards)
