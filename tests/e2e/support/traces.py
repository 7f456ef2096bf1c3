"""What a Berth of a test's own leaves on this machine: processes, mounts of every namespace, loop devices, namespaces of networks, cgroups and sockets.

Others work on the machine meanwhile, so that all is counted that names a folder of the test's own, or is held by what does."""

import contextlib
import glob
import os
import re


def text(path):
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
    return ""


def link(path):
    with contextlib.suppress(OSError):
        return os.readlink(path)
    return ""


class Traces:
    """Of what lies below `root`, a folder with a name that nothing else on the machine has. Kernels' networks are remembered from look to look."""

    def __init__(self, root):
        self.name = os.path.basename(root)
        self.networks = set()
        self.own_network = link("/proc/self/ns/net")

    def fast(self):
        """Names of agents' folders on a tmpfs: that of their cgroup begins it."""
        return [os.path.basename(os.path.dirname(path)) for path in glob.glob("/run/berth-*/data-folder") + glob.glob("/dev/shm/berth-*/data-folder")
                if self.name in text(path)]

    def words(self):
        return [self.name, *{name[:len("berth-") + 12] for name in self.fast()}]

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
                sockets += [kind for fd in glob.glob(base + "/fd/*") for kind in [link(fd).partition(":")[0]] if kind == "socket"]
            if link(base + "/ns/net") in self.networks:
                networks.add(link(base + "/ns/net"))
            space = link(base + "/ns/mnt")
            if space not in mounts:
                mounts[space] = [line.split()[4] for line in text(base + "/mountinfo").splitlines() if ours.search(line)]
        networks -= {self.own_network, ""}
        self.networks |= networks
        return {
            "processes": sorted(processes), "mounts": sorted(where for one in mounts.values() for where in one),
            "loops": sorted(os.path.basename(os.path.dirname(os.path.dirname(path))) for path in glob.glob("/sys/block/loop*/loop/backing_file")
                            if ours.search(text(path))),
            "networks": len(networks), "sockets": len(sockets),
            "cgroups": sorted(path for word in words[1:] for path in glob.glob(f"/sys/fs/cgroup/*/{word}/*/") + glob.glob(f"/sys/fs/cgroup/{word}/*/")),
            "doors": sorted(line.split()[-1] for line in text("/proc/net/unix").splitlines() if ours.search(line))}
