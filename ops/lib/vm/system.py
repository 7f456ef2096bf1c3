"""The base disk of a machine for tests: a Debian of standard priority with Recommends, its cloud kernel, systemd and sshd.

Made once a suite by mmdebstrap and `mke2fs -d`, and kept under build/vm/SUITE: `disk.raw` (never written by a machine: each
runs on a layer of its own), `vmlinuz`, `initrd.img`, `id` (the key that root's sshd takes). `recipe` beside them says what
they were made of; another recipe makes them again.
"""
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SUITES = ("bookworm", "trixie")
DISK_SIZE = "12G"  # sparse
# What README's machine has beside Berth's own packages, and what the tests of disks, people and other runtimes take.
MACHINE = ("linux-image-cloud-amd64 systemd-sysv systemd-timesyncd dbus openssh-server apparmor acpid "
           "crun podman xfsprogs btrfs-progs sudo curl strace").split()
NETWORK = "[Match]\nName=en*\n[Network]\nDHCP=ipv4\n"
# A test asks a machine for its own state, not for what its timers do in the first minutes.
TIMERS = ("apt-daily.timer apt-daily-upgrade.timer man-db.timer e2scrub_all.timer fstrim.timer exim4.service "
          "podman-auto-update.service podman-auto-update.timer podman-restart.service").split()


def say(*words):
    print("ops/vm:", *words, file=sys.stderr, flush=True)


def shell(script, *arguments):
    """The output of a piece of bash that knows ops/lib's functions."""
    text = f"source ops/lib/apt.sh; source ops/lib/packages.sh; {script}"
    done = subprocess.run(["bash", "-c", text, "vm", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout


def packages(libraries):
    runtime = shell('packages_of runtime').split()
    return sorted({*MACHINE, *runtime, *libraries})


def folder(suite):
    return ROOT / "build" / "vm" / suite


def make_system(suite, libraries):
    """Makes what is missing; `libraries`: the Debian packages whose shared libraries the programs take."""
    place = folder(suite)
    place.mkdir(parents=True, exist_ok=True)
    recipe = hashlib.sha256((pathlib.Path(__file__).read_text() + " ".join(packages(libraries))).encode()).hexdigest()
    with open(place / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = place / "recipe"
        if made.exists() and made.read_text() == recipe:
            return place
        made.unlink(missing_ok=True)
        say(f"making a machine of Debian {suite} (once)")
        build(suite, place, packages(libraries))
        made.write_text(recipe)
    return place


def build(suite, place, names):
    for program in ("mmdebstrap", "mke2fs", "ssh-keygen"):
        if shutil.which(program) is None:
            raise SystemExit(f"ops/vm: {program} is not installed: run ops/setup runtime check vm")
    key = place / "id"
    if not key.exists():
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "berth-vm", "-f", key], check=True)
    with tempfile.TemporaryDirectory(dir=place, prefix="root.") as top:
        root = pathlib.Path(top) / "root"
        fetch(suite, root, names, place / "system.log")
        configure(suite, root, key.with_suffix(".pub").read_text())
        for name, link in (("vmlinuz", "vmlinuz"), ("initrd.img", "initrd.img")):
            shutil.copyfile((root / link).resolve() if not os.path.islink(root / link)
                            else root / os.readlink(root / link).lstrip("/"), place / name)
        disk = place / "disk.new"
        disk.unlink(missing_ok=True)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-L", "root", "-d", root, disk, DISK_SIZE], check=True)
        disk.rename(place / "disk.raw")


def fetch(suite, root, names, log):
    options = [f"--aptopt={line}" for line in shell("apt_settings").splitlines()]
    archive = shell("debian_sources \"$1\"", suite)
    command = ["mmdebstrap", "--variant=standard", "--aptopt=APT::Install-Recommends \"true\"", *options,
               f"--include={','.join(names)}", suite, str(root), "-"]
    with open(log, "w", encoding="utf-8") as out:
        done = subprocess.run(command, input=archive, stdout=out, stderr=out, text=True, check=False,
                              env={**os.environ, "TMPDIR": str(root.parent), "DEBIAN_FRONTEND": "noninteractive"})
    if done.returncode != 0:
        print(*log.read_text(errors="replace").splitlines()[-20:], sep="\n", file=sys.stderr)
        raise SystemExit(f"ops/vm: mmdebstrap could not make Debian {suite}; all it said is in {log.relative_to(ROOT)}")


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def configure(suite, root, key):
    write(root / "etc/hostname", "berth-vm\n")
    write(root / "etc/hosts", "127.0.0.1 localhost\n127.0.1.1 berth-vm\n::1 localhost ip6-localhost ip6-loopback\n")
    write(root / "etc/fstab", "LABEL=root / ext4 errors=remount-ro 0 1\n")
    write(root / "etc/systemd/network/10-machine.network", NETWORK)
    write(root / "etc/apt/sources.list", shell("debian_sources \"$1\"", suite))
    write(root / "etc/apt/apt.conf.d/90machine", shell("apt_settings"))
    write(root / "root/.ssh/authorized_keys", key, 0o600)
    (root / "root/.ssh").chmod(0o700)
    write(root / "etc/ssh/sshd_config.d/machine.conf", "UseDNS no\nMaxStartups 100\nMaxSessions 100\n")
    write(root / "etc/resolv.conf", "nameserver 10.0.2.3\n")
    enable = ["chroot", root, "systemctl", "--root=/", "-q"]  # the machine's own: this one may have no systemd
    subprocess.run([*enable, "enable", "systemd-networkd", "systemd-networkd-wait-online", "ssh"], check=True,
                   stderr=subprocess.DEVNULL)
    subprocess.run([*enable, "mask", *TIMERS], check=True, stderr=subprocess.DEVNULL)
    certificates = pathlib.Path("/usr/local/share/ca-certificates")
    if certificates.exists():
        shutil.copytree(certificates, root / "usr/local/share/ca-certificates", dirs_exist_ok=True)
        subprocess.run(["chroot", root, "update-ca-certificates"], check=True, capture_output=True)
