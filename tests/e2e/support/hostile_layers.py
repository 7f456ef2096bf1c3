"""Images whose layers try to get out of their own folder, while they are unpacked or when a kernel is made of them.

All of them aim at a bait: a folder of the test on the machine, with one file, `kept`. Whatever an image does, the bait stays as it is."""

import io
import os
import stat
import subprocess
import tarfile

KEPT = b"what was there before"
MADE = "berth-made"
IDS = range(2_001_666_048, 2_001_731_584)  # what images have on disk (agents/kernel/id_ranges.h)


def entry(name, kind=tarfile.REGTYPE, data=b"", **more):
    info = tarfile.TarInfo(name)
    info.type, info.size, info.mode = kind, len(data), 0o755
    for key, value in more.items():
        setattr(info, key, value)
    return info, data


def link(name, to):
    return entry(name, tarfile.SYMTYPE, linkname=to)


def layers(bait):
    """name -> entries of its one layer. `up`: the bait from any folder that an image is unpacked in."""
    up = "../" * 12 + bait.lstrip("/")
    return {
        "dot-dot": [entry(f"{up}/{MADE}")],
        "dot-dot-behind-a-folder": [entry(f"a/b/../../{up}/{MADE}")],
        "dot-dot-just-outside": [entry(f"../{MADE}"), entry(f"../../{MADE}")],
        "absolute-name": [entry(f"{bait}/{MADE}")],
        "through-an-absolute-link": [link("out", bait), entry(f"out/{MADE}")],
        "through-a-relative-link": [link("out", up), entry(f"out/{MADE}")],
        "through-two-links": [link("a", ".."), link("b", f"a/{up}"), entry(f"b/{MADE}")],
        "a-folder-in-place-of-a-link": [link("out", bait), entry("out", tarfile.DIRTYPE, mode=0o777), entry(f"out/{MADE}")],
        "overwrites-through-a-link": [link("kept", f"{bait}/kept"), entry("kept", data=b"overwritten")],
        "hard-link-absolute": [entry("stolen", tarfile.LNKTYPE, linkname=f"{bait}/kept"), entry("stolen", data=b"overwritten")],
        "hard-link-dot-dot": [entry("stolen", tarfile.LNKTYPE, linkname=f"{up}/kept")],
        "hard-link-through-a-link": [link("out", bait), entry("stolen", tarfile.LNKTYPE, linkname="out/kept")],
        "whiteout-dot-dot": [entry(f"{up}/.wh.kept")],
        "whiteout-through-a-link": [link("out", bait), entry("out/.wh.kept")],
        "whiteout-of-the-folder-above": [entry(".wh..."), entry("a/.wh...")],
        "whiteout-of-all-through-a-link": [link("out", bait), entry("out/.wh..wh..opq")],
        "device-node": [entry("memory", tarfile.CHRTYPE, devmajor=1, devminor=1, mode=0o666),
                        entry("disk", tarfile.BLKTYPE, devmajor=254, devminor=0, mode=0o666)],
        "setuid-of-an-unmapped-user": [entry("owned", data=b"x", uid=4_000_000, gid=4_000_000, mode=0o6755)],
        "setuid-of-root": [entry("owned", data=b"x", mode=0o6755)],
        # What a kernel's own mounts go over.
        **{f"link-in-place-of-{path.replace('/', '-')}": [link(path, to)]
           for path in ("etc/hosts", "etc/hostname") for to in (f"{bait}/kept",)},
        **{f"link-up-in-place-of-{path.replace('/', '-')}": [link(path, f"{up}/kept")] for path in ("etc/hosts", "etc/hostname")},
        **{f"link-in-place-of-{path}": [link(path, bait)] for path in ("etc", "proc", "sys", "dev", "run", "tmp")},
    }


def write_layer(path, entries):
    with tarfile.open(path, "w") as tar:
        for info, data in entries:
            tar.addfile(info, io.BytesIO(data))


def umoci(*words):
    subprocess.run(["umoci", *words], check=True, capture_output=True)


def make_images(folder, bait, base):
    """An OCI layout in `folder` with an image for each set of entries, without a program, and the image `runs`: the layout `base` and
    what the program RUNS looks at. Returns the names."""
    layout, tar = folder + "/layout", folder + "/layer.tar"
    subprocess.run(["cp", "-r", base, layout], check=True)
    made = layers(bait)
    for name, entries in made.items():
        write_layer(tar, entries)
        umoci("new", "--image", f"{layout}:{name}")
        umoci("raw", "add-layer", "--image", f"{layout}:{name}", tar)
    with open("/bin/cat", "rb") as program:
        cat = program.read()
    write_layer(tar, [entry("layer", tarfile.DIRTYPE), entry("layer/cat", data=cat, mode=0o4755),
                      entry("layer/secret", data=b"secret", mode=0o600),
                      entry("layer/memory", tarfile.CHRTYPE, devmajor=1, devminor=1, mode=0o666),
                      entry("layer/disk", tarfile.BLKTYPE, devmajor=254, devminor=0, mode=0o666)])
    umoci("raw", "add-layer", "--image", f"{layout}:3.11", "--tag", "runs", tar)
    umoci("config", "--image", f"{layout}:runs", "--config.user", "root")
    return list(made)


def make_image_of_root(folder, base):
    """The source of an image as the layout `base` has it, but for its user, who is root: root may try more than others."""
    layout = folder + "/of-root"
    subprocess.run(["cp", "-r", base, layout], check=True)
    umoci("config", "--image", f"{layout}:3.11", "--tag", "root", "--config.user", "root", "--config.workingdir", "/")
    return f"oci:{layout}:root"


# Runs in a kernel of the image `runs`, as root there.
RUNS = """
import os, subprocess
def said(name, got): print(f"{name}: {got}", flush=True)
for device in ("memory", "disk"):
    try:
        with open(f"/layer/{device}", "rb") as file: file.read(1)
        said(f"layer-device-{device}", "NOT BLOCKED: it opens")
    except OSError as why: said(f"layer-device-{device}", f"blocked ({why.strerror})")
def be_nobody():
    os.setgid(65534)
    os.setuid(65534)
try:
    got = subprocess.run(["/layer/cat", "/layer/secret"], preexec_fn=be_nobody, capture_output=True, check=False)
    said("layer-setuid", "NOT BLOCKED: it runs as root" if got.stdout else f"blocked ({got.stderr.decode().strip()})")
except (OSError, subprocess.SubprocessError) as why: said("layer-setuid", f"skipped: {why}")
print("all were tried")
"""


def faults(bait, data):
    """What the images reached: of the bait, of the folders beside their own, of foreign users. (Folders that an archive does not name are
    the machine's root's, who is nobody in a kernel.)"""
    if os.listdir(bait) != ["kept"]:
        yield f"the bait holds {os.listdir(bait)}"
        return
    kept = os.stat(bait + "/kept")
    with open(bait + "/kept", "rb") as file:
        if file.read() != KEPT or kept.st_nlink != 1 or stat.S_IMODE(kept.st_mode) != 0o600 or kept.st_uid != 0:
            yield "the file in the bait is another"
    for folder, _, names in os.walk(data):
        inside = "/rootfs" in folder[len(data):] or "/layers/" in folder[len(data):]
        if MADE in names and not inside:
            yield f"{folder}/{MADE} was made"
        if inside:
            yield from (f"{folder}/{name} belongs to {owner}" for name in names
                        if (owner := os.lstat(f"{folder}/{name}").st_uid) not in IDS)
