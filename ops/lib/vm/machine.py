"""One machine: qemu on a layer of its own above the base disk, one forwarded port of loopback to its sshd.

    with Machine("bookworm", disks=[tree]) as machine:
        machine.wait()
        machine.run("systemctl is-system-running")

`cut()` is the power cut: qemu is killed, and what the machine had not written through is gone. `start()` again boots what is
left. Nothing here waits without a limit: a machine that does not answer is a `MachineError` with the console's last lines.
"""
import ipaddress
import json
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import zlib

from vm import system

BOOT_SECONDS_MAX = 420  # without KVM on two busy processors; 50 to 90 s otherwise
COMMAND_SECONDS = 120
MEMORY = "3072"
# Emulated processors take turns. The kernel changes its own code while it runs, and where they are threads of their own one runs the
# breakpoint that the other has taken away again: 6.12 dies ("Oops: int3"), 6.1 meets it for ever and stands still.
THREADS = "single"


class MachineError(Exception):
    pass


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def accelerator():
    """KVM where a machine boots by it; its device may answer and boot nothing, so `ops/vm` tries, once a boot of this one."""
    said = pathlib.Path("/run/berth-vm-accelerator")
    if said.exists():
        return said.read_text().strip()
    found = "kvm" if os.access("/dev/kvm", os.R_OK | os.W_OK) and boots_by_kvm() else "tcg"
    said.write_text(found)
    return found


def boots_by_kvm():
    place = next((system.folder(suite) for suite in system.SUITES if (system.folder(suite) / "vmlinuz").exists()), None)
    if place is None:
        return False
    command = ["timeout", "20", "qemu-system-x86_64", "-accel", "kvm", "-cpu", "host", "-m", "512", "-display", "none",
               "-no-reboot", "-serial", "stdio", "-kernel", place / "vmlinuz", "-append", "console=ttyS0 panic=-1"]
    done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return b"Kernel panic" in done.stdout  # it came as far as to look for a root disk


