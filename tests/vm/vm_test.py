"""Berth on a machine as people have them: Debian's own kernel, cgroup v2, systemd, the installed units (ops/vm).

The short form: a session with its limits as files and felt, where its cgroups stand, restarts and kills with adoption. With
BERTH_VM_FULL=1 also whatever else stops, starts and fills such a machine. BERTH_VM_SUITE: bookworm or trixie; BERTH_VM_RUNTIME.
The tests run in the order of their names on one machine."""

import os
import re
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "support")]

import rig
import unittest_report

full = unittest.skipUnless(rig.FULL, "only in ops/check --full (BERTH_VM_FULL=1)")
GRACE = 15  # seconds of a machine's stop, here
# What a kernel shows of what it got from whoever started it. Addresses, counters and ids differ from kernel to kernel.
SELF = ("grep -E \"^(Cap|NoNewPrivs|Seccomp|Umask|Sig|Groups|Uid|Gid|Threads)\" /proc/self/status; cat /proc/self/limits "
        "/proc/self/oom_score_adj /proc/self/loginuid 2>/dev/null; cut -d\" \" -f4- /proc/self/mountinfo | "
        "sed \"s/master:[0-9]*//; s/upperdir=[^,]*//; s/workdir=[^,]*//; s/=[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]*/=ID/g; s/kernels.[0-9a-f-]*.[0-9]*/kernels/\"; cat /proc/self/cgroup; ls /proc/self/fd | wc -l")


def program(text):
    """A job's program, for the shell of the machine."""
    return "sh -c '" + text + "'"


