"""A Berth of a test's own: real processes in a temporary folder on a free port, and nothing of it left behind.

Every wait has a deadline and asks for an event (the CLI's --wait, a process' end, an answer), so a slow machine only takes longer."""

import contextlib
import datetime
import glob
import hashlib
import hmac
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(ROOT, "tests", "support")]

import traces

BIN = os.environ.get("BERTH_BIN", os.path.join(ROOT, "build", "release", "bin"))
IS_ROOT = os.geteuid() == 0
tempfile.tempdir = os.environ.get("TMPDIR", "/var/tmp")  # data folders are on a disk: /tmp may be memory (Debian 13)
# bash -c CONSOLE_SCRIPT NAME SCRIPT ARGUMENT...: runs a script of ops/console/test. Its folder is the root of the tree.
CONSOLE_SCRIPT = 'source ops/lib/common.sh && source ops/lib/node.sh && use_node && cd ops/console && install_packages && exec node "$@"'
PATIENCE = int(os.environ.get("BERTH_TEST_PATIENCE", "60"))  # seconds: for a loaded machine; what is waited for takes milliseconds


def program(name):
    return os.path.join(BIN, name)


def built(*names):
    return all(os.access(program(name), os.X_OK) for name in names)


def images():
    return os.environ.get("BERTH_IMAGES", os.path.join(ROOT, "build", "images"))


def has_containers():
    return IS_ROOT and os.path.exists(os.path.join(images(), "python", "index.json"))


def free_port():
    """Free, and so is the one 10000 above (a broker's controller). Below the range from which outgoing connections take theirs: a client
    that tries a port of that range again and again while its server is down may meet itself there, and the server cannot come back."""
    while True:
        port = random.randrange(10_000, 22_000)
        try:
            for one in (port, port + 10_000):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", one))
            return port
        except OSError:
            continue


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def parent(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def eventually(what, check, patience=PATIENCE):
    """Returns the first true answer. For what has no event to wait for."""
    deadline = time.monotonic() + patience
    while True:
        answer = check()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {patience} s: {what}")
        time.sleep(0.05)


def environment(data):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("BERTH_") or k == "BERTH_IMAGES"}
    return {**kept, "BERTH_DATA": data, "NO_COLOR": "1", "BERTH__IMAGE__BUILD_LOCK": data + "/image-build.lock"}


