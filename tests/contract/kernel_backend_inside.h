// What a kernel of every real backend promises to who comes in by its door, as tests.
#pragma once

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sstream>

#include "agents/kernel/shim/door.h"
#include "agents/kernel/shim/records.h"
#include "tests/contract/kernel_backend_contract.h"
#include "tests/contract/kernel_backend_real_rig.h"
#include "tests/support/talk.h"

namespace berth::agents::contract {

using inside::end_of_shell;
using inside::exec;
using inside::list_of_shells;
using inside::losses;
using inside::pack_of;
using inside::sh;
using inside::shell;
using inside::Talk;
using inside::unpack_to;

class KernelInside : public KernelBackendContract {
 protected:
  KernelKey start_long() {
    const KernelKey key = start(Program::kLong);
    await_running(key);
    return key;
  }
  std::string door(const KernelKey& key) { return backend_->door(key); }
  // What a program prints in the kernel.
  std::string said(const KernelKey& key, const std::string& script) {
    Talk talk(door(key), sh(script));
    talk.await_end();
    return talk.out;
  }
  // The same, once somebody holds the door again: until then nobody answers.
  std::string await_said(const KernelKey& key, const std::string& script) {
    std::string text;
    for (int i = 0; i < 2000 && text.empty(); ++i) {
      rig_->step(*backend_);
      if (Channel::open(door(key)).ok()) text = said(key, script);
    }
    return text;
  }
  shim::StateRecord state_of(const KernelKey& key) {
    const std::string path = static_cast<RealRig&>(*rig_).fast() + "/run/" + kernel_name(key) + ".state";
    return shim::decode_state(shim::read_file(path).value_or("")).value_or(shim::StateRecord{});
  }
  static std::string of_process(std::int64_t pid, const char* file) {
    return shim::read_file("/proc/" + std::to_string(pid) + "/" + file).value_or("");
  }
  // Processes that belong to the kernel or see something of it mounted.
  static std::vector<std::string> traces_of(const KernelKey& key) {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
      const std::int64_t pid = std::strtoll(entry.path().filename().c_str(), nullptr, 10);
      for (const char* file : {"cgroup", "mountinfo", "environ"})
        if (pid > 0 && of_process(pid, file).find(kernel_name(key)) != std::string::npos)
          found.push_back(std::to_string(pid) + " " + file);
    }
    return found;
  }
  // What the launcher holds open: pipes and doors of kernels.
  std::size_t held_by_launcher() {
    const auto children = shim::read_file("/proc/thread-self/children").value_or("");
    const std::string& folder = static_cast<RealRig&>(*rig_).folder();
    std::istringstream pids(children);
    for (std::int64_t pid = 0; pids >> pid;) {
      if (of_process(pid, "cmdline").find(folder) == std::string::npos) continue;
      std::error_code error;
      const std::filesystem::directory_iterator open("/proc/" + std::to_string(pid) + "/fd", error);
      return static_cast<std::size_t>(std::distance(begin(open), end(open)));
    }
    return 0;
  }
};

TEST_P(KernelInside, ExecPrintsAndExits7) {
  const KernelKey key = start_long();
  Talk talk(door(key), sh("echo hello; echo bad >&2; exit 7"));
  EXPECT_EQ(talk.await_end(), 7);
  EXPECT_EQ(talk.out, "hello\n");
  EXPECT_EQ(talk.err, "bad\n");
  EXPECT_EQ(talk.begun->restarts, 0u);
}

