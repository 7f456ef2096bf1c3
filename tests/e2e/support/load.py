"""The requests of a frontend, asked of all servers of a Berth at a steady rate: sessions asked for and ended, groups and users defined, and between them
reads of sessions. One thread, connections that are kept alive.

A write that fails because a server or the log is away is asked again, of the next server, with the same Idempotency-Key until it is acknowledged.
A read names the position of the write that it is to show.
"""

import asyncio
import bisect
import collections
import datetime
import hashlib
import json
import random
import threading
import time
import traceback
import uuid

import berth as rig

WORKERS = 12  # a server: the connections that are open to it
TRY_S = 3.0  # of one try
BEHIND_S = 15.0  # in which a server that was away may not know a session that another one acknowledged (a write names no position)
GIVEN_UP_S = 90.0  # a write that nobody acknowledges
BACKLOG = 100  # requests that wait for a connection; what is beyond is not sent
LIVES_S = 2.0  # a session at least
OPEN = 150  # sessions at most that were not ended
AGAIN = (0, 412, 429, 503, 504)  # 0: the connection was cut or silent
EMPTY_HASH = hashlib.sha256(b"").hexdigest()


class Signer:
    """As berth.signed(), with the key and its day's derivation kept."""

    def __init__(self, server):
        with open(server.data + "/keys/admin.json", encoding="ascii") as file:
            self.key = json.load(file)
        self.host, self.day, self.signing = f"127.0.0.1:{server.port}", "", b""

    def head(self, method, target, body, idempotency):
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        if date[:10] != self.day:
            self.day = date[:10]
            self.signing = rig.hmac_of(rig.hmac_of(self.key["secret_key"].encode(), self.day.replace("-", "")), self.host)
        body_hash = hashlib.sha256(body).hexdigest() if body else EMPTY_HASH
        kind = "application/json" if body else ""
        signature = rig.hmac_of(self.signing, "\n".join([method, target, date, self.host, kind, "2", idempotency, body_hash])).hex()
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self.host}", f"X-Berth-Date: {date}", "X-Berth-Version: 2", f"X-Berth-Content-SHA256: {body_hash}",
                 f"Authorization: BERTH-HMAC-SHA256 key={self.key['access_key']}, signature={signature}"]
        if idempotency:
            lines.append(f"Idempotency-Key: {idempotency}")
        if body:
            lines += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
        elif method != "GET":
            lines.append("Content-Length: 0")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Connection:
    """To one server, made anew when it was cut."""

    def __init__(self, signer, port):
        self.signer, self.port, self.reader, self.writer = signer, port, None, None

    async def ask(self, method, target, body, idempotency):
        """(status, body); status 0: no answer."""
        try:
            return await asyncio.wait_for(self.ask_once(method, target, body, idempotency), TRY_S)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError) as error:
            self.close()
            return 0, (str(error) or type(error).__name__).encode()

    async def ask_once(self, method, target, body, idempotency):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(self.signer.head(method, target, body, idempotency) + body)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = head.partition("\r\ncontent-length:")[2].partition("\r\n")[0]
        answer = await self.reader.readexactly(int(length)) if length else b""
        if "\r\nconnection: close" in head:
            self.close()
        return int(head[9:12]), answer

    def close(self):
        if self.writer is not None:
            self.writer.transport.abort()
        self.reader = self.writer = None


class Write:
    """One write: `key` is its request's id; `name` and `session` say of what."""

    def __init__(self, kind, key, method, target, body=None, name="", session=""):
        self.kind, self.key, self.method, self.target, self.name, self.session = kind, key, method, target, name, session
        self.body = json.dumps(body).encode() if body is not None else b""
        self.tries, self.position = 0, 0


