"""A cluster of two machines as people have them (ops/vm), on one network: the installed units of a controller and of an agent, and a
real Kafka, which runs on this machine. One broker keeps one replica."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, *(os.path.join(os.path.dirname(HERE), *names) for names in (("support",), ("e2e", "support")))]

import berth
import rig
import unittest_report

HEAD, WORKER = "10.77.0.1", "10.77.0.2"
MACHINES = "10.0.2.2"  # as machines call this one
BROKER = """listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller},MACHINES://127.0.0.1:{machines}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},MACHINES://{host}:{machines}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,MACHINES:PLAINTEXT
"""
BERTH = "runuser -u berth -- berth --data /var/lib/berth-controller"  # the key is that user's


class Broker:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="berth-vm-kafka-", dir="/var/tmp")  # pylint: disable=consider-using-with
        folder = pathlib.Path(self.folder.name)
        port, self.machines = berth.free_port(), berth.free_port()
        (folder / "more").write_text(BROKER.format(port=port, controller=port + 10_000, machines=self.machines, host=MACHINES))
        self.data = folder / "data"
        subprocess.run([rig.ROOT / "ops/kafka/start", "--data", self.data, "--port", str(port), "--properties", folder / "more"], check=True,
                       stdout=subprocess.DEVNULL, timeout=300)

    def close(self):
        subprocess.run([rig.ROOT / "ops/kafka/stop", "--data", self.data, "--kill"], check=False)
        self.folder.cleanup()


@unittest.skipUnless(rig.FULL, "only in ops/check --full (BERTH_VM_FULL=1)")
class RealCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.broker = Broker()
        cls.addClassCleanup(cls.broker.close)
        cls.log = f"kafka://{MACHINES}:{cls.broker.machines}"
        cls.head = cls.machine(HEAD)
        cls.worker = cls.machine(WORKER)
        # The image lies on the agent's machine; who names it reads it too, as the controller's user.
        layout = cls.head.run("tar -C /root/berth/build/images -cz small | base64 -w0")
        for one in (cls.head, cls.worker):
            one.machine.run("base64 -d | tar -C /srv -xz; chmod -R a+rX /srv/small", 120, layout)

    @classmethod
    def machine(cls, address):
        one = rig.Installed(memory="2048", network=f"{address}/24")
        cls.addClassCleanup(one.close)
        one.machine.join_network()
        print(f"{rig.SUITE}: {address} is up after {one.boot_seconds:.0f} s", flush=True)
        return one

    def berth(self, words):
        return self.head.run(f"{BERTH} {words}", 200)

    def await_berth(self, words, seconds=200):
        """Until that ends well."""
        self.head.run(f"for i in $(seq 300); do {BERTH} {words} && exit 0; sleep 0.5; done; exit 1", seconds)

    def test_60_a_controller_and_an_agent_of_two_machines_run_a_session(self):
        self.head.run(f"sed -i 's|^BERTH_OPTIONS=.*|BERTH_OPTIONS=--log {self.log} --allow-one-replica --name c1 --address 0.0.0.0 --tls "
                      f"--public-url https://{HEAD}:7410|' /etc/berth/controller.env; systemctl enable --now berth-controller", 300)
        self.await_berth("cluster show >/dev/null 2>&1")
        status = self.head.run("grep -E '^(Seccomp|NoNewPrivs|CapEff|Uid)' /proc/$(pgrep -x berth-controlle)/status")
        self.assertIn("Seccomp:\t2", status)
        self.assertNotIn("Uid:\t0", status)
        fingerprint = self.head.run("journalctl -u berth-controller -o cat | grep -o 'sha256:[0-9a-f:A-F]*' | tail -1").strip()
        token = self.berth("agent token a2 -o name 2>/dev/null").strip()
        self.worker.run(f"(set -o pipefail; umask 077; echo {token} | berth agent join a2 --token-file - --endpoint https://{HEAD}:7410 --fingerprint {fingerprint} "
                        f">/etc/berth/agent.key); sed -i 's|^BERTH_OPTIONS=.*|BERTH_OPTIONS=--log {self.log} --services {WORKER}:7411|' "
                        "/etc/berth/agent.env; systemctl enable --now berth-agent", 300)
        self.await_berth("agent ls | grep -q 'a2 .*ALIVE'")
        self.berth(f"image add {rig.SMALL} oci:/srv/small:1")
        text = self.berth(f"session run --image {rig.SMALL} --cpu 0.5 --mem 64m --wait -- sh -c 'echo $((6*7)); hostname'")
        self.assertIn("42", text)
        self.berth(f"session run --image {rig.SMALL} --cpu 0.2 --mem 64m --name stays --detach")
        self.await_berth("session ls | grep -q 'stays .*RUNNING'")
        self.assertIn("inside", self.berth("exec stays -- echo inside"))

    def test_61_it_goes_on_after_a_restart_of_either_unit_and_of_the_controllers_machine(self):
        self.head.run("systemctl restart berth-controller", 300)
        self.worker.run("systemctl restart berth-agent", 300)
        self.await_berth("exec stays -- echo again 2>/dev/null | grep -q again", 300)
        before = self.head.machine.boot_id()
        self.head.call("systemctl reboot")
        self.head.machine.wait_for_other_boot(before)
        self.await_berth("exec stays -- echo again 2>/dev/null | grep -q again", 400)
        self.assertEqual(self.worker.run("ls -d /sys/fs/cgroup/berth.slice/berth-*.scope/*/kernel | wc -l").strip(), "1")
        why = self.head.run("journalctl -b -u berth-controller -p warning -o cat --no-pager")
        print(why, flush=True)
        self.berth("session rm stays")


if __name__ == "__main__":
    unittest_report.run(RealCluster)