TEST_P(KernelInside, ExecIsInTheKernelsCgroupsAndNamespacesAndHasItsRightsAlone) {
  KernelSpec asked = waiting_spec();
  asked.env = {{"BERTH_SESSION_NAME", "demo-1"}};
  asked.command = rig_->command(Program::kLong);
  const KernelKey key = start(asked);
  await_running(key);
  Talk talk(door(key), sh("echo $BERTH_SESSION_NAME $$; read x"));
  ASSERT_TRUE(talk.await_out("\n"));
  EXPECT_TRUE(talk.out.starts_with("demo-1 ")) << talk.out;
  const std::int64_t main = state_of(key).main.pid;
  std::vector<std::int64_t> of_kernel;  // the host's view: who has the same cgroups as the kernel's process
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::int64_t pid = std::strtoll(entry.path().filename().c_str(), nullptr, 10);
    if (pid > 0 && pid != main && of_process(pid, "cgroup") == of_process(main, "cgroup"))
      of_kernel.push_back(pid);
  }
  // At least helper and program; the kernel's own program too, where its PID 1 is ours.
  ASSERT_GE(of_kernel.size(), 2u);
  const auto rights = [](std::int64_t pid) {
    const std::string status = of_process(pid, "status");
    std::string kept;
    for (const char* name :
         {"\nUid:", "\nGid:", "\nGroups:", "\nCapPrm:", "\nCapBnd:", "\nNoNewPrivs:", "\nSeccomp:"})
      if (const std::size_t at = status.find(name); at != std::string::npos)
        kept += status.substr(at, status.find('\n', at + 1) - at);
    return kept;
  };
  for (const std::int64_t pid : of_kernel) {
    EXPECT_EQ(of_process(pid, "uid_map"), of_process(main, "uid_map"));
    EXPECT_EQ(rights(pid), rights(main));
    for (const char* space : {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"}) {
      const auto of = [&](std::int64_t who) {
        return std::filesystem::read_symlink("/proc/" + std::to_string(who) + "/ns/" + space, error).string();
      };
      EXPECT_EQ(of(pid), of(main)) << space;
    }
  }
}

TEST_P(KernelInside, AProgramMayOpenAsManyFilesAsElsewhereAndAskForMore) {
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  const std::string bounds =
      "1024\n" + std::to_string(std::min<rlim_t>(files.rlim_max, shim::kFilesHard)) + "\n";
  KernelSpec asked = waiting_spec();
  asked.command = {"sh", "-c", "ulimit -Sn; ulimit -Hn; sleep 300"};
  const KernelKey key = start(asked);
  await_log(key, bounds);
  EXPECT_EQ(said(key, "ulimit -Sn; ulimit -Hn"), bounds);
}

TEST_P(KernelInside, AProgramHasNoDescriptorOfTheHelper) {
  const KernelKey key = start_long();
  Talk talk(door(key), shell("main"));
  ASSERT_TRUE(talk.await_begun());
  EXPECT_EQ(
      said(key, "for f in /proc/self/fd/*; do echo ${f##*/}; done; readlink /proc/self/fd/0 | cut -d: -f1"),
      "0\n1\n2\n3\npipe\n");
}

TEST_P(KernelInside, APathOfACopyIsOfTheFolderInWhichTheKernelWorksWhichItsUserMayWrite) {
  const KernelKey key = start_long();
  ASSERT_EQ(said(key, "echo content >one && mkdir two && cat one"), "content\n");
  Talk pack(door(key), pack_of("one"));
  EXPECT_EQ(pack.await_end(), 0) << pack.await_problem() << pack.err;
  Talk unpack(door(key), unpack_to("two"));
  unpack.type(pack.out);
  unpack.type_end();
  EXPECT_EQ(unpack.await_end(), 0) << unpack.await_problem() << unpack.err;
  EXPECT_EQ(said(key, "cat two/one"), "content\n");
}

TEST_P(KernelInside, AShellIsResizedAndTwoClientsSeeIt) {
  const KernelKey key = start_long();
  Talk one(door(key), shell("main")), two(door(key), shell("main"));
  ASSERT_TRUE(one.await_begun() && two.await_begun());
  one.resize({132, 43});
  one.type("stty size\n");
  EXPECT_TRUE(two.await_out("43 132\r\n"));
  two.type("exit 6\n");
  EXPECT_EQ(one.await_end(), 6);
  EXPECT_EQ(two.await_end(), 6);
}

