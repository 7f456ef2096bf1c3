"""Runs inside a kernel, as root there: tries to get out of it, or at what is not its own. One line an attempt:

  NAME: blocked | NOT BLOCKED: WHAT IT GOT | skipped: WHY

Each attempt runs in a child of its own, so one that is ended by the machine's kernel is blocked, and hurts no other. An attempt
returns what it got, or raises OSError; None means that it got nothing."""

import ctypes
import errno
import mmap
import os
import platform
import resource
import select
import signal
import socket
import struct
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
HOST_PORT, HOST_ABSTRACT = int(sys.argv[1]), sys.argv[2]
X86 = platform.machine() == "x86_64"
REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS)
PATIENCE = int(os.environ.get("ATTEMPT_PATIENCE", "60"))  # seconds: a fork bomb takes its time beside others, and on a slow machine
ATTEMPTS = []


class Skipped(Exception):
    pass


def attempt(function):
    ATTEMPTS.append((function.__name__.replace("_", "-"), function))
    return function


def add(name, function):
    ATTEMPTS.append((name, function))


# ---- means ----


def call(number, *arguments):
    """A system call by its number on x86-64. Refused on sight raises; an error from behind the filter is an answer."""
    if not X86:
        raise Skipped("the numbers of the calls are those of x86-64")
    got = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    why = ctypes.get_errno()
    if got < 0 and why in REFUSED:
        raise OSError(why, os.strerror(why))
    return f"the call was let through ({got}, {errno.errorcode.get(why, why)})"


def write(path, text):
    with open(path, "a", encoding="ascii") as file:
        file.write(text)
    return f"wrote {path}"


def write_any(*paths, text):
    """Writes the first of the files that is there."""
    for path in paths:
        if os.path.exists(path):
            return write(path, text)
    raise FileNotFoundError(errno.ENOENT, "none of them is there")


def read(path, limit=64):
    with open(path, "rb") as file:
        got = file.read(limit)
    return f"read {path}: {got!r}" if got.strip(b"\0\n ") else None


# ---- sockets ----


@attempt
def vsock_by_32_bit_socketcall():
    if not X86:
        raise Skipped("only x86-64 has 32-bit calls")
    call_32 = b"\x53\xb8\x66\x00\x00\x00\xbb\x01\x00\x00\x00\xb9" + b"AAAA" + b"\xcd\x80\x5b\xc3"  # socketcall(SYS_socket, AAAA)
    LIBC.mmap.restype = ctypes.c_void_p
    low = LIBC.mmap(None, 4096, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40, -1, 0)
    ctypes.memmove(low + 1024, struct.pack("<III", socket.AF_VSOCK, socket.SOCK_STREAM, 0), 12)
    ctypes.memmove(low, call_32.replace(b"AAAA", struct.pack("<I", low + 1024)), len(call_32))
    got = ctypes.CFUNCTYPE(ctypes.c_int)(low)()
    return f"descriptor {got}" if got >= 0 else None


def socket_of(family, kind=socket.SOCK_STREAM, protocol=0):
    def run():
        made = socket.socket(family, kind, protocol)
        return f"descriptor {made.fileno()}"

    return run


for name, arguments in {"vsock": (socket.AF_VSOCK,), "packet": (17, socket.SOCK_RAW), "raw": (socket.AF_INET, socket.SOCK_RAW, 1),
                        "xdp": (44, socket.SOCK_RAW), "crypto": (38, socket.SOCK_SEQPACKET), "tipc": (30, socket.SOCK_SEQPACKET)}.items():
    add(f"{name}-socket", socket_of(*arguments))
add("x32-socket", lambda: call(0x40000000 | 41, socket.AF_VSOCK, 1, 0))


@attempt
def loopback_of_the_host():
    with socket.create_connection(("127.0.0.1", HOST_PORT), timeout=5):
        return "connected to the controller"


@attempt
def abstract_socket_of_the_host():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect("\0" + HOST_ABSTRACT)
        return "connected"


# ---- the kernel's own init ----