class Load:
    def __init__(self, servers, rate, seed, session_body):
        """`session_body`: what a session of that name is asked for with."""
        self.servers, self.rate, self.rng, self.session_body = servers, rate, random.Random(seed), session_body
        self.acknowledged, self.wrong, self.given_up = [], [], []  # Write; text; Write
        self.answered, self.decided, self.seconds = [], [], []  # when, of all requests and of writes; how long a write took
        self.again = collections.Counter()  # why something was asked again
        self.behind = []  # when, and which server did not know an acknowledged session yet
        self.open, self.seen = collections.deque(), collections.deque(maxlen=300)
        self.numbers, self.over, self.unsent, self.busy = collections.Counter(), False, 0, 0
        self.loop = asyncio.new_event_loop()
        self.began = threading.Event()
        self.thread = threading.Thread(target=self.loop.run_until_complete, args=(self.run(),), daemon=True)
        self.thread.start()
        self.began.wait()

    # ---- of other threads ----

    def ask(self, kind, method, target, body=None, name=""):
        """A write of the caller's own. Returns a future of the Write once it is acknowledged."""
        return asyncio.run_coroutine_threadsafe(self.own(kind, method, target, body, name), self.loop)

    def stop(self):
        """Returns when each write that was begun is acknowledged or given up."""
        self.over = True
        self.thread.join()

    def rate_between(self, since, until):
        return (bisect.bisect(self.answered, until) - bisect.bisect(self.answered, since)) / (until - since)

    # ---- of its thread ----

    async def run(self):
        self.turns = asyncio.Queue()
        self.signers = [Signer(server) for server in self.servers]
        workers = [asyncio.create_task(self.work(first)) for first in range(len(self.servers)) for _ in range(WORKERS)]
        self.began.set()
        begin, sent = time.monotonic(), 0
        while not self.over:
            await asyncio.sleep(0.01)
            due = int((time.monotonic() - begin) * self.rate) - sent
            taken = min(due, BACKLOG - self.turns.qsize())
            for _ in range(taken):
                self.turns.put_nowait(True)
            sent, self.unsent = sent + due, self.unsent + due - taken
        for _ in workers:
            self.turns.put_nowait(False)
        await asyncio.gather(*workers)
        while self.busy:
            await asyncio.sleep(0.02)

    def connections(self):
        return [Connection(signer, server.port) for signer, server in zip(self.signers, self.servers)]

    async def work(self, first):
        connections = self.connections()
        while await self.turns.get() and not self.over:
            write = self.next_write()
            try:
                if write is None:
                    await self.read(connections, first)
                elif await self.carry_through(write, connections, first):
                    self.note(write)
            except (ValueError, LookupError, TypeError):  # an answer that is none
                self.wrong.append(traceback.format_exc())
        for connection in connections:
            connection.close()

    async def own(self, kind, method, target, body, name):
        self.busy += 1
        try:
            write, connections = Write(kind, self.new_key(), method, target, body, name), self.connections()
            await self.carry_through(write, connections, self.rng.randrange(len(self.servers)))
            for connection in connections:
                connection.close()
            return write
        finally:
            self.busy -= 1

    def new_key(self):
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def next_write(self):
        """None: it is a read's turn."""
        drawn, key = self.rng.random(), self.new_key()
        if drawn < 0.24 and len(self.open) < OPEN:
            name = self.new_name("w")
            return Write("session", key, "POST", "/v1/sessions", self.session_body(name), name)
        if drawn < 0.50 and self.open and time.monotonic() - self.open[0][0] > LIVES_S:
            _, session, name = self.open.popleft()
            return Write("end", key, "DELETE", f"/v1/sessions/{session}", name=name, session=session)
        if drawn < 0.54:
            name = self.new_name("g")
            return Write("group", key, "POST", "/v1/groups", {"name": name}, name)
        if drawn < 0.58:
            name = self.new_name("u")
            return Write("user", key, "POST", "/v1/users", {"name": name, "role": "user", "projects": ["default"]}, name)
        return None

    def new_name(self, letter):
        self.numbers[letter] += 1
        return f"{letter}{self.numbers[letter]}"

    async def carry_through(self, write, connections, first):
        """Asks until it is acknowledged. False: it was refused, or given up."""
        begin = time.monotonic()
        while True:
            server = (first + write.tries) % len(connections)
            write.tries += 1
            status, body = await connections[server].ask(write.method, write.target, write.body, write.key)
            now = time.monotonic()
            if status in (200, 201):
                return self.acknowledge(write, json.loads(body), now, now - begin)
            if status == 404 and write.session and now - begin < BEHIND_S:
                self.behind.append((now, self.servers[server].name))
            elif status not in AGAIN or status == 412:
                self.wrong.append(f"{write.kind} {write.name} {write.key}, try {write.tries}: {status} {body.decode(errors='replace')}")
                return False
            self.again[f"{write.kind} {self.reason(status, body)}"] += 1
            if now - begin > GIVEN_UP_S:
                self.given_up.append(write)
                return False
            await asyncio.sleep(0.02 if write.tries % len(connections) else 0.1)

    def acknowledge(self, write, answer, now, seconds):
        write.position, write.body = answer["position"], b""
        if write.kind in ("session", "job"):
            write.session = answer["sessions"][0]["id"]
            if len(answer["sessions"]) != 1 or answer["sessions"][0]["name"] != write.name:
                self.wrong.append(f"{write.name} {write.key}: answered with {answer}")
        self.acknowledged.append(write)
        self.answered.append(now)
        self.decided.append(now)
        self.seconds.append(seconds)
        return True

    def note(self, write):
        if write.kind == "session":
            self.open.append((time.monotonic(), write.session, write.name))
        if write.session:
            self.seen.append(write)

    async def read(self, connections, first):
        write = self.rng.choice(self.seen) if self.seen else None
        target = f"/v1/sessions/{write.session}?min_position={write.position}&wait=2s" if write else "/v1/whoami"
        status, body = await connections[first].ask("GET", target, b"", "")
        if status == 200 and write is not None and json.loads(body)["name"] != write.name:
            self.wrong.append(f"GET of {write.session} answered {body.decode()}")
        if status == 200:
            self.answered.append(time.monotonic())
        elif status in AGAIN:
            self.again["GET " + self.reason(status, body)] += 1
            await asyncio.sleep(0.05)
        else:
            self.wrong.append(f"GET {target}: {status} {body.decode(errors='replace')}")

    @staticmethod
    def reason(status, body):
        return json.loads(body).get("code", str(status)) if body.startswith(b"{") else "no-answer"