TEST_P(KernelInside, AfterAHelperThatWasKilledTheNextChannelSaysThatShellsWereLost) {
  const KernelKey key = start_long();
  Talk lost(door(key), shell("main"));
  ASSERT_TRUE(lost.await_begun());
  EXPECT_EQ(lost.begun->restarts, 0u);
  // The shell's parent is the helper.
  lost.type("kill -9 $PPID\n");
  EXPECT_EQ(lost.await_problem(), "channel-closed");
  Talk list(door(key), list_of_shells());
  EXPECT_EQ(list.await_end(), 0);
  ASSERT_TRUE(list.begun.has_value());
  EXPECT_EQ(list.begun->restarts, 1u);
  EXPECT_TRUE(list.shells.empty());
  EXPECT_EQ(said(key, "echo again"), "again\n");
}

TEST_P(KernelInside, WhatEndsWithItIsWhatItsUserWroteAlsoForTheNextHelper) {
  const KernelKey key = start_long();
  Talk none(door(key), losses());
  EXPECT_EQ(none.await_end(), 0) << none.await_problem();
  ASSERT_TRUE(none.loss_sum.has_value());
  EXPECT_EQ(none.loss_sum->files, 0u) << none.losses[0].path;
  ASSERT_EQ(said(key, "printf 12345 >own && ln own again && ln -s / all && echo done"), "done\n");
  for (int helpers = 1; helpers <= 2; ++helpers) {
    Talk talk(door(key), losses());
    EXPECT_EQ(talk.await_end(), 0) << talk.await_problem();
    ASSERT_TRUE(talk.loss_sum.has_value());
    EXPECT_EQ(talk.loss_sum->files, 1u);
    EXPECT_EQ(talk.loss_sum->bytes, 5u);
    EXPECT_TRUE(talk.loss_sum->complete);
    EXPECT_EQ(talk.losses.size(), 1u);
    said(key, "kill -9 $PPID");
    ASSERT_EQ(await_said(key, "echo again"), "again\n");
  }
}

TEST_P(KernelInside, AShimThatWasKilledIsInNobodysWay) {
  const KernelKey key = start_long();
  Talk talk(door(key), shell("main"));
  ASSERT_TRUE(talk.await_begun());
  const std::int64_t before = state_of(key).shim.pid;
  rig_->kill_shim(key);
  talk.type("echo on-$((1))\n");
  EXPECT_TRUE(talk.await_out("on-1\r\n"));
  Talk again(door(key), shell("main"));
  ASSERT_TRUE(again.await_begun());
  EXPECT_FALSE(again.begun->made);
  for (int i = 0; i < 2000 && state_of(key).shim.pid == before; ++i) rig_->step(*backend_);
  EXPECT_NE(state_of(key).shim.pid, before);
  again.type("kill -9 $PPID\n");
  EXPECT_EQ(again.await_problem(), "channel-closed");
  Talk next(door(key), exec({"echo", "next"}));
  EXPECT_EQ(next.await_end(), 0);
  ASSERT_TRUE(next.begun.has_value());
  EXPECT_EQ(next.begun->restarts, 1u);
}

TEST_P(KernelInside, ALauncherThatWasKilledWithTheShimIsInNobodysWay) {
  const KernelKey used = start_long(), quiet = start_long();
  Talk talk(door(used), shell("main"));
  ASSERT_TRUE(talk.await_begun());
  const std::int64_t before = state_of(used).shim.pid, before_quiet = state_of(quiet).shim.pid;
  rig_->kill_launcher();
  rig_->kill_shim(used);
  rig_->kill_shim(quiet);
  const auto adopted = [&] {
    return state_of(used).shim.pid != before && state_of(quiet).shim.pid != before_quiet;
  };
  for (int i = 0; i < 5000 && !adopted(); ++i) rig_->step(*backend_);
  ASSERT_TRUE(adopted());
  Talk again(door(used), shell("main"));
  ASSERT_TRUE(again.await_begun());
  EXPECT_FALSE(again.begun->made);
  again.type("kill -9 $PPID\n");
  EXPECT_EQ(again.await_problem(), "channel-closed");
  EXPECT_EQ(await_said(used, "echo new"), "new\n");
  EXPECT_EQ(await_said(quiet, "echo first"), "first\n");
}

