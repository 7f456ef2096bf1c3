#include "tests/contract/kernel_backend_stays.h"

#include <spawn.h>
#include <sys/wait.h>

#include <fstream>

#include "tests/contract/kernel_backend_oci/oci_rig.h"

namespace berth::agents::contract {
namespace {

class OciStays : public KernelStays {
 protected:
  // A process that hangs, put into the kernel's cgroups: what its own would be that work in a folder. Returns
  // our child, which is it or, in the kernel's own pid namespace, its parent.
  pid_t hang_in(const KernelKey& key, bool in_its_pids = false) {
    const std::string main = std::to_string(await_running(key).pid);
    std::vector<std::string> words = {"cat", hung_->file()};
    if (in_its_pids) words.insert(words.begin(), {"nsenter", "-t", main, "-p"});
    std::vector<char*> args;
    for (std::string& word : words) args.push_back(word.data());
    args.push_back(nullptr);
    pid_t pid = -1;
    EXPECT_EQ(posix_spawnp(&pid, args[0], nullptr, nullptr, args.data(), environ), 0);
    await_hung();
    const std::string own = std::to_string(pid);
    const std::string hung =
        in_its_pids ? shim::read_file("/proc/" + own + "/task/" + own + "/children").value_or("") : own;
    int joined = 0;
    for (const std::string& cgroup : spec_of(key).cgroups) {
      std::ofstream procs(cgroup + "/kernel/cgroup.procs");
      joined += procs << std::stol(hung) << std::flush ? 1 : 0;
    }
    EXPECT_GT(joined, 0);
    return pid;
  }
  shim::ShimSpec spec_of(const KernelKey& key) {
    const std::string folder = static_cast<RealRig&>(*rig_).fast() + "/kernels/" + kernel_name(key);
    return shim::decode_spec(shim::read_file(folder + "/spec").value_or("")).value_or(shim::ShimSpec{});
  }
};

TEST_P(OciStays, P24_AKernelHasEndedWhenTheLastProcessInItsCgroupsHas) {
  const KernelKey key = start(Program::kLong);
  const pid_t hung = hang_in(key);
  backend_->stop(key, 0);
  expect_that_it_stays(key);
  hung_->let_go();
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
  int status = 0;
  waitpid(hung, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST_P(OciStays, P24_AlsoWhereItsShimDiesMeanwhileAndItsResultIsKept) {
  KernelSpec asked = waiting_spec();
  asked.command = {"sh", "-c", "read x </tmp/none; sleep 1; exit 7"};
  const KernelKey key = start(asked);
  const pid_t hung = hang_in(key);
  expect_that_it_stays(key);
  rig_->kill_shim(key);
  reopen();
  usleep(1'000'000);  // no end is to come in it
  EXPECT_FALSE(find(key, KernelEvent::What::kEnded).has_value());
  hung_->let_go();
  EXPECT_EQ(await_end(key).exit_code, 7);
  waitpid(hung, nullptr, 0);
}

// The kernel's process itself is not gone before the last of its namespace is.
TEST_P(OciStays, P24_AlsoWhereItKeepsTheKernelsOwnProcess) {
  const KernelKey key = start(Program::kLong);
  const pid_t child = hang_in(key, true);
  backend_->stop(key, 0);
  expect_that_it_stays(key);
  hung_->let_go();
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
  waitpid(child, nullptr, 0);
}

INSTANTIATE_TEST_SUITE_P(Oci, OciStays,
                         testing::Values(RigFactory([] { return std::make_unique<OciRig>(); })));

}  // namespace
}  // namespace berth::agents::contract
