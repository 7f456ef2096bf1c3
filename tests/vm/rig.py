"""Berth installed on a real machine (ops/vm), asked as its operator asks: `berth` and the shell, by ssh."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ops" / "lib"))
from vm import system, tree  # noqa: E402
from vm.machine import Machine, MachineError  # noqa: E402,F401

FULL = os.environ.get("BERTH_VM_FULL", "") != ""
EVERY = os.environ.get("BERTH_VM_FULL") == "every"
SUITE = os.environ.get("BERTH_VM_SUITE", "bookworm")
RUNTIME = os.environ.get("BERTH_VM_RUNTIME", "runc")
SMALL = "small:1"  # an image of a static shell alone: without KVM Python's image takes minutes to unpack


def of_suite(suite):
    """A long test that one suite's machine runs for both, so that these end within an hour; BERTH_VM_FULL=every: each does."""
    return unittest.skipUnless(EVERY or suite == SUITE, f"the machine of {suite} runs it; BERTH_VM_FULL=every: each does")


def small_image(folder):
    """An OCI layout of a static busybox; a few megabytes."""
    layout, root = folder / "small", folder / "small.root"
    (root / "bin").mkdir(parents=True)
    for name in ("etc", "tmp", "home/work", "proc", "sys", "dev", "run", "var/lib", "mnt"):
        (root / name).mkdir(parents=True)
    subprocess.run(["cp", "/bin/busybox", root / "bin/busybox"], check=True)
    names = subprocess.run(["/bin/busybox", "--list"], check=True, capture_output=True, text=True).stdout.split()
    for name in names:
        if name != "busybox":
            (root / "bin" / name).symlink_to("busybox")
    (root / "bin/bash").write_text("#!/bin/sh\nexec /bin/sh \"$@\"\n")
    (root / "bin/bash").chmod(0o755)
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\nwork:x:1000:1000::/home/work:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nwork:x:1000:\n")
    subprocess.run(["chown", "-R", "0:0", root], check=True)
    subprocess.run(["chown", "-R", "1000:1000", root / "home/work"], check=True)
    tar = folder / "small.tar"
    subprocess.run(["tar", "-C", root, "-cf", tar, "."], check=True)
    for words in (["init", "--layout", layout], ["new", "--image", f"{layout}:1"],
                  ["raw", "add-layer", "--image", f"{layout}:1", tar],
                  ["config", "--image", f"{layout}:1", "--config.user", "work", "--config.workingdir", "/home/work",
                   "--config.env", "PATH=/bin", "--config.cmd", "/bin/sh"]):
        subprocess.run(["umoci", *words], check=True, capture_output=True)
    return layout


class Installed:
    """A machine with Berth installed from the tree; `berth.service` runs after `enable()`."""

    def __init__(self, suite=SUITE, images=(), disks=(), tests=(), **more):
        tree.build(suite, tests)
        place = system.make_system(suite, tree.libraries(suite))
        self.folder = tempfile.TemporaryDirectory(dir=place, prefix="test.")  # pylint: disable=consider-using-with
        folder = pathlib.Path(self.folder.name)
        with tempfile.TemporaryDirectory(dir=place, prefix="image.") as image:
            layout = small_image(pathlib.Path(image))
            drives = [tree.make_disk(suite, folder / "tree.raw", images, {"build/images/small": layout}, tests)]
        for number, size in enumerate(disks):
            drives.append(folder / f"disk{number}.qcow2")
            subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", drives[-1], size], check=True)
        self.machine = Machine(suite, drives, folder / "run", **more)
        self.machine.start()
        self.boot_seconds = self.machine.wait()
        self.run(f"{tree.MOUNT}; grep -q LABEL=tree /etc/fstab || echo LABEL=tree /root/berth ext4 nofail 0 2 >>/etc/fstab")
        self.run("cd /root/berth && ops/install", 300)

    def close(self):
        self.machine.close()
        keep = os.environ.get("BERTH_VM_LOGS")
        if keep:
            pathlib.Path(keep).mkdir(parents=True, exist_ok=True)
            target = pathlib.Path(keep) / f"console-{self.machine.suite}.log"
            target.write_bytes(self.machine.console.read_bytes() if self.machine.console.exists() else b"")
        self.folder.cleanup()

    def run(self, command, seconds=120):
        try:
            return self.machine.run(command, seconds)
        except MachineError as error:
            said = self.machine.call("journalctl -u 'berth*' -n 25 --no-pager -o cat; systemctl show berth -p ActiveState,NRestarts,Result", 30)[1]
            raise MachineError(f"{error}\nits units say:\n{said}") from None

    def call(self, command, seconds=120):
        return self.machine.call(command, seconds)

    def enable(self, options=""):
        if options:
            self.run(f"sed -i 's|^BERTH_OPTIONS=.*|BERTH_OPTIONS={options}|' /etc/berth/berth.env")
        self.run("systemctl enable --now berth", 240)
        self.run(f"berth image add {SMALL} oci:/root/berth/build/images/small:1")

    def session(self, name, *more, command=None, mem="64m", cpu="0.5", image=SMALL):
        """Asks for a session and waits until it runs."""
        words = " ".join(more)
        tail = f" -- {command}" if command else ""
        self.run(f"berth session run --image {image} --cpu {cpu} --mem {mem} --name {name} {words} --detach{tail}")
        self.await_status(name, "RUNNING")

    def show(self, name):
        return json.loads(self.run(f"berth session show {name} -o json"))

    def await_status(self, name, *statuses, seconds=180):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            code, text = self.call(f"berth session show {name} -o json", 40)
            if code == 0 and json.loads(text)["status"] in statuses:
                return json.loads(text)
            time.sleep(0.5)  # between two looks by ssh
        why = self.call(f"berth session why {name}; journalctl -u berth -n 5 --no-pager; tail -3 /var/lib/berth/agent/launcher.log")[1]
        raise AssertionError(f"{name} is not {' or '.join(statuses)} after {seconds} s:\n{text[:1500]}\n{why}")

    def await_ready(self, name):
        """Until its program has said so: a signal before that finds it as it began."""
        self.await_status(name, "RUNNING")
        self.run(f"for i in $(seq 100); do berth session logs {name} | grep -q ready && exit 0; sleep 0.3; done; exit 1", 100)

    def inside(self, name, command, seconds=120):
        return self.run(f"berth exec {name} -- sh -c '{command}'", seconds)

    def pid(self, name):
        """Of the kernel's first process, on the machine."""
        return int(self.show(name)["kernels"][0]["pid"])

    def end_of(self, name):
        """(end, exit code) of its first kernel."""
        kernel = self.await_status(name, "TERMINATED", "CANCELLED", "ERROR")["kernels"][0]
        return kernel["end"], kernel.get("exit_code")