TEST_P(KernelInside, AnAgentThatComesBackFindsTheShell) {
  const KernelKey key = start_long();
  {
    Talk talk(door(key), shell("main"));
    ASSERT_TRUE(talk.await_begun());
    talk.type("echo kept-$((1))\n");
    ASSERT_TRUE(talk.await_out("kept-1\r\n"));
  }
  reopen();
  Talk again(door(key), shell("main"));
  EXPECT_TRUE(again.await_out("kept-1\r\n"));
}

TEST_P(KernelInside, WhenTheKernelEndsItsChannelsCloseAtOnceAndNothingIsLeft) {
  start_long();  // another one, which stays
  const std::size_t before = held_by_launcher();
  const KernelKey key = start_long();
  Talk one(door(key), shell("main")), two(door(key), exec({"cat"}));
  ASSERT_TRUE(one.await_begun() && two.await_begun());
  EXPECT_THAT(traces_of(key), testing::Not(testing::IsEmpty()));
  EXPECT_GT(held_by_launcher(), before);
  const Timestamp asked = rig_->boottime();
  backend_->stop(key, 0);
  EXPECT_EQ(one.await_end(), -1);
  EXPECT_EQ(two.await_end(), -1);
  EXPECT_LT(rig_->boottime(), asked + 1 * kSecond);
  await_end(key);
  const auto opened = Channel::open(door(key));
  EXPECT_EQ(opened.ok() ? "opened" : opened.error().code.word(), "kernel-not-open");
  backend_->forget(key);
  const auto all_gone = [&] { return held_by_launcher() == before && traces_of(key).empty(); };
  for (int i = 0; i < 1000 && !all_gone(); ++i) rig_->step(*backend_);
  EXPECT_EQ(held_by_launcher(), before);
  EXPECT_THAT(traces_of(key), testing::IsEmpty());
}

TEST_P(KernelInside, AHundredMegabytesAreNotInTheWayOfTheKernelsEnd) {
  const KernelKey key = start_long();
  Talk flood(door(key), exec({"head", "-c", "100000000", "/dev/zero"}));
  flood.keeps_out = false;
  EXPECT_EQ(flood.await_end(), 0);
  EXPECT_EQ(flood.out_bytes, 100'000'000u);
  Talk deaf(door(key), sh("while :; do echo flood; done"));
  ASSERT_TRUE(deaf.await_begun());
  backend_->stop(key, 0);
  EXPECT_EQ(await_end(key).end, KernelEnd::kStopped);
}

// Whoever took the helper's place says what it likes.
TEST_P(KernelInside, WhatIsNoAnswerEndsTheChannelAndHurtsNobody) {
  const std::string path = static_cast<RealRig&>(*rig_).folder() + "/hostile";
  const Descriptor hostile = shim::make_door(path);
  const auto answer_to = [&](std::string_view bytes) {
    Talk talk(path, exec({"true"}));
    const Descriptor stream(accept4(hostile.get(), nullptr, nullptr, SOCK_CLOEXEC));
    EXPECT_TRUE(shim::write_all(stream.get(), bytes));
    shutdown(stream.get(), SHUT_WR);
    return talk.await_problem();
  };
  const auto frame = [](int type, std::string_view payload) {
    std::string bytes;
    inside::append_frame(bytes, static_cast<inside::FrameType>(type), payload);
    return bytes;
  };
  EXPECT_EQ(answer_to("\xff\xff\xff\x7f\x11"), "helper-garbled");
  EXPECT_EQ(answer_to(frame(99, "")), "helper-garbled");
  EXPECT_EQ(answer_to(frame(16, "rubbish")), "helper-garbled");
  EXPECT_EQ(answer_to(frame(20, "v=1\nname=\x1b[2J\nend=\n")), "helper-garbled");
  EXPECT_EQ(answer_to(frame(22, "v=1\ncode=No Code\nmessage=x\nend=\n")), "helper-garbled");
  EXPECT_EQ(answer_to(std::string(64, '\0')), "helper-garbled");
  EXPECT_EQ(answer_to("\x05"), "channel-closed");
}

}  // namespace berth::agents::contract
