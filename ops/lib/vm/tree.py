"""The second disk of a machine: this tree as it is now, the programs and console built for the suite, and images.

It is what /root/berth would be after README's clone and build (the machine mounts it there): `build/release/bin` holds programs
of the machine's own suite. Made anew for each run, in seconds: people change the tree.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

from vm import system

ROOT = system.ROOT
MOUNT = "mkdir -p /root/berth && mount LABEL=tree /root/berth"


def host_suite():
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.split("=")[1]
    return ""


def build_folder(suite):
    """Where the programs of this suite are built: of the host's own in build/release."""
    return ROOT / "build" / ("release" if suite == host_suite() else f"suite/{suite}/release")


def root_folder(suite):
    """The Debian in which they are built."""
    return pathlib.Path("/") if suite == host_suite() else ROOT / "build" / "suite" / suite / "root"


def build(suite, tests=()):
    """Builds what is not built for this suite; `tests`: test programs besides."""
    if suite != host_suite() or tests:
        subprocess.run([ROOT / "ops" / "lib" / "suite_build", suite, *(["programs", *tests] if tests else [])], check=True,
                       stdout=subprocess.DEVNULL)


def libraries(suite):
    """Debian's packages of the shared libraries that the programs take."""
    programs = [f"bin/{name}" for name in ("berth", "berth-controller", "berth-agent", "berth-launcher", "berth-init")]
    build = build_folder(suite)
    missing = [name for name in programs if not (build / name).exists()]
    if missing:
        raise SystemExit(f"ops/vm: {build.relative_to(ROOT)} has no {missing[0]}: build it by ops/lib/suite_build {suite}")
    inside = [] if suite == host_suite() else ["chroot", str(root_folder(suite))]
    files = set()
    with tempfile.TemporaryDirectory(dir=root_folder(suite) / "tmp") as folder:
        for name in programs:
            copy = pathlib.Path(folder) / pathlib.Path(name).name
            shutil.copy(build / name, copy)
            path = "/" + str(copy.relative_to(root_folder(suite)))
            said = subprocess.run([*inside, "ldd", path], capture_output=True, text=True, check=False).stdout
            files |= {line.split("=>")[1].split()[0] for line in said.splitlines() if "=> /" in line}
    packages = set()
    for file in sorted(files):
        for path in (file, file.removeprefix("/usr"), "/usr" + file):
            said = subprocess.run([*inside, "dpkg", "-S", path], capture_output=True, text=True, check=False).stdout
            if said:
                packages.add(said.split(":")[0])
                break
    return sorted(packages)


def make_disk(suite, path, images=("python",), more=(), tests=()):
    """`images` of build/images; `more`: {path in the tree: folder of this machine}; `tests`: test programs of this suite."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="tree.") as folder:
        top = pathlib.Path(folder) / "tree"
        names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                               capture_output=True).stdout.decode().split("\0")
        for name in filter(None, names):
            if (ROOT / name).is_file():
                (top / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, top / name)
        build, release = build_folder(suite), top / "build" / "release"
        (release / "bin").mkdir(parents=True)
        (release / "tests").mkdir()
        for program in [*(build / "bin").iterdir(), *(build / "tests" / name for name in tests)]:
            if program.is_file() and os.access(program, os.X_OK):
                shutil.copy2(program, release / program.parent.name)
                subprocess.run(["strip", release / program.parent.name / program.name], check=True)
        console = ROOT / "build" / "release" / "console"
        if console.exists():
            shutil.copytree(console, release / "console")
        for image in images:
            kept = ROOT / "build" / "images" / image
            if kept.exists():
                shutil.copytree(kept, top / "build" / "images" / image)
        made = ROOT / "build" / "images" / ".made"
        if made.exists():
            shutil.copytree(made, top / "build" / "images" / ".made")
        for name, source in dict(more).items():
            shutil.copytree(source, top / name, symlinks=True, dirs_exist_ok=True)
        size = sum(file.lstat().st_size for file in top.rglob("*")) // 2**20
        path.unlink(missing_ok=True)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-L", "tree", "-d", top, path, f"{size * 5 // 4 + 256}M"], check=True,
                       stdout=subprocess.DEVNULL)
    return path