add("trace-of-init", lambda: call(101, 16, 1, 0, 0))
add("memory-of-init", lambda: f"descriptor {os.open('/proc/1/mem', os.O_RDWR)}")
add("environment-of-init", lambda: read("/proc/1/environ"))
add("descriptors-of-init", lambda: f"sees {[os.readlink(f'/proc/1/fd/{one}') for one in os.listdir('/proc/1/fd')]}")
add("root-of-init", lambda: f"sees {os.listdir('/proc/1/root')}")
add("end-record-of-init", lambda: write("/proc/1/fd/3", "exited 0\n"))
add("program-of-init", lambda: write("/run/berth/init", "x"))


@attempt
def kill_init():
    os.kill(1, signal.SIGKILL)  # would end this process, too


# ---- files of the host, and of its kernel ----

add("etc-hosts", lambda: write("/etc/hosts", "x"))
add("etc-hostname", lambda: write("/etc/hostname", "x"))
for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory", "/proc/sys/net/ipv4/ip_forward", "/proc/sysrq-trigger",
             "/proc/irq/default_smp_affinity"):
    add(f"write-{path[6:].replace('/', '-')}", lambda path=path: write(path, "1"))
add("write-kmsg", lambda: write_any("/dev/kmsg", "/proc/kmsg", text="x"))
add("oom-score", lambda: write("/proc/self/oom_score_adj", "-1000"))
for path in ("/proc/keys", "/proc/timer_list", "/proc/kcore", "/proc/sched_debug", "/proc/latency_stats"):
    add(f"read-{path[6:]}", lambda path=path: read(path))
add("read-firmware", lambda: f"sees {os.listdir('/sys/firmware')}" if os.listdir("/sys/firmware") else None)


@attempt
def kernel_addresses():
    with open("/proc/kallsyms", encoding="ascii") as file:
        return None if set(file.readline().split()[0]) == {"0"} else "sees addresses of the host's kernel"


# ---- cgroups ----

V1 = os.path.exists("/sys/fs/cgroup/memory")
add("release-agent", lambda: write_any("/sys/fs/cgroup/memory/release_agent", "/sys/fs/cgroup/systemd/release_agent",
                                       "/sys/fs/cgroup/cgroup.subtree_control", text="/x"))
add("own-memory-limit", lambda: write_any("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max", text="999999999"))
add("leave-cgroup", lambda: write_any("/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/cgroup.procs", text="0"))
add("new-cgroup", lambda: os.mkdir("/sys/fs/cgroup/memory/x" if V1 else "/sys/fs/cgroup/x") or "made one")


# ---- calls that only the host needs ----

NULL = None
for name, arguments in {
        "mount": (165, b"none", b"/mnt", b"tmpfs", 0, 0), "bind-mount": (165, b"/proc", b"/mnt", NULL, 4096, 0),
        "remount": (165, NULL, b"/proc/sys", NULL, 32 | 4096, 0), "umount": (166, b"/proc/sys", 2), "pivot-root": (155, b"/", b"/"),
        "fsopen": (430, b"tmpfs", 0), "open-tree": (428, -100, b"/", 1), "move-mount": (429, -100, b"/tmp", -100, b"/mnt", 0),
        "mount-setattr": (442, -100, b"/", 0, 0, 0), "unshare-user": (272, 0x10000000), "unshare-mounts": (272, 0x20000),
        "clone-user-namespace": (56, 0x10000000 | 17, 0, 0, 0, 0), "clone3": (435, 0, 0), "setns": (308, -1, 0), "bpf": (321, 0, 0, 0),
        "userfaultfd": (323, 0), "perf-events": (298, 0, 0, -1, -1, 0), "io-uring": (425, 1, 0), "keyctl": (250, 0, -3, 0),
        "add-key": (248, b"user", b"x", b"y", 1, -3), "open-by-handle": (304, -1, 0, 0), "kexec": (246, 0, 0, 0, 0),
        "load-module": (175, 0, 0, b""), "reboot": (169, 0, 0, 0, 0), "swapon": (167, b"/x", 0), "iopl": (172, 3), "acct": (163, b"/x"),
        "quotactl": (179, 0, 0, 0, 0), "fanotify": (300, 0, 0), "kernel-log": (103, 3, 0, 0), "settime": (227, 0, 0),
}.items():
    add(name, lambda arguments=arguments: call(*arguments))