class Cli:
    """`berth` on one data folder."""

    def __init__(self, data, *more):
        self.data, self.more = data, more

    def __call__(self, *words, timeout=PATIENCE * 2):
        return subprocess.run([program("berth"), "--data", self.data, *self.more, *words], env=environment(self.data), timeout=timeout,
                              capture_output=True, text=True, check=False)

    def ok(self, *words, **options):
        done = self(*words, **options)
        if done.returncode != 0:
            raise AssertionError(f"berth {' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def json(self, *words):
        return json.loads(self.ok(*words, "-o", "json"))

    def session(self, name):
        return self.json("session", "show", name)

    def pid(self, name):
        return self.session(name)["kernels"][0]["pid"]

    def wait(self, name):
        """Until RUNNING (or further)."""
        self.ok("session", "show", name, "--wait", "--timeout", f"{PATIENCE}s", "-o", "name")

    def names(self):
        """name -> status of all sessions there ever were."""
        listed = [json.loads(line) for line in self.ok("session", "ls", "--all", "-o", "jsonl").splitlines()]
        names = [one["name"] for one in listed]
        assert len(set(names)) == len(names), f"doubled: {names}"
        return {one["name"]: one["status"] for one in listed}


def hmac_of(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signed(up, method, target, body="", secret=None, access=None, age=0, idempotency=""):
    """The headers of a request by `up`'s first key, signed as controller/api/README.md says.

    `secret` and `access` replace a half of the key; `age` is how many seconds ago it was signed; `idempotency` is its key. A body of bytes is no JSON.
    """
    with open(up.data + "/keys/admin.json", encoding="ascii") as file:
        key = json.load(file)
    host = f"127.0.0.1:{up.port}"
    kind = "application/json" if body and isinstance(body, str) else ""
    signed_at = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=age)
    date = signed_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    body_hash = hashlib.sha256(body.encode() if isinstance(body, str) else body).hexdigest()
    text = "\n".join([method, target, date, host, kind, "2", idempotency, body_hash])
    signing = hmac_of(hmac_of((secret or key["secret_key"]).encode(), date[:10].replace("-", "")), host)
    headers = {
        "Host": host, "X-Berth-Date": date, "X-Berth-Version": "2", "X-Berth-Content-SHA256": body_hash,
        "Authorization": f"BERTH-HMAC-SHA256 key={access or key['access_key']}, signature={hmac_of(signing, text).hex()}"}
    if kind:
        headers["Content-Type"] = kind
    if idempotency:
        headers["Idempotency-Key"] = idempotency
    return headers


def asked(up, method, target, body="", **signing):
    """(status, body) of the reply to a request that is signed as signed() does."""
    connection = http.client.HTTPConnection(f"127.0.0.1:{up.port}", timeout=PATIENCE)
    try:
        connection.request(method, target, body or None, signed(up, method, target, body, **signing))
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


class Process:
    """A program with its output in a file."""

    def __init__(self, words, data, log):
        self.log = log
        self.began = os.path.getsize(log) if os.path.exists(log) else 0
        with open(log, "ab") as out:
            self.child = subprocess.Popen(words, env=environment(data), stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def words(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            file.seek(self.began)
            return file.read()

    def send(self, which, patience=PATIENCE):
        if self.child.poll() is None:
            self.child.send_signal(which)
        return self.child.wait(patience)

    def kill(self):
        return self.send(signal.SIGKILL)

    def stop(self):
        return self.send(signal.SIGINT)

    def runs(self):
        return self.child.poll() is None


def process_user():
    """Plain processes never run as root: tests that do name nobody."""
    return ["--process-uid", "65534"] if os.geteuid() == 0 else []


class Berth:
    """`berth up` on a temporary folder. Use as a context or with addCleanup(berth.remove)."""

    def __init__(self, log="", backend="process", accelerator="mock:1x2", keep=False, data=None, below=(), more=()):
        """`below`: the words of a program that becomes `berth up`; `more`: options of `berth up`."""
        self.data = data or tempfile.mkdtemp(prefix="berth-e2e-")
        self.port = free_port()
        self.log, self.backend, self.accelerator, self.keep = log, backend, accelerator, keep
        self.below, self.more = below, list(more)
        self.process = None
        self.cli = Cli(self.data)

    def options(self):
        words = ["--data", self.data, "--port", str(self.port), "--backend", self.backend, "--accelerator", self.accelerator]
        words += self.more + (process_user() if self.backend == "process" else [])
        return words + (["--log", self.log, "--allow-one-replica"] if self.log else []) + ([] if self.keep else ["--end-kernels"])

    def start(self):
        """Returns when the address is printed and the agent is ALIVE."""
        self.launch()
        eventually("berth up prints its address", lambda: " is up\n" in self.process.words() or self.ended())
        eventually("its agent is ALIVE", lambda: self.cli("agent", "ls", "--state", "ALIVE", "-o", "name", "-q").stdout.strip() or
                   self.ended())
        return self

    def launch(self):
        self.process = Process([*self.below, program("berth"), "up", *self.options()], self.data, os.path.join(self.data, "up.log"))
        return self.process

    def ended(self):
        if not self.process.runs():
            raise AssertionError(f"berth up ended by itself: {self.process.words()[-2000:]}")
        return False

    def again(self, *more):
        """`berth up` once more on the same folder, to its end."""
        return self.cli("up", *self.options()[2:], *more)

    def demo(self, count=3):
        image = ["--image", "python:3.11"] if self.backend == "oci" else []
        return self.cli.ok("session", "run", *image, "--cpu", "0.5", "--mem", "128m", "--resource", "cuda.shares=1", "--count",
                           str(count), "--name", "demo", "-q", "-o", "name")

    def verify(self):
        told = self.cli.json("cluster", "verify")
        assert told["verified"] and told["live_state_hash"] == told["replayed_state_hash"], told
        return told

    def launcher(self):
        """The launcher's process id: a child of `berth up`."""
        return next(pid for pid in kernel_processes(self.data) if parent(pid) == self.process.child.pid)

    def remove(self):
        if self.process and self.process.runs():
            self.process.kill()
        end_kernels(self.data)
        shutil.rmtree(self.data, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.remove(known_record(self.data))

    __enter__ = start

    def __exit__(self, *_):
        self.remove()


def known_record(data):
    """Where root's services remember what a data folder holds (ADR 0102)."""
    return "/var/lib/berth-known/" + hashlib.blake2b(data.encode(), digest_size=16).hexdigest()[:16]


def kernel_processes(data):
    """Launchers and shims of this data folder: their command line names it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if words[0].endswith("berth-launcher") and len(words) > 1 and words[1].startswith(data + "/"):
            found.append(int(pid))
    return found


def end_kernels(data):
    """Kills what a test left in a folder of its own: launchers, shims, and all that is in their kernels' cgroups, which outlives them; then
    what they had in memory is taken away."""
    homes = list(traces.agents(data + "/"))
    for pid in kernel_processes(data):
        kill_hard(pid)
    for home, word in homes:
        groups = [group for below in ("", "*/") for group in glob.glob(f"/sys/fs/cgroup/{below}{word}/**/", recursive=True)]
        for pid in {pid for group in groups for pid in traces.text(group + "cgroup.procs").split()}:
            kill_hard(int(pid))
        for group in sorted(set(groups), key=len, reverse=True):
            eventually(f"the end of all in {group}", lambda group=group: not traces.text(group + "cgroup.procs"))
            with contextlib.suppress(OSError):
                os.rmdir(group)
        shutil.rmtree(home, ignore_errors=True)


def kill_hard(pid):
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)
