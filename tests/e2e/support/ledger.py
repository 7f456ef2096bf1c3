"""What a Berth knows in the end, held against what it acknowledged: lists of the state and of history, and the journal's events."""

import collections
import http.client
import json

import berth as rig

# What a write of a kind leaves in the journal, once.
EFFECTS = {"session": ("SessionRequested",), "job": ("SessionRequested",), "group": ("ResourceGroupDefined",), "user": ("UserDefined",),
           "end": ("SessionTerminating", "SessionCancelled")}
WATCHED = sorted({*sum(EFFECTS.values(), ()), "SessionScheduled", "SessionRequeued", "KernelRunning"})


def ask(server, method, target, body=None):
    status, answer = rig.asked(server, method, target, "" if body is None else json.dumps(body))
    if status not in (200, 201):
        raise AssertionError(f"{method} {target}: {status} {answer.decode(errors='replace')}")
    return json.loads(answer)


def all_of(server, target, rows):
    """Every page of a list."""
    token = ""
    while token is not None:
        page = ask(server, "GET", f"{target}{'&' if '?' in target else '?'}limit=1000{token and '&page_token=' + token}")
        yield from page[rows]
        token = page.get("next_page_token")


def events_of(server):
    """Those that are watched, from the journal's beginning."""
    target = "/v1/events/export?format=jsonl&type=" + ",".join(WATCHED)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=rig.PATIENCE)
    connection.request("GET", target, None, rig.signed(server, "GET", target))
    for line in connection.getresponse():
        event = json.loads(line)
        if "error" in event:
            raise AssertionError(f"the export broke off: {line}")
        if "end" in event:
            connection.close()
            return
        yield event
    raise AssertionError("the export of events was cut")


class Ledger:
    """REQUIRES: nothing is under way."""

    def __init__(self, server, writes):
        """`writes`: load.Write that were acknowledged."""
        self.server, self.writes = server, writes
        self.lost, self.doubled, self.started = 0, 0, 0
        self.wrong, self.again_elsewhere = [], collections.Counter()
        self.sessions = self.once("sessions", all_of(server, "/v1/sessions?state=all", "sessions"))
        self.groups = self.once("groups", all_of(server, "/v1/groups", "groups"))
        self.users = self.once("users", all_of(server, "/v1/users", "users"))
        self.effects = collections.defaultdict(collections.Counter)  # request id -> (event, session) -> how often
        self.read_events()
        self.look_for_writes()

    def once(self, what, rows):
        """By name."""
        found = {}
        for row in rows:
            if row["name"] in found:
                self.doubled += 1
                self.wrong.append(f"{row['name']} is twice among the {what}")
            found[row["name"]] = row
        return found

    def read_events(self):
        agent_of, running = {}, collections.Counter()
        for event in events_of(self.server):
            kind, session, data = event["type"], event["session"], event["data"]
            if event["request_id"]:
                self.effects[event["request_id"]][kind, session] += 1
            if kind == "SessionScheduled":
                agent_of[session] = data["placements"][0]["agent"]
            elif kind == "SessionRequeued":
                self.again_elsewhere[agent_of.get(session)] += 1
            elif kind == "KernelRunning":
                self.started += 1
                running[data["kernel_id"], data.get("attempt", 1)] += 1
        for (kernel, attempt), count in running.items():
            if count > 1:
                self.wrong.append(f"kernel {kernel} attempt {attempt} is said to run {count} times")

    def look_for_writes(self):
        for write in self.writes:
            effects = {what: count for what, count in self.effects[write.key].items() if what[0] in EFFECTS[write.kind]}
            if not effects or not self.is_in_the_state(write):
                self.lost += 1
                self.wrong.append(f"lost: {write.kind} {write.name} {write.key}, acknowledged at position {write.position}: events {effects}")
            if sum(effects.values()) > 1:
                self.doubled += 1
                self.wrong.append(f"doubled: {write.kind} {write.name} {write.key}, acknowledged at position {write.position}: events {effects}")

    def is_in_the_state(self, write):
        if write.kind == "group":
            return write.name in self.groups
        if write.kind == "user":
            return write.name in self.users
        found = self.sessions.get(write.name)
        if found is None or found["id"] != write.session:
            return False
        return write.kind != "end" or found["status"] in ("TERMINATED", "CANCELLED")

    def faults(self):
        return self.wrong

    def started_again_elsewhere_than(self, agent):
        """Sessions that were given up on an agent whose lease was not over."""
        return [f"{count} sessions were requeued from {one}" for one, count in self.again_elsewhere.items() if one != agent]
