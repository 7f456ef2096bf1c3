"""What a Berth of a test's own leaves on this machine: processes, mounts of every namespace, loop devices, namespaces of networks, cgroups and sockets.

Others work on the machine meanwhile, so that all is counted that names a folder of the test's own, or is held by what does."""

import contextlib
import glob
import os
import re


ESTABLISHED, LISTENS = "01", "0A"  # of the Linux kernel's table of TCP sockets


def text(path):
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
    return ""


def link(path):
    with contextlib.suppress(OSError):
        return os.readlink(path)
    return ""


def open_sockets():
    """Inodes of sockets of this network that are of Unix or netlink, listen, or are connected."""
    found = {line.split()[6] for line in text("/proc/net/unix").splitlines()[1:]} | {line.split()[-1] for line in text("/proc/net/netlink").splitlines()[1:]}
    for table in ("tcp", "tcp6"):
        rows = [line.split() for line in text("/proc/net/" + table).splitlines()[1:]]
        found |= {row[9] for row in rows if row[3] in (ESTABLISHED, LISTENS)}
    return found


def agents(data):
    """(its folder in memory, how the names of its cgroups begin) of each agent in whose data folder's name `data` stands."""
    for place in ("/run", "/dev/shm"):
        for path in glob.glob(place + "/berth-*/data-folder"):
            if data in text(path):
                home = os.path.dirname(path)
                yield home, os.path.basename(home)[:len("berth-") + 12]


class Traces:
    """Of what lies below `root`, a folder with a name that nothing else on the machine has. Kernels' networks and agents' names are remembered from look
    to look, since who is gone tells neither."""

    def __init__(self, root):
        self.name = os.path.basename(root)
        self.networks, self.agents = set(), set()
        self.own_network = link("/proc/self/ns/net")

    def words(self):
        """The root's name, and how names of the agents' folders in memory and of their cgroups begin."""
        self.agents |= {word for _, word in agents(self.name)}
        return [self.name, *self.agents]

    def cgroups(self):
        """Those of agents, and in them of kernels. Of the place for shims without a kernel, which an agent keeps: only while one is there."""
        found = [path for word in self.agents for below in ("", "/*") for path in glob.glob(f"/sys/fs/cgroup/{word}{below}/") +
                 glob.glob(f"/sys/fs/cgroup/*/{word}{below}/")]
        return sorted(path for path in found if not path.endswith("/shims/") or text(path + "cgroup.procs"))

    def look(self):
        """What there is now: sorted lists of words, for a comparison that says what differs."""
        words = self.words()
        ours = re.compile("|".join(map(re.escape, words)))
        processes, mounts, networks, sockets = [], {}, set(), []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            base = f"/proc/{pid}"
            command = text(base + "/cmdline")
            is_ours = int(pid) != os.getpid() and (ours.search(command.partition("\0")[2]) or ours.search(text(base + "/cgroup")))
            if is_ours and text(base + "/stat").rpartition(")")[2].split()[:1] not in ([], ["Z"], ["X"]):
                processes.append(text(base + "/comm").strip())
                networks.add(link(base + "/ns/net"))
                sockets += [target[len("socket:["):-1] for fd in glob.glob(base + "/fd/*") for target in [link(fd)] if target.startswith("socket:")]
            if link(base + "/ns/net") in self.networks:
                networks.add(link(base + "/ns/net"))
            space = link(base + "/ns/mnt")
            if space not in mounts:
                mounts[space] = [line.split()[4] for line in text(base + "/mountinfo").splitlines() if ours.search(line)]
        networks -= {self.own_network, ""}
        self.networks |= networks
        return {
            "processes": sorted(processes), "mounts": sorted(where for one in mounts.values() for where in one),
            # By number: an agent that starts tries a kernel of its own, and the device that was free is another one then.
            "loops": sum(bool(ours.search(text(path))) for path in glob.glob("/sys/block/loop*/loop/backing_file")),
            "networks": len(networks), "sockets": len(sockets), "closing sockets": len(set(sockets) - open_sockets()),
            "cgroups": self.cgroups(),
            "doors": sorted(line.split()[-1] for line in text("/proc/net/unix").splitlines() if ours.search(line))}
