"""Files of folders under hostile hands: what a session leaves in a folder, and what a client asks of it. Each is a clear error, and nothing is lost."""

import concurrent.futures
import hashlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report
from files_client import CHUNK, Files, query

RUN = ("session", "run", "--image", "python:3.11", "--cpu", "0.2", "--mem", "128m", "-q", "-o", "name")
NO_TEXT = r"b'\xff\xfe'"


class HostileFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth(backend="oci", keep=True)
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        cls.up.cli.ok("folder", "create", "left")
        cls.up.cli.ok(*RUN, "--name", "maker", "--mount", "left")
        cls.up.cli.ok("session", "show", "maker", "--wait", "--timeout", f"{rig.PATIENCE * 4}s", "-o", "name", timeout=rig.PATIENCE * 5)
        cls.left = Files(cls.up, "left")

    def setUp(self):
        here = tempfile.TemporaryDirectory()
        self.addCleanup(here.cleanup)
        self.here = here.name

    def folder(self, name):
        self.up.cli.ok("folder", "create", name)
        return Files(self.up, name)

    def on_disk(self, name):
        return os.path.join(self.up.data, "volumes", "local", "folders", self.up.cli.json("folder", "show", name)["id"].replace("-", ""))

    def inside(self, script):
        return self.up.cli.ok("exec", "maker", "--", "sh", "-c", "cd /home/work/left && " + script)

    def written(self, name, content):
        path = os.path.join(self.here, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def goes_on(self):
        """What others ask is answered, and quickly."""
        began = time.monotonic()
        self.left.page()
        self.assertLess(time.monotonic() - began, 5)

    # ---- what a session leaves ----

    def test_what_is_no_file_is_listed_and_never_read_replaced_or_followed(self):
        self.inside("mkdir odd && cd odd && mkfifo fifo && ln -s /etc/passwd link && ln -s / up && echo 1 >one && ln one two")
        self.assertEqual({one["name"]: one["type"] for one in self.left.page("odd")["items"]},
                         {"fifo": "other", "link": "other", "up": "other", "one": "file", "two": "file"})
        for name in ("fifo", "link", "up"):
            self.assertEqual(self.left.code("GET", "/file", path=f"odd/{name}"), "not-a-file")
            self.assertEqual(self.left.code("POST", "/uploads", {"path": f"odd/{name}", "bytes": 0, "sha256": hashlib.sha256(b"").hexdigest()}),
                             "path-exists")
        self.assertEqual(self.left.code("GET", "/file", path="odd/up/etc/passwd"), "not-a-folder")
        self.assertEqual(self.left.code("GET", "/files", path="odd/up"), "not-a-folder")
        self.goes_on()
        for name in ("fifo", "link", "two"):  # as `cp` does, but that a link is replaced and not followed
            self.assertEqual(self.left.upload(f"odd/{name}", b"new", overwrite=True)["bytes"], 3)
            self.assertEqual(self.left.download(f"odd/{name}"), b"new")
        self.assertEqual(self.left.download("odd/one"), b"1\n")
        self.assertIn("root:", self.inside("cat /etc/passwd"))
        self.left.change("remove", "odd/up")
        self.left.change("remove", "odd", recursive=True)
        self.assertEqual(self.left.code("GET", "/files", path="odd"), "unknown-path")

    def test_a_folder_with_all_that_is_odd_is_copied_but_for_what_is_named(self):
        self.inside("mkdir mixed && cd mixed && mkfifo fifo && ln -s one link && echo 1 >one && mkdir sub && echo 2 >sub/two && "
                    f"python3 -c \"open({NO_TEXT}, 'w'); open(b'sub/' + {NO_TEXT}, 'w'); open('a\\x1b[31mb\\nc', 'w')\"")
        done = self.up.cli("folder", "cp", "-r", "left:mixed", self.here + "/out")
        self.assertEqual(done.returncode, 1)
        for name in ("fifo", "link", "1 names in it are no UTF-8"):
            self.assertIn(name, done.stderr)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertEqual(sorted(os.listdir(self.here + "/out")), ["a\x1b[31mb\nc", "one", "sub"])
        self.assertEqual(os.listdir(self.here + "/out/sub"), ["two"])
        listed = self.up.cli("folder", "files", "left:mixed")
        self.assertNotIn("\x1b", listed.stdout)
        self.assertIn("1 more have names that are no UTF-8", listed.stderr)
        self.up.cli.ok("folder", "remove", "-r", "left:mixed")
        self.assertEqual(self.inside("ls mixed 2>&1 | wc -l").strip(), "1")

    def test_what_is_odd_on_this_machine_stays_here_and_is_named(self):
        source = os.path.join(self.here, "in")
        os.makedirs(source + "/sub")
        os.mkfifo(source + "/fifo")
        os.symlink("/etc/passwd", source + "/link")
        with open(os.fsencode(source) + b"/\xff", "wb"), open(source + "/sub/one", "wb"):
            pass
        done = self.up.cli("folder", "cp", "-r", source, "left:in")
        self.assertEqual(done.returncode, 1)
        for name in ("fifo", "link", "no UTF-8"):
            self.assertIn(name, done.stderr)
        self.assertEqual(self.left.names("in"), ["sub"])
        self.assertEqual(self.left.names("in/sub"), ["one"])
        self.assertEqual(self.up.cli("folder", "cp", source + "/fifo", "left:").returncode, 2)

    def test_a_sparse_file_of_a_terabyte_is_read_in_parts_replaced_and_removed(self):
        self.inside("truncate -s 1T sparse && printf end | dd of=sparse bs=1 seek=$((1024 * 1024 * 1024 * 1024 - 3)) conv=notrunc 2>/dev/null")
        size = 1 << 40
        self.assertEqual([one["bytes"] for one in self.left.page()["items"] if one["name"] == "sparse"], [size])
        self.assertEqual(self.left.download("sparse", f"{size - 5}-"), b"\0\0end")
        self.assertEqual(self.left.download("sparse", "-3"), b"end")
        self.assertEqual(self.left.code("GET", "/file", headers={"Range": f"bytes={size}-"}, path="sparse"), "range-invalid")
        connection, reply = self.left.open("GET", query(self.left.path + "/file", path="sparse"))
        self.assertEqual(int(reply.getheader("Content-Length")), size)
        self.assertEqual(reply.read(1 << 20), b"\0" * (1 << 20))
        self.goes_on()
        self.left.upload("sparse", b"small", overwrite=True)
        connection.close()
        self.assertEqual(self.left.download("sparse"), b"small")
        self.left.change("remove", "sparse")

    def test_a_folder_that_is_removed_under_a_program_leads_it_nowhere(self):
        self.inside("mkdir -p cut/inner")
        stays = subprocess.Popen([rig.program("berth"), "--data", self.up.data, "exec", "maker", "--", "sh", "-c",
                                  "cd /home/work/left/cut/inner; echo there; read go; cd -P ..; cd -P ../..; ls; cat ../volume; echo x >x; pwd -P; echo over"],
                                 env=rig.environment(self.up.data), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(stays.kill)
        self.assertEqual(stays.stdout.readline(), "there\n")
        self.left.change("remove", "cut", recursive=True)
        told = stays.communicate("go\n", timeout=rig.PATIENCE)[0]
        self.assertIn("over", told)
        for secret in ("folders", "staging", "trash", "berth volume"):
            self.assertNotIn(secret, told)

    # ---- what a client asks ----

    def test_paths_that_lead_elsewhere_or_are_none_are_refused(self):
        long_path, long_name = "/".join(["d" * 200] * 20), "n" * 256
        for path in ("..", "../left", "a/../../b", "/etc/passwd", "./a", "a//b", "a/", ".", long_name, "a/" + "b/" * 3000):
            for method, what, body in (("GET", "/file", b""), ("GET", "/files", b"")):
                self.assertIn(self.left.code(method, what, body, path=path), ("path-invalid", "invalid-parameter", "target-too-long"), (method, path[:20]))
            for op in ("mkdir", "remove"):
                self.assertIn(self.left.code("POST", "/files", {"op": op, "path": path}), ("path-invalid", "field-too-long", "invalid-value"), path[:20])
        for path in (b"\xff", b"a\0b"):
            status, told = rig.asked(self.up, "GET", query("/v1/folders/left/file", path=path))
            self.assertIn(status, (400, 422), told)
        self.assertEqual(self.left.code("POST", "/files", {"op": "rename", "path": long_path, "to": long_path + "e"}), "unknown-path")
        self.assertEqual(self.left.code("POST", "/files", {"op": "mkdir", "path": "a\0b"}), "invalid-value")
        self.goes_on()

    def test_numbers_that_are_none_are_refused_and_ranges_beyond_the_end_are_said(self):
        self.left.upload("digits", b"0123456789", overwrite=True)
        for limit in ("0", "-1", "1001", "1e3", "99999999999999999999", "x", ""):
            self.assertEqual(self.left.code("GET", "/files", limit=limit), "invalid-parameter", limit)
        begin = {"path": "new", "sha256": "0" * 64}
        for size in (-1, 1.5, 1e30, (1 << 40) + 1, 1 << 63, "1"):
            self.assertIn(self.left.code("POST", "/uploads", {**begin, "bytes": size}), ("invalid-value", "wrong-type", "malformed-json"), size)
        self.assertEqual(self.left.code("POST", "/uploads", {**begin, "bytes": 1 << 40}), "volume-full")
        upload = self.left.begin("new", b"12345")
        for offset in ("-1", "1.0", str(1 << 63), str((1 << 40) + 1), "0x1"):
            self.assertEqual(self.left.code("PUT", upload, b"1", offset=offset), "invalid-parameter", offset)
        self.assertEqual(self.left.code("PUT", upload, b"1", offset=1 << 40), "offset-differs")
        self.assertEqual(self.left.code("PUT", upload, b"123456", offset=0), "upload-too-large")
        self.assertEqual(self.left.code("POST", upload + "/finish"), "offset-differs")
        self.left.ask("DELETE", upload)
        for wanted, got in (("0-0", b"0"), ("9-", b"9"), ("-1", b"9"), ("-99", b"0123456789"), (f"0-{(1 << 63) - 1}", b"0123456789"),
                            (f"-{(1 << 63) - 1}", b"0123456789"), ("5-1", b"0123456789"), (f"{1 << 64}-", b"0123456789"), ("0-1,3-4", b"0123456789")):
            self.assertEqual(self.left.download("digits", wanted), got, wanted)
        for wanted in ("10-", f"{(1 << 63) - 1}-", "10-10"):
            self.assertEqual(self.left.code("GET", "/file", headers={"Range": f"bytes={wanted}"}, path="digits"), "range-invalid", wanted)

    def test_uploads_to_one_path_at_once_leave_one_of_them_whole(self):
        contents = [os.urandom(CHUNK + number) for number in range(6)]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda content: self.left.upload("raced", content, overwrite=True), contents))
            self.assertIn(self.left.download("raced"), contents)
            told = list(pool.map(lambda content: self.refusal_of(lambda: self.left.upload("once", content)), contents))
        self.assertEqual(sorted(told), [""] + ["path-exists"] * 5)
        self.assertIn(self.left.download("once"), contents)
        rig.eventually("nothing is left of those", lambda: [name for name in os.listdir(self.staging()) if name.endswith(".part")] == [] or
                       self.abort_all())

    def refusal_of(self, act):
        try:
            act()
        except Exception as refused:
            return getattr(refused, "code", None) or repr(refused)
        return ""

    def staging(self):
        return os.path.join(self.up.data, "volumes", "local", "staging")

    def abort_all(self):
        for name in os.listdir(self.staging()):
            if name.endswith(".part"):
                self.left.ask("DELETE", "/uploads/" + name.split(".")[1])
        return False

    def test_one_upload_by_many_at_once_is_whole_or_refused(self):
        content = os.urandom(3 * CHUNK)
        upload = self.left.begin("many", content)
        known = {"", "upload-busy", "offset-differs", "agent-busy"}
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for offset in range(0, len(content), CHUNK):
                told = list(pool.map(lambda _, offset=offset: self.left.code("PUT", upload, content[offset:offset + CHUNK], offset=offset), range(8)))
                self.assertLessEqual(set(told), known)
                self.assertEqual(told.count(""), 1, told)
            told = list(pool.map(lambda _: self.left.code("POST", upload + "/finish"), range(8)))
        self.assertLessEqual(set(told), {"", "upload-busy"})
        self.assertEqual(self.left.finish(upload), {"name": "many", "bytes": len(content)})
        self.assertEqual(self.left.download("many"), content)
        self.left.change("remove", "many")
        self.assertEqual(self.left.code("POST", upload + "/finish"), "unknown-path")
        self.left.ask("DELETE", upload)
        self.assertEqual(self.left.code("POST", upload + "/finish"), "unknown-upload")

    def test_a_begin_that_is_asked_again_at_once_begins_one_upload(self):
        """As a client does whose connection was cut before the answer."""
        def begin(number):
            what = {"path": "again", "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), "overwrite": True}
            return self.left.ask("POST", "/uploads", what, {"Idempotency-Key": f"begin-again-{number}"})

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for number in range(20):
                content = os.urandom(1000)
                begun = list(pool.map(begin, [number] * 4))
                self.assertEqual([one["offset"] for one in begun], [0] * 4)
                self.assertEqual(len({one["upload"] for one in begun}), 1)
                upload = "/uploads/" + begun[0]["upload"]
                self.assertEqual(self.left.code("POST", upload + "/finish"), "offset-differs")
                self.left.put(upload, content)
                self.left.finish(upload)
                self.assertEqual(self.left.download("again"), content)

    def test_a_copy_that_is_stopped_takes_its_upload_back(self):
        path = self.written("large", b"")
        os.truncate(path, 4 << 30)
        parts = lambda: [name for name in os.listdir(self.staging()) if name.endswith(".part")]
        self.abort_all()
        for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            copy = rig.Process([rig.program("berth"), "--data", self.up.data, "folder", "cp", path, "left:stopped"], self.up.data, self.here + "/log")
            rig.eventually("the upload is under way", parts)
            self.assertNotEqual(copy.send(which), 0)
            self.assertEqual(os.listdir(self.staging()), [])
        self.assertEqual(self.left.code("GET", "/file", path="stopped"), "unknown-path")

    def test_a_folder_thrown_away_in_mid_upload_keeps_it_until_it_is_gone_for_good(self):
        files = self.folder("thrown")
        content = os.urandom(2 * CHUNK)
        upload = files.begin("file", content)
        files.put(upload, content)
        shown = self.up.cli.json("folder", "show", "thrown")
        by_id = Files(self.up, shown["id"])
        self.up.cli.ok("folder", "rm", "thrown")
        self.assertEqual(by_id.code("PUT", upload, content[CHUNK:], offset=CHUNK), "folder-not-ready")
        self.assertEqual(by_id.code("POST", upload + "/finish"), "folder-not-ready")
        self.up.cli.ok("folder", "restore", shown["id"])
        self.assertEqual(by_id.put(upload, content, CHUNK), 2 * CHUNK)
        self.up.cli.ok("folder", "rm", shown["id"])
        self.up.cli.ok("folder", "rm", shown["id"], "--purge", "--yes")
        rig.eventually("its uploads are gone", lambda: not any(name.startswith(shown["id"].replace("-", "")) for name in os.listdir(self.staging())))
        rig.eventually("it is gone", lambda: by_id.code("POST", upload + "/finish") == "unknown-folder")

    def test_a_move_replaces_nothing_and_leads_into_nothing_of_its_own(self):
        for folder in ("m", "m/a", "m/a/b"):
            self.left.change("mkdir", folder)
        self.left.upload("m/one", b"1")
        self.left.upload("m/two", b"2")
        for path, to, code in (("m/one", "m/two", "path-exists"), ("m/one", "m/a", "path-exists"), ("m/a", "m/one", "path-exists"),
                               ("m/a", "m/a/b/c", "path-invalid"), ("m/a", "m/a", "path-exists"), ("m/a", "m/one/x", "not-a-folder"),
                               ("m/none", "m/x", "unknown-path"), ("m/one", "none/x", "unknown-path"), ("m", "m/m", "path-invalid")):
            self.assertEqual(self.left.code("POST", "/files", {"op": "rename", "path": path, "to": to}), code, (path, to))
        self.assertEqual((self.left.download("m/one"), self.left.download("m/two"), self.left.names("m")), (b"1", b"2", ["a", "one", "two"]))
        self.assertEqual(self.left.code("POST", "/files", {"op": "remove", "path": "m"}), "folder-not-empty")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            told = list(pool.map(lambda n: self.left.code("POST", "/files", {"op": "rename", "path": "m/one", "to": f"m/r{n % 2}"}), range(8)))
        self.assertEqual(told.count(""), 1, told)
        self.assertLessEqual(set(told), {"", "unknown-path", "path-exists"})

    def test_ten_thousand_files_come_in_pages_while_some_of_them_go(self):
        self.inside("mkdir many && cd many && seq -f '%05g' 10000 | xargs touch")
        seen, after = [], None
        while True:
            page = self.left.page("many", after=after, limit=777)
            seen += [one["name"] for one in page["items"]]
            after = page["next"]
            if len(seen) == 777:
                self.left.change("remove", "many/" + after)  # where the next page begins
                self.left.change("remove", "many/09000")
            if after is None:
                break
        self.assertEqual(seen, [f"{number:05}" for number in range(1, 10001) if number != 9000])
        self.assertEqual(len(self.up.cli.json("folder", "files", "left:many")), 9998)
        began = time.monotonic()
        self.left.change("remove", "many", recursive=True)
        self.assertLess(time.monotonic() - began, 5)
        self.goes_on()

    def test_clients_that_stall_shut_nobody_out(self):
        content = os.urandom(CHUNK)
        self.left.upload("large", content * 2)
        stalled = []
        self.addCleanup(lambda: [one.close() for one in stalled])
        for number in range(12):  # more than the chunks that an agent takes at once
            upload = self.left.begin(f"stalls{number}", content)
            target = query(self.left.path + upload, offset=0)
            one = socket.create_connection(("127.0.0.1", self.up.port), timeout=rig.PATIENCE)
            head = "".join(f"{name}: {value}\r\n" for name, value in rig.signed(self.up, "PUT", target, content).items())
            one.sendall(f"PUT {target} HTTP/1.1\r\n{head}Content-Length: {len(content)}\r\n\r\n".encode() + content[:1000])
            stalled.append(one)
        for _ in range(300):  # more than an agent answers at once
            target = query(self.left.path + "/file", path="large")
            one = socket.create_connection(("127.0.0.1", self.up.port), timeout=rig.PATIENCE)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            head = "".join(f"{name}: {value}\r\n" for name, value in rig.signed(self.up, "GET", target).items())
            one.sendall(f"GET {target} HTTP/1.1\r\n{head}\r\n".encode())
            stalled.append(one)
        rig.eventually("a file comes in", lambda: self.refusal_of(lambda: self.left.upload("beside", content, overwrite=True)) == "", 25)
        self.assertEqual(self.left.download("beside"), content)
        self.goes_on()

    # ---- a disk that fills up ----

    def test_a_volume_that_fills_up_in_mid_upload_loses_nothing_and_the_upload_goes_on(self):
        disk = tempfile.mkdtemp(prefix="berth-e2e-disk-")
        self.addCleanup(os.rmdir, disk)
        image = disk + ".ext4"
        self.addCleanup(os.remove, image)
        with open(image, "wb") as file:
            file.truncate(64 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True)
        subprocess.run(["mount", "-o", "loop", image, disk], check=True)
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        up = rig.Berth(backend="oci", more=["--volume", f"small={disk}"])
        self.addCleanup(up.remove)
        up.start()
        up.cli.ok("folder", "create", "data")
        files = Files(up, "data")
        files.upload("kept", b"kept")
        content = os.urandom(2 * CHUNK)
        upload = files.begin("file", content)
        files.put(upload, content)
        ballast = os.path.join(disk, "folders", up.cli.json("folder", "show", "data")["id"].replace("-", ""), "ballast")
        self.fill(ballast)
        for _ in range(2):
            self.assertEqual(files.code("PUT", upload, content[CHUNK:], offset=CHUNK), "volume-full")
            self.assertEqual(files.ask("GET", upload), {"offset": CHUNK})
        self.assertEqual(files.code("POST", "/uploads", {"path": "other", "bytes": 1 << 20, "sha256": "0" * 64}), "volume-full")
        source = os.path.join(up.data, "source")
        with open(source, "wb") as file:
            file.write(content)
        done = up.cli("folder", "cp", source, "data:copied")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("berth: volume-full: ", done.stderr)
        self.assertEqual((files.names(), files.download("kept")), (["ballast", "kept"], b"kept"))
        files.change("remove", "ballast")
        self.assertEqual(files.put(upload, content, CHUNK), 2 * CHUNK)
        self.assertEqual(files.finish(upload)["bytes"], 2 * CHUNK)
        self.assertEqual(files.download("file"), content)
        up.process.kill()

    def fill(self, path):
        with open(path, "ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while file.write(b"b" * size):
                        pass
                except OSError:
                    pass


if __name__ == "__main__":
    if not rig.has_containers():
        sys.exit("containers need root and build/images: ops/images/build python:3.11")
    unittest_report.run(HostileFolder)