class Machine:
    def __init__(self, suite, disks=(), folder=None, memory=MEMORY, arguments=(), options="", network=None):
        """`network`: the address, like 10.77.0.1/24, of a second card; the machines of this tree that have one are on one network."""
        self.suite = suite
        self.network = ipaddress.ip_interface(network) if network else None
        self.base = system.folder(suite)
        self.owned = folder is None
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="run.", dir=self.base))
        self.folder.mkdir(parents=True, exist_ok=True)
        self.console = self.folder / "console.log"
        self.sockets = tempfile.mkdtemp(prefix="berth-vm.")  # a socket's path is short
        self.disks, self.memory, self.arguments, self.options = list(disks), memory, list(arguments), options
        self.layer = self.folder / "disk.qcow2"
        self.port = free_port()
        self.qemu = None
        self.accelerator = accelerator()
        if not self.layer.exists():
            subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", self.base / "disk.raw", self.layer],
                           check=True)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, error, trace):
        self.close()
        if self.owned and kind is None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def close(self):
        self.cut()
        shutil.rmtree(self.sockets, ignore_errors=True)

    def start(self):
        how = ["-accel", "kvm", "-cpu", "host"] if self.accelerator == "kvm" else [
            "-accel", f"tcg,thread={THREADS},tb-size=1024", "-cpu", "max"]
        drives = ["-drive", f"file={self.layer},if=virtio,format=qcow2,cache=writeback"]
        for disk in self.disks:
            kind = "qcow2" if str(disk).endswith(".qcow2") else "raw"
            drives += ["-drive", f"file={disk},if=virtio,format={kind},cache=writeback"]
        append = f"root=LABEL=root ro console=ttyS0 systemd.show_status=1 net.ifnames=1 {self.options}"
        qmp = self.folder / "qmp"
        qmp.unlink(missing_ok=True)
        # qemu ends with the process that started it, also where that is killed.
        command = ["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", *how, "-smp", "2", "-m", self.memory, "-display", "none", "-nodefaults",
                   "-kernel", self.base / "vmlinuz", "-initrd", self.base / "initrd.img", "-append", append,
                   "-serial", f"file:{self.console}.new", "-qmp", f"unix:{qmp},server=on,wait=off",
                   "-device", "virtio-rng-pci", *drives,
                   "-netdev", f"user,id=net,hostfwd=tcp:127.0.0.1:{self.port}-:22", "-device", "virtio-net-pci,netdev=net",
                   *self.card(), *self.arguments]
        self.booted_at = time.monotonic()
        self.qemu = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=open(self.folder / "qemu.log", "ab"),
                                     start_new_session=True)

    def hardware_address(self):
        return "52:54:00:" + ":".join(f"{byte:02x}" for byte in self.network.ip.packed[-3:])

    def card(self):
        if self.network is None:
            return []
        port = 20_000 + zlib.crc32(str(system.ROOT).encode()) % 10_000  # of loopback alone, and of this tree
        return ["-netdev", f"socket,id=second,mcast=239.77.0.1:{port},localaddr=127.0.0.1",
                "-device", f"virtio-net-pci,netdev=second,mac={self.hardware_address()}"]

    def join_network(self):
        """Gives the second card its address; once a boot, after `wait()`."""
        text = f"[Match]\nMACAddress={self.hardware_address()}\n[Link]\nRequiredForOnline=no\n[Network]\nAddress={self.network}\n"
        self.run(f"printf {shlex.quote(text)} >/etc/systemd/network/05-second.network; networkctl reload; "
                 f"for i in $(seq 100); do ip -o -4 address | grep -qF ' {self.network} ' && exit 0; sleep 0.2; done; ip address; exit 1")

    def said(self, lines=25):
        """The console's last lines; those of boots before this one are in console.log."""
        try:
            text = pathlib.Path(f"{self.console}.new").read_text(errors="replace")
        except FileNotFoundError:
            text = ""
        return "\n".join(text.splitlines()[-lines:])

    def ssh_words(self, settings, *options):
        settings = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "BatchMode=yes", *settings]
        words = ["ssh", "-q", *options, "-i", self.base / "id", "-p", self.port]
        return [str(word) for word in [*words, *(word for setting in settings for word in ("-o", setting)), "root@127.0.0.1"]]

    def ssh(self, command, tty=False, **more):
        # One connection for many commands: without KVM each takes two seconds to agree on keys. A machine that went down
        # takes its connection along.
        settings = ["ConnectTimeout=10", "ServerAliveInterval=5", "ServerAliveCountMax=24", "ControlMaster=auto", "ControlPersist=60",
                    f"ControlPath={self.sockets}/%C"]
        return subprocess.run([*self.ssh_words(settings, *(["-t"] if tty else [])), command], check=False, **more)

    def forward(self, port):
        """The machine's port of loopback, as the same port here; the caller ends the process that is returned."""
        words = self.ssh_words(["ExitOnForwardFailure=yes", "ControlPath=none"], "-N", "-L", f"127.0.0.1:{port}:127.0.0.1:{port}")
        return subprocess.Popen(words, stdin=subprocess.DEVNULL)

    def wait(self, seconds=BOOT_SECONDS_MAX):
        """Until sshd answers; the seconds since `start()`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.qemu.poll() is not None:
                raise MachineError(f"qemu ended with {self.qemu.returncode}: {(self.folder / 'qemu.log').read_text()[-500:]}")
            try:
                if self.ssh("true", capture_output=True, timeout=20, stdin=subprocess.DEVNULL).returncode == 0:
                    return time.monotonic() - self.booted_at
            except subprocess.TimeoutExpired:
                continue
            time.sleep(1)
        raise MachineError(f"no sshd after {seconds} s; its console's last lines:\n{self.said()}")

    def call(self, command, seconds=COMMAND_SECONDS, text=None):
        """(exit code, output of both) of a command of bash in the machine; 124 where the time is over."""
        try:
            done = self.ssh(f"timeout -k 5 {seconds} bash -c {shlex.quote(command)}", timeout=seconds + 30, text=True,
                            input=text or "", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
            return done.returncode, done.stdout
        except subprocess.TimeoutExpired:
            return 124, f"no answer within {seconds} s"

    def run(self, command, seconds=COMMAND_SECONDS, text=None):
        """The output of a command that must succeed."""
        code, output = self.call(command, seconds, text)
        if code != 0:
            raise MachineError(f"`{command}` ended with {code}:\n{output[-3000:]}\nconsole:\n{self.said(8)}")
        return output

    def qmp(self, command):
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(20)
            one.connect(str(self.folder / "qmp"))
            with one.makefile("rw") as lines:
                lines.readline()
                for ask in ("qmp_capabilities", command):
                    lines.write(json.dumps({"execute": ask}) + "\n")
                    lines.flush()
                    lines.readline()

    def press_power_button(self):
        self.qmp("system_powerdown")

    def wait_for_end(self, seconds=180):
        """Until the machine has switched itself off."""
        try:
            self.qemu.wait(seconds)
        except subprocess.TimeoutExpired:
            raise MachineError(f"still on after {seconds} s:\n{self.said()}") from None
        self.keep_console()

    def boot_id(self):
        return self.run("cat /proc/sys/kernel/random/boot_id").strip()

    def wait_for_other_boot(self, before, seconds=BOOT_SECONDS_MAX):
        """Until sshd answers in another boot than `before`: a machine that goes down answers for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            code, output = self.call("cat /proc/sys/kernel/random/boot_id", 15)
            if code == 0 and output.strip() != before:
                return
            if self.qemu.poll() is not None:
                raise MachineError("the machine is off")
            time.sleep(1)
        raise MachineError(f"no other boot after {seconds} s:\n{self.said()}")

    def cut(self):
        if self.qemu is not None and self.qemu.poll() is None:
            os.killpg(self.qemu.pid, signal.SIGKILL)
            self.qemu.wait()
        self.keep_console()

    def keep_console(self):
        new = pathlib.Path(f"{self.console}.new")
        if new.exists():
            with open(self.console, "ab") as all_of_it:
                all_of_it.write(new.read_bytes())
            new.unlink()