# ---- devices, roots, descriptors, rights ----

add("block-device", lambda: os.mknod("/tmp/m", 0o60600, os.makedev(7, 0)) or read("/tmp/m"))
add("memory-device", lambda: os.mknod("/root/m", 0o20600, os.makedev(1, 1)) or read("/root/m"))
add("realtime", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)) or "runs before all others")
add("nice", lambda: f"nice {os.nice(-5)}")


@attempt
def chroot_breakout():
    root = os.stat("/").st_ino
    os.makedirs("/tmp/jail", exist_ok=True)
    above = os.open("/", os.O_RDONLY)
    os.chroot("/tmp/jail")
    os.fchdir(above)
    for _ in range(64):
        os.chdir("..")
    os.chroot(".")
    return None if os.stat("/").st_ino == root else f"sees {os.listdir('/')}"


@attempt
def leaked_descriptors():
    links = {}
    for one in os.listdir("/proc/self/fd"):
        try:
            links[one] = os.readlink(f"/proc/self/fd/{one}")
        except OSError:
            continue  # the listing's own
    strange = {k: v for k, v in links.items() if int(k) > 2 and not v.startswith("pipe:")}
    return f"has {strange}" if strange else None


@attempt
def type_into_a_terminal():
    import fcntl
    fcntl.ioctl(0, 0x5412, b"x")
    return "typed"


@attempt
def setuid_program():
    import shutil
    shutil.copy("/usr/bin/id", "/id")
    os.chmod("/id", 0o4755)
    os.setgid(1000)
    os.setuid(1000)
    who = os.popen("/id -u").read().strip()
    return None if who == "1000" else f"user 1000 became {who}"


# ---- amounts ----


@attempt
def fork_bomb():
    write("/proc/self/oom_score_adj", "1000")  # where memory ends before process ids do, the bomb is what ends
    with open("/proc/sys/kernel/pid_max", encoding="ascii") as file:
        fair = int(file.read()) // 8
    children = []
    try:
        while len(children) < fair:
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    except OSError:
        return None
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)
    return f"{fair} processes, an eighth of the machine's"


@attempt
def shared_memory():
    with open("/dev/shm/fill", "wb") as file:
        try:
            for _ in range(4096):
                file.write(bytes(1 << 20))
            return "4 GiB"
        finally:
            os.unlink("/dev/shm/fill")


@attempt
def memory():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    write("/proc/self/oom_score_adj", "1000")  # this process is the one to end
    return f"{len(bytearray(4 << 30))} bytes"


@attempt
def disk():
    bound = int(sys.argv[3])
    if not bound:
        raise Skipped("this agent bounds no kernel's disk")
    with open("/fill", "wb", buffering=0) as file:
        try:
            for _ in range(bound * 2 >> 20):
                file.write(bytes(1 << 20))
            return f"{bound * 2} bytes where {bound} were given"
        finally:
            os.unlink("/fill")


# ---- how it is told ----


def run(function):
    """In a child; its words come through a pipe."""
    back, out = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(back)
        try:
            got = function()
            said = f"NOT BLOCKED: {got}" if got is not None else "blocked"
        except Skipped as why:
            said = f"skipped: {why}"
        except FileNotFoundError:
            said = "skipped: this machine has no such file"
        except OSError as why:
            said = f"blocked ({errno.errorcode.get(why.errno, why)})"
        os.write(out, said.encode())
        os._exit(0)
    os.close(out)
    said, deadline = b"", time.monotonic() + PATIENCE
    while select.select([back], [], [], max(0, deadline - time.monotonic()))[0]:
        part = os.read(back, 4096)
        if not part:
            break
        said += part
    else:
        os.kill(child, signal.SIGKILL)
        said = b"NOT BLOCKED: it did not come to an end"
    os.close(back)
    _, status = os.waitpid(child, 0)
    return said.decode() or f"blocked (ended by signal {os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0})"


for name, function in ATTEMPTS:
    print(f"{name}: {run(function)}", flush=True)
print("all were tried", flush=True)