class RealMachine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vm = rig.Installed(disks=["2G", "4G", "4G"])
        cls.addClassCleanup(cls.vm.close)
        print(f"{rig.SUITE}: up after {cls.vm.boot_seconds:.0f} s ({cls.vm.machine.accelerator})", flush=True)
        cls.vm.run(f"printf '[Service]\\nExecStop=\\nExecStop=/usr/bin/berth-launcher --machine-stops {GRACE}\\n' >/tmp/stop.conf; "
                   "install -D -m 644 /tmp/stop.conf /etc/systemd/system/berth-kernels.service.d/stop.conf; systemctl daemon-reload")
        # A disk that the machine takes for a remote one: it goes with the network.
        cls.vm.run("mkfs.ext4 -q -L far /dev/vdc; mkdir -p /srv/far; echo LABEL=far /srv/far ext4 _netdev,nofail 0 2 >>/etc/fstab; "
                   "mount /srv/far; mkdir -m 700 /srv/far/volume")
        started = time.monotonic()
        cls.vm.enable("--volume far=/srv/far/volume")
        print(f"berth.service ready after {time.monotonic() - started:.0f} s", flush=True)

    # ---- the short form ----

    def test_01_a_session_prints_what_its_program_prints_and_ends_with_its_code(self):
        began = time.monotonic()
        code, text = self.vm.call(f"berth session run --image {rig.SMALL} --cpu 0.5 --mem 64m --wait -- {program('echo $((6*7)); exit 3')}")
        self.assertEqual(code, 3, text)
        self.assertIn("42", text)
        print(f"a session from question to end: {time.monotonic() - began:.1f} s", flush=True)

    def test_02_its_limits_are_as_files_show_and_as_a_program_feels_them(self):
        self.vm.session("limits", mem="96m", cpu="0.5")
        text = self.vm.inside("limits", "cd /sys/fs/cgroup; cat memory.max memory.swap.max cpu.max pids.max; ulimit -Sn; ulimit -Hn")
        lines = text.splitlines()
        self.assertEqual(lines[:3], [str(96 << 20), "0", "50000 100000"], text)
        self.assertGreater(int(lines[3]), 100)
        # Two busy programs get half a processor between them.
        used = self.vm.inside("limits", "cd /sys/fs/cgroup; a=$(grep usage_usec cpu.stat | cut -d\" \" -f2); "
                              "(timeout 4 sh -c \"while :; do :; done\" & timeout 4 sh -c \"while :; do :; done\"; wait); "
                              "b=$(grep usage_usec cpu.stat | cut -d\" \" -f2); echo $((b - a))")
        self.assertLess(int(used.split()[-1]), 3_000_000, "of 4 s at half a processor")
        code, text = self.vm.call(f"berth session run --image {rig.SMALL} --cpu 0.5 --mem 64m --shm 8m --name greedy --wait -- "
                                  + program("tail /dev/zero"))
        self.assertEqual(self.vm.end_of("greedy")[0], "OUT_OF_MEMORY", text)
        self.assertIn("OUT_OF_MEMORY", self.vm.run("berth session show greedy"))

    def test_03_its_cgroups_stand_in_berths_slice_and_are_its_own_alone(self):
        pid = self.vm.pid("limits")
        path = self.vm.run(f"cat /proc/{pid}/cgroup").strip()
        self.assertRegex(path, r"^0::/berth\.slice/berth-[0-9a-f]{12}\.scope/[0-9a-f-]+\.\d+/kernel$")
        self.assertEqual(self.vm.inside("limits", "cat /proc/self/cgroup").strip(), "0::/")
        text = self.vm.inside("limits", "ls /sys/fs/cgroup; mkdir /sys/fs/cgroup/x 2>&1; grep cgroup /proc/self/mountinfo")
        self.assertNotIn("berth", text)
        self.assertIn("Read-only", text)
        scope = path.removeprefix("0::").split(".scope")[0] + ".scope"
        code, text = self.vm.call(f"setpriv --reuid 65534 --clear-groups ls /sys/fs/cgroup{scope}")
        self.assertNotEqual(code, 0, "another user of the machine lists nothing: " + text)
        self.assertIn("/berth.slice/", self.vm.run("cat /proc/$(pgrep -o berth-launcher)/cgroup"))
        self.assertNotIn("berth-launcher", self.vm.run("systemctl status berth --no-pager || true"))

    def test_04_kernels_outlive_a_restart_and_every_kill(self):
        pid = self.vm.pid("limits")
        strokes = ["systemctl restart berth", "systemctl kill -s KILL --kill-who=main berth", "pkill -KILL -x berth-launcher",
                   "pkill -KILL -x berth-shim", "systemctl stop berth; sleep 1; systemctl start berth",
                   "cd /root/berth && ops/install >/dev/null && systemctl restart berth"]
        for stroke in strokes if rig.FULL else strokes[:2]:
            self.vm.run(f"{stroke}; for i in $(seq 120); do berth cluster show >/dev/null 2>&1 && break; sleep 0.5; done")
            self.vm.await_status("limits", "RUNNING")
            self.assertEqual(self.vm.pid("limits"), pid, stroke)
            self.assertIn("alive", self.vm.inside("limits", "echo alive"), stroke)
            self.vm.run(f"berth session run --image {rig.SMALL} --cpu 0.2 --mem 32m --wait -- true")
        self.vm.run("berth session rm limits")
        self.assertEqual(self.vm.end_of("limits")[0], "STOPPED")
        self.vm.run("for i in $(seq 50); do [ -z \"$(ls -d /sys/fs/cgroup/berth.slice/berth-*.scope/*/kernel 2>/dev/null)\" ] && exit 0; "
                    "sleep 0.2; done; exit 1")

    # ---- all of it ----

    @full
    def test_10_a_kernel_is_the_same_under_the_unit_and_under_a_shell(self):
        self.vm.session("unit", "--no-automatic-folder")
        by_unit = self.vm.inside("unit", SELF)
        self.vm.run("berth session rm unit; systemctl stop berth; cd /; (setsid nohup /usr/bin/berth up --data /var/lib/berth "
                    "--volume far=/srv/far/volume >/tmp/up.log 2>&1 </dev/null &); "
                    "for i in $(seq 240); do berth cluster show >/dev/null 2>&1 && break; sleep 0.5; done", 200)
        try:
            self.vm.session("shell", "--no-automatic-folder")
            by_shell = self.vm.inside("shell", SELF)
        finally:
            self.vm.run("berth session rm shell; pkill -TERM -x berth; for i in $(seq 100); do pgrep -x berth >/dev/null || break; sleep 0.2; "
                        "done; systemctl start berth", 200)
        self.assertEqual(by_unit, by_shell)
        self.assertIn("\n500\n", by_unit, "a kernel goes first where the machine has no memory")
        self.assertIn("Seccomp_filters:\t1", by_unit)

    @full
    def test_11_systemd_may_reload_and_start_itself_anew(self):
        self.vm.session("stays")
        pid = self.vm.pid("stays")
        before = self.vm.inside("stays", "cd /sys/fs/cgroup; cat memory.max cpu.max pids.max cgroup.controllers")
        for word in ("daemon-reload", "daemon-reexec", "set-property ssh.service CPUWeight=50 MemoryHigh=1G TasksMax=1000",
                     "set-property --runtime berth.slice MemoryMax=2G"):
            self.vm.run(f"systemctl {word}; sleep 1")
            self.assertEqual(self.vm.pid("stays"), pid, word)
            self.assertEqual(self.vm.inside("stays", "cd /sys/fs/cgroup; cat memory.max cpu.max pids.max cgroup.controllers"), before, word)
        self.assertEqual(self.vm.run("cat /sys/fs/cgroup/berth.slice/memory.max").strip(), str(2 << 30))
        self.vm.run("systemctl set-property --runtime berth.slice MemoryMax=infinity")
        self.vm.session("after")
        self.vm.run("berth session rm stays after")

    @full
    def test_12_out_of_memory_in_a_program_beside_and_a_fork_bomb_end_where_they_began(self):
        self.vm.session("bounded", mem="64m")
        code, _ = self.vm.call("berth exec bounded -- tail /dev/zero")
        self.assertNotEqual(code, 0)
        self.assertEqual(self.vm.show("bounded")["status"], "RUNNING", "the program beside went, not the kernel")
        self.vm.call("timeout 20 berth exec bounded -- sh -c 'f() { f | f & }; f; sleep 5'", 60)
        self.assertIn("alive", self.vm.run("echo alive"))
        before = time.monotonic()
        self.vm.run("berth session rm bounded")
        self.assertEqual(self.vm.end_of("bounded")[0], "STOPPED")
        self.assertLess(time.monotonic() - before, 60)

    @full
    def test_13_a_machine_out_of_memory_ends_a_kernel_and_nothing_of_its_own(self):
        self.vm.session("innocent", mem="64m")
        pids = self.vm.run("pgrep -x sshd; pgrep -x berth; pgrep -x berth-launcher; pgrep -x systemd")
        restarts = self.vm.run("systemctl show berth -p NRestarts")
        # Kernels may have more than there is: their limits are above what the machine has left.
        self.vm.run("swapoff -a; mount -o remount,size=95% /dev/shm; "
                    "head -c $(awk '/MemAvailable/ {printf \"%d\", $2 - 420000}' /proc/meminfo)K /dev/zero >/dev/shm/ballast", 200)
        try:
            self.vm.call(f"berth session run --image {rig.SMALL} --cpu 0.5 --mem 900m --shm 8m --name eater --wait -- {program('tail /dev/zero')}", 200)
        finally:
            self.vm.call("rm -f /dev/shm/ballast")
        self.assertIn(self.vm.end_of("eater")[0], ("OUT_OF_MEMORY", "SIGNALLED"))
        self.assertEqual(self.vm.run("pgrep -x sshd; pgrep -x berth; pgrep -x berth-launcher; pgrep -x systemd").split()[-3:], pids.split()[-3:])
        self.vm.run("berth session rm innocent")
        self.vm.run(f"berth session run --image {rig.SMALL} --cpu 0.2 --mem 32m --wait -- true")
        self.assertEqual(self.vm.run("systemctl show berth -p NRestarts"), restarts, self.vm.run("journalctl -u berth -n 30 --no-pager"))

    @full
    def test_14_a_stop_that_ends_kernels_says_so(self):
        self.vm.session("ended")
        self.vm.enable("--volume far=/srv/far/volume --end-kernels")
        self.vm.run("systemctl restart berth", 200)
        self.vm.await_status("ended", "RUNNING")
        self.vm.run("systemctl restart berth", 200)
        self.assertEqual(self.vm.end_of("ended")[0], "STOPPED")
        self.vm.enable("--volume far=/srv/far/volume")
        self.vm.run("systemctl restart berth", 200)

    @full
    def test_15_a_slice_that_somebody_stops_is_no_stop_of_the_machine(self):
        self.vm.session("sliced")
        self.vm.run("systemctl stop berth.slice", 200)
        self.assertEqual(self.vm.end_of("sliced")[0], "SIGNALLED")
        self.vm.run(f"berth session run --image {rig.SMALL} --cpu 0.2 --mem 32m --wait -- true")

    @full
    def test_17_a_scope_that_somebody_stops_takes_no_new_kernel_with_it(self):
        self.vm.session("deaf", command=program('trap "" TERM; while :; do sleep 1; done'))
        before = time.monotonic()
        self.vm.run("systemctl stop --no-block 'berth-*.scope'")
        self.vm.run(f"berth session run --image {rig.SMALL} --cpu 0.2 --mem 32m --name fresh --detach -- {program('sleep 30; echo done')}")
        self.assertEqual(self.vm.end_of("deaf")[0], "SIGNALLED")
        self.assertLess(time.monotonic() - before, 80, "systemd kills after 90 s")
        end, code = self.vm.end_of("fresh")[:2]
        self.assertEqual((end, code), ("EXITED", 0))

    @full
    def test_18_memory_that_ends_in_the_slice_is_not_told_as_the_kernels_limit(self):
        self.vm.session("sober", mem="64m")
        self.vm.run("systemctl set-property --runtime berth.slice MemoryMax=200M MemorySwapMax=0")
        try:
            text = self.vm.call(f"berth session run --image {rig.SMALL} --cpu 0.5 --mem 900m --shm 8m --name drunk --wait -- {program('tail /dev/zero')}", 200)[1]
        finally:
            self.vm.run("systemctl set-property --runtime berth.slice MemoryMax=infinity MemorySwapMax=infinity")
        self.assertEqual(self.vm.end_of("drunk")[0], "OUT_OF_MEMORY")
        self.assertIn("had not reached its own limit", text + self.vm.run("berth session show drunk"))
        self.vm.await_status("sober", "RUNNING")
        self.vm.run("berth session rm sober")

    @full
    def test_19_files_in_run_that_somebody_removes_are_made_again(self):
        self.vm.session("kept")
        pid = self.vm.pid("kept")
        self.vm.run("rm -rf /run/berth-*; systemctl restart berth; for i in $(seq 240); do berth cluster show >/dev/null 2>&1 && break; sleep 0.5; done", 300)
        self.vm.await_status("kept", "RUNNING")
        self.assertEqual(self.vm.pid("kept"), pid)
        self.vm.run("rm -rf /run/berth-*")
        self.vm.run(f"berth session run --image {rig.SMALL} --cpu 0.2 --mem 32m --wait -- true")
        self.vm.run("berth session rm kept")
        self.assertEqual(self.vm.end_of("kept")[0], "STOPPED")

    @full
    def test_16_a_runtime_that_is_gone_is_named_and_another_one_serves(self):
        run = f"berth session run --image {rig.SMALL} --cpu 0.2 --mem 32m "
        self.vm.run("mv /usr/sbin/runc /usr/sbin/runc.gone")
        try:
            self.vm.run(run + "--wait -- true")
            self.vm.run("mv /usr/bin/crun /usr/bin/crun.gone")
            self.vm.run(run + "--name norunc --detach -- true; "
                        "for i in $(seq 60); do berth agent ls | grep -q UNFIT && berth session why norunc | grep -q 'runtimes runc and crun' && exit 0; "
                        "sleep 0.5; done; berth session why norunc; exit 1")
        finally:
            self.vm.run("for runtime in /usr/sbin/runc /usr/bin/crun; do [ ! -e $runtime.gone ] || mv $runtime.gone $runtime; done")
        self.assertEqual(self.vm.end_of("norunc"), ("EXITED", 0))

    def jobs(self):
        """Jobs that meet the machine's end each in its own way."""
        self.vm.run("berth folder ls | grep -q ^kept || berth folder create kept --volume far 2>/dev/null || berth folder create kept")
        run = f"berth session run --image {rig.SMALL} --cpu 0.1 --mem 32m --type batch --detach "
        wait = "sleep 100000"
        self.vm.run(run + "--name again --requeueable -- " + program(wait))
        self.vm.run(run + "--name once -- " + program(wait))
        self.vm.run(run.replace("--cpu 0.1", "--cpu 0.5") + "--name saves --mount kept -- " + program(
            "trap \"date >/home/work/kept/saved && exit 0\" TERM; echo ready; sleep 100000 & wait"))
        self.vm.run(run + "--name deaf -- " + program("trap \"\" TERM; echo ready; " + wait))
        for name in ("saves", "deaf"):
            self.vm.await_ready(name)
        for name in ("again", "once", "saves", "deaf"):
            self.vm.await_status(name, "RUNNING")

    def forget_jobs(self):
        self.vm.run("berth session rm again || true")
        self.vm.end_of("again")
        self.vm.run("berth folder rm kept --yes >/dev/null 2>&1 || true")

    def after(self, before):
        self.vm.machine.wait_for_other_boot(before)
        self.vm.run("for i in $(seq 600); do berth cluster show >/dev/null 2>&1 && exit 0; sleep 0.5; done; exit 1", 330)

    def assert_told_as_machine_stopped(self, *names):
        for name in names:
            self.assertEqual(self.vm.end_of(name)[0], "MACHINE_STOPPED", name)
            self.assertIn("machine", self.vm.run(f"berth session show {name}"), name)

    def assert_runs_again(self):
        session = self.vm.await_status("again", "RUNNING", seconds=240)
        self.assertGreaterEqual(int(session["attempt"]), 2)

    @full
    def test_20_a_reboot_ends_kernels_in_order_and_tells_why(self):
        self.jobs()
        self.vm.run(f"berth session run --image {rig.SMALL} --cpu 0.1 --mem 32m --name self --detach -- {program('kill -TERM $$; sleep 9')}")
        self.vm.session("killed", command=program("sleep 1000"))
        self.vm.run(f"kill -TERM $(pgrep -P {self.vm.pid('killed')} | head -1)")
        self.assertEqual(self.vm.end_of("self")[0], "SIGNALLED")
        before = self.vm.machine.boot_id()
        self.vm.call("systemctl reboot")
        self.after(before)
        self.assert_told_as_machine_stopped("once", "deaf")
        self.assertEqual(self.vm.end_of("saves"), ("EXITED", 0), "its own end, within the grace")
        self.assertIn("20", self.vm.run("cat /srv/far/volume/*/*/saved /srv/far/volume/*/saved 2>/dev/null | head -1"))
        for name in ("self", "killed"):
            self.assertEqual(self.vm.end_of(name)[0], "SIGNALLED", name)
        self.assert_runs_again()
        self.forget_jobs()

    @full
    def test_21_a_reboot_whose_agent_was_killed_first_is_told_alike(self):
        self.rename_jobs()
        before = self.vm.machine.boot_id()
        self.vm.call("systemctl kill -s KILL --kill-who=main berth; systemctl reboot")
        self.after(before)
        self.assert_told_as_machine_stopped("once2", "deaf2")
        self.assertEqual(self.vm.end_of("saves2"), ("EXITED", 0))

    def rename_jobs(self):
        run = f"berth session run --image {rig.SMALL} --cpu 0.1 --mem 32m --type batch --detach "
        self.number = getattr(type(self), "number", 1) + 1
        type(self).number = self.number
        wait = "sleep 100000"
        self.vm.run(run + f"--name once{self.number} -- " + program(wait))
        self.vm.run(run + f"--name deaf{self.number} -- " + program("trap \"\" TERM; echo ready; " + wait))
        self.vm.run(run.replace("--cpu 0.1", "--cpu 0.4") + f"--name saves{self.number} -- " + program("trap \"exit 0\" TERM; echo ready; sleep 100000 & wait"))
        for name in ("deaf", "saves"):
            self.vm.await_ready(f"{name}{self.number}")
        self.vm.await_status(f"once{self.number}", "RUNNING")

    @full
    def test_22_the_power_button_is_an_orderly_stop(self):
        self.rename_jobs()
        self.vm.machine.press_power_button()
        self.vm.machine.wait_for_end(240)
        self.vm.machine.start()
        self.vm.machine.wait()
        self.after("")
        self.assert_told_as_machine_stopped(f"once{self.number}", f"deaf{self.number}")
        self.assertEqual(self.vm.end_of(f"saves{self.number}"), ("EXITED", 0))

    @full
    def test_23_stops_without_order_and_a_power_cut_are_told_by_the_boot(self):
        for stroke in ("systemctl reboot -f", "reboot -ff", "cut"):
            self.rename_jobs()
            acknowledged = self.vm.run("berth session ls -a -o json | wc -c")
            before = self.vm.machine.boot_id()
            if stroke == "cut":
                self.vm.machine.cut()
                self.vm.machine.start()
                self.vm.machine.wait()
            else:
                self.vm.call(f"(sleep 1; {stroke}) >/dev/null 2>&1 &")
            self.after(before)
            self.assertGreater(int(acknowledged), 2)
            self.assert_told_as_machine_stopped(f"once{self.number}", f"deaf{self.number}")

    @full
    def test_24_a_soft_reboot_is_a_stop_of_the_machine(self):
        if "soft-reboot" not in self.vm.run("systemctl --help"):
            self.skipTest("this systemd has no soft-reboot")
        self.rename_jobs()
        started = self.vm.run("systemctl show -P UserspaceTimestampMonotonic").strip()
        self.vm.call("(sleep 1; systemctl soft-reboot) >/dev/null 2>&1 &")
        end = time.monotonic() + 300
        while time.monotonic() < end:
            code, text = self.vm.call("systemctl show -P UserspaceTimestampMonotonic", 15)
            if code == 0 and text.strip() != started:
                break
            time.sleep(1)  # the machine is away: nobody tells
        self.vm.run("for i in $(seq 600); do berth cluster show >/dev/null 2>&1 && exit 0; sleep 0.5; done; exit 1", 330)
        self.assert_told_as_machine_stopped(f"once{self.number}", f"deaf{self.number}")

    @full
    def test_30_stopping_the_units_ends_no_kernel(self):
        self.vm.session("rests")
        pid = self.vm.pid("rests")
        self.vm.run("systemctl stop berth-kernels berth; kill -0 %d; systemctl start berth" % pid, 200)
        self.vm.await_status("rests", "RUNNING")
        self.assertEqual(self.vm.pid("rests"), pid)
        self.vm.run("berth session rm rests")

    @full
    def test_31_a_volume_on_a_mount_without_exec_runs_what_people_build_there(self):
        self.vm.run("mount -o remount,noexec /tmp 2>/dev/null || mount -t tmpfs -o noexec tmpfs /tmp; mount -o remount,noexec /run; "
                    "mount -o remount,noexec /dev/shm")
        code, text = self.vm.call(f"berth session run --image {rig.SMALL} --cpu 0.5 --mem 64m --wait -- "
                                  + program("cp /bin/busybox /tmp/echo && /tmp/echo runs"))
        self.assertEqual(code, 0, text)
        self.assertIn("runs", text)

    @full
    def test_33_data_folders_lie_on_xfs_and_btrfs(self):
        for disk, kind in (("/dev/vdd", "xfs"), ("/dev/vde", "btrfs")):
            self.vm.run(f"mkfs.{kind} -q {disk}; mkdir -p /srv/{kind}; mount {disk} /srv/{kind}; cd /; "
                        f"(setsid nohup berth up --data /srv/{kind}/berth --port 7500 >/tmp/{kind}.log 2>&1 </dev/null &); "
                        f"for i in $(seq 240); do berth --data /srv/{kind}/berth cluster show >/dev/null 2>&1 && break; sleep 0.5; done", 200)
            try:
                self.vm.run(f"berth --data /srv/{kind}/berth image add {rig.SMALL} oci:/root/berth/build/images/small:1")
                code, text = self.vm.call(f"berth --data /srv/{kind}/berth session run --image {rig.SMALL} --cpu 0.2 --mem 64m --wait -- "
                                          + program("echo $((6*7)); df /"), 200)
                self.assertEqual(code, 0, kind + ": " + text)
                self.assertIn("42", text, kind)
            finally:
                self.vm.call(f"pkill -f '[b]erth up --data /srv/{kind}'; for i in $(seq 50); do pgrep -f '[b]erth up --data /srv/{kind}' >/dev/null || break; "
                             f"sleep 0.2; done; umount /srv/{kind}")

    @full
    def test_34_terminals_and_ports_reach_into_a_kernel(self):
        self.vm.session("web")
        self.vm.run("berth exec web -- sh -c 'echo found >/tmp/page && httpd -p 127.0.0.1:8080 -h /tmp'")
        self.vm.run("(setsid berth app listen web 8080 >/tmp/listen.log 2>&1 </dev/null &); for i in $(seq 50); do "
                    "grep -q 127.0.0.1 /tmp/listen.log && break; sleep 0.2; done")
        self.assertEqual(self.vm.run("curl -s http://$(head -1 /tmp/listen.log)/page").strip(), "found")
        text = self.vm.run("pkill -f '[a]pp listen'; echo 'echo $((6*7)); exit' | script -qec 'berth shell web' /dev/null || true")
        self.assertIn("42", text)
        self.vm.run("berth session rm web")

    @full
    def test_35_its_operator_reads_what_the_machine_lacks(self):
        code, text = self.vm.call("berth agent check")
        print(text, flush=True)
        self.assertEqual(code, 0, text)

    @full
    def test_36_another_runtime_of_debians_stands_beside(self):
        self.assertIn("podman version", self.vm.run("podman --version"))
        self.vm.session("beside")
        self.vm.run("podman ps -a; podman system prune -f >/dev/null")
        self.assertEqual(self.vm.show("beside")["status"], "RUNNING")
        self.vm.run("berth session rm beside")

    @full
    def test_32_other_people_see_no_processes_and_berth_does(self):
        self.vm.run("mount -o remount,hidepid=2 /proc")
        self.vm.session("hidden")
        pid = self.vm.pid("hidden")
        self.vm.run("systemctl restart berth", 200)
        self.vm.await_status("hidden", "RUNNING")
        self.assertEqual(self.vm.pid("hidden"), pid)
        self.vm.run("berth session rm hidden; mount -o remount,hidepid=0 /proc")


if __name__ == "__main__":
    assert re.match(r"^\w+$", rig.SUITE)
    unittest_report.run(RealMachine)
