// What a container shows to the program in it, and what it keeps from it.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>

#include "agents/kernel/cgroup_layout.h"
#include "agents/kernel/id_ranges.h"
#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_oci/oci_rig.h"

namespace berth::agents::contract {
namespace {

class OciIsolation : public KernelBackendContract {
 protected:
  // What this shell script prints in a kernel; its exit code in `code`.
  std::string run(const std::string& script, const std::function<void(KernelSpec&)>& change = {}) {
    KernelSpec asked = waiting_spec();
    asked.command = {"sh", "-c", script + " 2>&1"};
    if (change) change(asked);
    const KernelKey key = start(asked);
    end_ = await_end(key);
    return log(key);
  }
  // The host id of the kernel's id 0; the image's files are its root's all the same.
  std::uint32_t host_ids_of(const KernelKey& key) {
    await_log(key, "ready");
    std::istringstream text(log(key));
    std::string owners;
    std::uint32_t inside = 1, host = 0, count = 0;
    text >> owners >> inside >> host >> count;
    EXPECT_EQ(owners, "0:0:0") << "of /bin/sh, /etc and /tmp";
    EXPECT_EQ(inside, 0u);
    EXPECT_EQ(count, 65'536u);
    return host;
  }
  KernelKey start_with_ids() {
    KernelSpec asked = waiting_spec();
    asked.command = {"sh", "-c",
                     "echo $(stat -c %u /bin/sh):$(stat -c %u /etc):$(stat -c %u /tmp); "
                     "cat /proc/self/uid_map; echo x > ~/file && echo ready; sleep 300"};
    return start(asked);
  }
  static std::int64_t pid_max() {
    return std::stoll(shim::read_file("/proc/sys/kernel/pid_max").value_or("0"));
  }
  KernelEvent end_;
};

TEST_P(OciIsolation, S8_AllKernelsTogetherLeaveHalfOfTheMachinesProcessIds) {
  const auto cgroups = read_cgroup_layout();
  ASSERT_TRUE(cgroups.ok());
  await_running(start(waiting_spec()));  // a scope of systemd's is there with the first of them
  const std::string group = agent_cgroup(*cgroups, static_cast<RealRig&>(*rig_).folder());
  std::string bound;
  for (const std::string& root : cgroups->roots)
    bound += shim::read_file(root + group + "/pids.max").value_or("");
  EXPECT_EQ(bound, std::to_string(pid_max() / 2) + "\n");
}

TEST_P(OciIsolation, S8_WhatItsShimDoesIsTakenFromAKernelsQuota) {
  const auto& rig = static_cast<RealRig&>(*rig_);
  KernelSpec asked = waiting_spec();
  asked.cpu = kUnit / 2;
  const KernelKey key = start(asked);
  await_running(key);
  const auto state =
      shim::decode_state(shim::read_file(rig.fast() + "/run/" + kernel_name(key) + ".state").value_or(""));
  ASSERT_TRUE(state.has_value());
  const std::string path = agent_cgroup(*read_cgroup_layout(), rig.folder()) + "/" + kernel_name(key);
  const auto charged = [&] {
    const auto cgroups = shim::read_file("/proc/" + std::to_string(state->shim.pid) + "/cgroup");
    return cgroups.value_or("").find(path + "/shim\n") != std::string::npos;
  };
  for (int i = 0; i < 2000 && !charged(); ++i) rig_->step(*backend_);
  EXPECT_TRUE(charged());
  const std::string folder = read_cgroup_layout()->cpu_root + path;
  const auto quota = shim::read_file(folder + "/cpu.cfs_quota_us");
  EXPECT_EQ(quota ? *quota : shim::read_file(folder + "/cpu.max").value_or(""),
            quota ? "50000\n" : "50000 100000\n");
  backend_->stop(key, 0);
  await_end(key);
  for (const std::string& left : read_cgroup_layout()->folders(path))
    EXPECT_NE(access(left.c_str(), F_OK), 0) << left;
}

TEST_P(OciIsolation, P24_AKernelThatTakesAllItsQuotaEndsWithItsLease) {
  KernelSpec busy = waiting_spec();
  busy.cpu = kUnit / 10;
  busy.command = {"sh", "-c", "for i in $(seq 20); do (while :; do :; done) & done; wait"};
  const Timestamp until = rig_->boottime() + 6 * kSecond;
  busy.lease_until = until;
  const KernelKey key = start(busy);
  EXPECT_EQ(await_end(key).end, KernelEnd::kLeaseOver);
  EXPECT_LT(rig_->boottime(), until + 3 * kSecond);
}

TEST_P(OciIsolation, S8_NothingInAKernelReachesItsInit) {
  const std::string text =
      run("for f in fd/3 mem environ; do head -c 1 /proc/1/$f >/dev/null 2>&1 && echo read $f; done; "
          "ls /proc/1/fd; echo x >> /proc/1/fd/3; kill -9 1; exit 4");
  EXPECT_EQ(text.find("read"), std::string::npos) << text;
  EXPECT_EQ(end_.exit_code, 4) << "the end is the init's word, not the program's";
}

TEST_P(OciIsolation, S8_TheFilesOfTheHostInAKernelCannotBeWritten) {
  const std::string text =
      run("for f in /etc/hosts /etc/hostname /run/berth/init; do echo x >> $f && echo wrote $f; done; "
          "while read a b c d point options rest; do [ $point = / ] && echo root $options; done "
          "</proc/self/mountinfo");
  EXPECT_EQ(text.find("wrote"), std::string::npos) << text;
  EXPECT_NE(text.find("root rw,nosuid,nodev"), std::string::npos) << text;
}

TEST_P(OciIsolation, S8_NoTwoKernelsHaveAHostIdInCommonAlsoBehindAnAgentThatStartsAgain) {
  const KernelKey first = start_with_ids(), second = start_with_ids();
  std::set<std::uint32_t> bases{host_ids_of(first), host_ids_of(second)};
  reopen();
  for (int i = 0; i < 2; ++i) bases.insert(host_ids_of(start_with_ids()));
  EXPECT_EQ(bases.size(), 4u);
  EXPECT_GE(*bases.begin(), kKernelIdsBase);
  struct stat program {};
  ASSERT_EQ(stat((rig_->rootfs() + "/bin/sh").c_str(), &program), 0);
  EXPECT_EQ(program.st_uid, BackendConfig().id_base) << "the image was unpacked once, for all of them";
}

TEST_P(OciIsolation, TheKernelSeesItsOwnLimitsAtSysFsCgroup) {
  const std::string text =
      run("cd /sys/fs/cgroup; cat cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us memory/memory.limit_in_bytes "
          "pids/pids.max "
          "|| cat cpu.max memory.max pids.max");
  const std::string pids = std::to_string(std::min<std::int64_t>(4096, pid_max() / 16));
  EXPECT_TRUE(text == "50000\n100000\n268435456\n" + pids + "\n" ||
              text.ends_with("50000 100000\n268435456\n" + pids + "\n"))
      << text;
}

TEST_P(OciIsolation, TheKernelCannotChangeItsLimits) {
  run("for f in /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max; do "
      "[ -e $f ] && echo 999999999 > $f && exit 9; done; mkdir /sys/fs/cgroup/x /sys/fs/cgroup/memory/x && "
      "exit 8; exit 0");
  EXPECT_EQ(end_.exit_code, 0) << "9: it wrote a limit, 8: it made a cgroup";
}

TEST_P(OciIsolation, HostnameAndEnvironmentAreTheOrders) {
  const std::string text =
      run("hostname; cat /proc/sys/kernel/hostname; echo $BERTH_SESSION_NAME; echo $LANG; getent hosts main1",
          [](KernelSpec& spec) {
            spec.env = {{"BERTH_SESSION_NAME", "demo-1"}};
          });
  EXPECT_NE(text.find("main1\ndemo-1\nC.UTF-8\n127.0.0.1"), std::string::npos) << text;
}

constexpr const char* kTakesBoth =
    "for a in 127.0.0.1 ::1; do grep -q \"^$a localhost\" /etc/hosts && echo named $a; "
    "python3 -c \"import socket; socket.socket(socket.AF_INET6 if ':' in '$a' else "
    "socket.AF_INET).bind(('$a', 8000))\" "
    "2>/dev/null && echo taken $a; done; true";

TEST_P(OciIsolation, LocalhostIsWhatItsNetworkHas) {
  const std::string text = run(kTakesBoth);
  EXPECT_TRUE(text == "named 127.0.0.1\ntaken 127.0.0.1\nnamed ::1\ntaken ::1\n" ||
              text == "named 127.0.0.1\ntaken 127.0.0.1\n")
      << text;
}

// As with ipv6.disable=1: no socket of that family, here and in what this thread starts from now on.
void take_ipv6_away() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(code), code};
  EXPECT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

TEST_P(OciIsolation, LocalhostHasNoIpv6WhereTheMachineHasNone) {
  std::string text;
  backend_.reset();
  std::thread([&] {
    take_ipv6_away();
    reopen();
    text = run(kTakesBoth);
    backend_.reset();
  }).join();
  reopen();
  EXPECT_EQ(text, "named 127.0.0.1\ntaken 127.0.0.1\n");
}

TEST_P(OciIsolation, SharedMemoryIsAsLargeAsAskedFor) {
  EXPECT_EQ(run("df -B1 --output=size /dev/shm | tail -1 | tr -d ' '"), "33554432\n");
}

TEST_P(OciIsolation, SharedMemoryCountsInTheMemoryLimit) {
  run("dd if=/dev/zero of=/dev/shm/x bs=1M count=100", [](KernelSpec& spec) {
    spec.mem = 32 << 20;
    spec.shm = 200 << 20;
  });
  EXPECT_EQ(end_.end, KernelEnd::kOutOfMemory) << "100 MiB of shared memory in a kernel of 32 MiB";
}

class OciRoot : public OciIsolation {};

TEST_P(OciRoot, WritesWhereItShouldAndIsNobodyOutside) {
  const std::string text =
      run("id -u; touch /root/x /usr/x /etc/x /x && echo written; chown 1:1 /x && echo owned");
  EXPECT_EQ(text, "0\nwritten\nowned\n");
  EXPECT_FALSE(std::filesystem::exists(rig_->rootfs() + "/x")) << "the shared image was changed";
}

TEST_P(OciRoot, HasFewCapabilities) {
  EXPECT_EQ(run("grep ^CapEff: /proc/self/status | tr '\\t' ' '"), "CapEff: 00000000000405fb\n");
}

class OciUser : public OciIsolation {};

TEST_P(OciUser, IsTheImagesBeginsInItsFolderAndHasItsHome) {
  EXPECT_EQ(run("id; pwd; echo $HOME; stat -c %U:%G ."),
            "uid=1000(work) gid=1000(work) groups=1000(work)\n/home/work\n/home/work\nwork:work\n");
}

TEST_P(OciUser, WritesInItsHomeAndInTmpAndNowhereElse) {
  const std::string text = run(
      "for at in /home/work /tmp /var/tmp /dev/shm / /etc /usr/bin /root /run/berth /var/lib /sys /proc; do "
      "touch $at/x 2>/dev/null && echo $at; done; true");
  EXPECT_EQ(text, "/home/work\n/tmp\n/var/tmp\n/dev/shm\n");
}

TEST_P(OciUser, HasNoCapabilitiesAndGetsNone) {
  EXPECT_EQ(run("grep -E '^(Cap...|NoNewPrivs):' /proc/self/status | tr -d '\\t'; "
                "cp /usr/bin/id /tmp/id; chmod 4755 /tmp/id; su -c true root </dev/null >/dev/null 2>&1 && "
                "echo root; "
                "true"),
            "CapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\n"
            "CapBnd:0000000000000000\nCapAmb:0000000000000000\nNoNewPrivs:1\n");
}

TEST_P(OciIsolation, TheNextKernelOfTheImageSeesNothingOfTheLast) {
  run("touch ~/x /tmp/x");
  EXPECT_EQ(run("[ -e ~/x ] || [ -e /tmp/x ] || echo clean"), "clean\n");
}

// A wheel of a gigabyte is unpacked in a session that has less memory.
TEST_P(OciIsolation, TmpIsEverybodysAndCountsInNoMemory) {
  const std::string text =
      run("stat -c %a:%u /tmp; dd if=/dev/zero of=/tmp/x bs=1M count=100 2>/dev/null && "
          "stat -c %s /tmp/x; stat -f -c %T /tmp",
          [](KernelSpec& spec) { spec.mem = 32 << 20; });
  EXPECT_EQ(text.substr(0, 17), "1777:0\n104857600\n") << text;
  EXPECT_EQ(text.find("tmpfs"), std::string::npos);
  EXPECT_EQ(end_.end, KernelEnd::kExited);
}

TEST_P(OciIsolation, AnImagesFolderThatIsNotThereIsSaidAndItsProgramsBeginAtTheRoot) {
  const std::string folder = static_cast<RealRig&>(*rig_).folder() + "/moved";
  std::filesystem::create_directory(folder);
  std::filesystem::create_directory_symlink(rig_->rootfs(), folder + "/rootfs");
  std::ofstream(folder + "/image.json") << R"({"process":{"env":[],"uid":1000,"gid":1000,"groups":[],)"
                                           R"("home":"/","folder":"/proc/self/fd/7"}})";
  KernelSpec asked = waiting_spec();
  asked.command = {"pwd"};
  started_.push_back(asked.key);
  backend_->start(asked, folder + "/rootfs");
  await_end(asked.key);
  EXPECT_EQ(log(asked.key), "berth-init: cannot work in '/proc/self/fd/7': No such file or directory\n/\n");
}

TEST_P(OciIsolation, TheNetworkIsLoopbackAndItIsUp) {
  const std::string text = run("ls /sys/class/net; cat /sys/class/net/lo/flags");
  EXPECT_TRUE(text == "lo\n0x9\n") << text;
}

TEST_P(OciIsolation, TheKernelSeesItsOwnProcessesOnlyAndInitIsTheFirst) {
  const std::string text = run("cat /proc/1/comm; ls /proc | grep -c '^[0-9]*$'");
  EXPECT_TRUE(text.starts_with("init\n")) << text;
}

TEST_P(OciIsolation, DangerousCallsAreRefused) {
  const std::string text =
      run("grep -E '^(NoNewPrivs|Seccomp|CapEff):' /proc/self/status | tr '\\t' ' '; unshare -r true && echo "
          "unshared; "
          "mount -t tmpfs none /mnt && echo mounted; mknod /tmp/m b 7 0 && echo device; true");
  EXPECT_NE(text.find("NoNewPrivs: 1"), std::string::npos) << text;
  EXPECT_NE(text.find("Seccomp: 2"), std::string::npos) << text;
  for (const char* done : {"unshared", "mounted", "device"})
    EXPECT_EQ(text.find(done), std::string::npos) << text;
}

TEST_P(OciIsolation, AProgramOverItsMemoryEndsAsOutOfMemory) {
  run("python3 -c 'x = bytearray(300 << 20)'", [](KernelSpec& spec) { spec.mem = 64 << 20; });
  EXPECT_EQ(end_.end, KernelEnd::kOutOfMemory);
  EXPECT_EQ(end_.exit_code, 137);
}

// As where berth.slice has a MemoryMax=, or the machine itself has no memory left.
TEST_P(OciIsolation, MemoryThatEndsAboveTheKernelIsNotToldAsItsOwnLimit) {
  KernelSpec asked = spec(Program::kTrue);
  asked.command = {"sh", "-c", "while python3 -c 'x = bytearray(100 << 20)'; do sleep 0.05; done; exit 137"};
  const KernelKey key = start(asked);
  await_running(key);
  const auto& rig = static_cast<RealRig&>(*rig_);
  const auto layout = read_cgroup_layout();
  ASSERT_TRUE(layout.ok());
  const std::string group = layout->memory_root + agent_cgroup(*layout, rig.folder());
  const std::string limit = group + (layout->v2 ? "/memory.max" : "/memory.limit_in_bytes");
  std::ofstream(limit) << (48 << 20) << std::flush;
  const KernelEvent end = await_end(key);
  std::ofstream(limit) << (layout->v2 ? "max" : "-1") << std::flush;
  EXPECT_EQ(end.end, KernelEnd::kOutOfMemory);
  EXPECT_EQ(end.error.code, "machine-out-of-memory");
}

TEST_P(OciIsolation, AForkBombStopsAtItsLimit) {
  run("i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i+1)); done; exit 0",
      [](KernelSpec& spec) { spec.pids_max = 20; });
  EXPECT_NE(end_.exit_code, 0) << "60 processes in a kernel of 20";
}

TEST_P(OciIsolation, StandardOutputCanBeOpenedByName) {
  EXPECT_EQ(run("echo one; echo two > /dev/stdout"), "one\ntwo\n");
}

TEST_P(OciIsolation, AMissingImageIsAFailedStartWithAReason) {
  const KernelSpec asked = spec(Program::kTrue);
  started_.push_back(asked.key);
  backend_->start(asked, "/no/such/image");
  const KernelEvent end = await_end(asked.key);
  EXPECT_EQ(end.end, KernelEnd::kStartFailed);
  EXPECT_EQ(end.error.code, "image-missing");
}

// Every call of the runtime fails on this; its reason must reach the user.
TEST_P(OciIsolation, WhatTheRuntimeRefusesIsSaidInItsWords) {
  KernelSpec asked = spec(Program::kTrue);
  asked.mem = 4096;  // less than a process needs to begin
  const KernelEvent end = await_end(start(asked));
  EXPECT_EQ(end.end, KernelEnd::kStartFailed) << end.exit_code;
  EXPECT_EQ(end.error.code, "runtime-failed");
  EXPECT_GT(end.error.message.size(), 10u);
}

TEST_P(OciIsolation, NothingIsLeftOfAKernelThatEnded) {
  const KernelKey key = start(Program::kTrue);
  await_end(key);
  const auto& rig = static_cast<RealRig&>(*rig_);
  EXPECT_FALSE(std::filesystem::exists(rig.fast() + "/runtime/" + kernel_name(key)));
  for (const char* tree : {"memory", "cpu", "pids", "unified", ""})
    for (std::error_code none; const auto& entry : std::filesystem::directory_iterator(
                                   std::string("/sys/fs/cgroup/") + tree, none)) {
      EXPECT_FALSE(std::filesystem::exists(entry.path() / kernel_name(key))) << entry.path();
    }
}

}  // namespace

const RigFactory kAsUser([] { return std::make_unique<OciRig>(); });
const RigFactory kAsRoot([] { return std::make_unique<OciRootRig>(); });
// Root inside may try more.
INSTANTIATE_TEST_SUITE_P(Oci, OciIsolation, testing::Values(kAsUser, kAsRoot));
INSTANTIATE_TEST_SUITE_P(Oci, OciUser, testing::Values(kAsUser));
INSTANTIATE_TEST_SUITE_P(Oci, OciRoot, testing::Values(kAsRoot));

}  // namespace berth::agents::contract
