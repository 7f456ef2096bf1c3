// Ways into a kernel through an agent's services: real helpers, and doors behind which stands somebody else.
#include "agents/services/inside_route.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>

#include "tests/support/helper_process.h"
#include "tests/support/talk.h"
#include "tests/unit/agent_services/asker.h"

namespace berth::agents {
namespace {

using inside::FrameType;

constexpr const char* kKernel = "07070707-0707-0707-0707-070707070707";

std::string path_of(int attempt) {
  return "/kernels/" + std::string(kKernel) + "/" + std::to_string(attempt) + "/inside";
}

class InsideRig : public ::testing::Test {
 public:
  ~InsideRig() override {
    if (client) client->stop();
    if (server) server->stop();
    // The closed connections' last steps.
    io.restart();
    io.poll();
  }

 protected:
  // `doors`: of the attempts 1, 2, ...; behind them all kernels are unknown.
  void serve(std::vector<std::string> doors, std::size_t channels_max = kChannelsOpenMax,
             bool has_networks = true, Duration begin_max = kBeginMax) {
    KernelRoutes routes;
    routes["POST inside"] = inside_route(
        [this, doors = std::move(doors)](const KernelKey& key, DoorFound done) {
          if (key.attempt > doors.size()) return done(make_error("unknown-kernel", "no such kernel"));
          const std::lock_guard lock(mutex);
          if (holds_doors) return held.push_back(std::move(done));
          done(doors[key.attempt - 1]);
        },
        channels_max, has_networks, begin_max);
    server = std::make_unique<ServiceServer>(tunnel::agent_signer(), std::move(routes));
    const auto address = server->start("127.0.0.1:0");
    ASSERT_TRUE(address.ok());
    client = std::make_unique<tunnel::Client>(boost::asio::make_strand(io), tunnel::agent_signer(), *address);
  }
  std::unique_ptr<Asker> come(int attempt = 1) {
    return std::make_unique<Asker>(io, *client, path_of(attempt));
  }
  std::unique_ptr<Asker> come(const inside::Request& request, int attempt = 1) {
    auto asker = come(attempt);
    asker->ask(request);
    return asker;
  }
  template <class Reached> bool until(Reached reached) { return tunnel::run_until(io, std::move(reached)); }
  std::size_t held_doors() {
    const std::lock_guard lock(mutex);
    return held.size();
  }

  tunnel::asio::io_context io;
  std::mutex mutex;
  bool holds_doors = false;     // guarded
  std::vector<DoorFound> held;  // guarded
  std::unique_ptr<ServiceServer> server;
  std::unique_ptr<tunnel::Client> client;
};

class InsideService : public InsideRig {
 public:
  InsideService() { serve({helper.door}); }

 protected:
  inside::HelperProcess helper;
};

TEST_F(InsideService, ExecHasItsInputBothOutputsAndItsCode) {
  const auto asker = come(inside::sh("cat; echo err >&2; exit 7"));
  asker->type("typed").type_end().finish();
  EXPECT_EQ(asker->await_end(), 7) << asker->await_problem();
  EXPECT_EQ(asker->status, 200);
  EXPECT_EQ(asker->out, "typed");
  EXPECT_EQ(asker->err, "err\n");
  EXPECT_EQ(asker->error, "");
  EXPECT_FALSE(asker->garbled);
}

TEST_F(InsideService, FramesComeWholeWhereverTheirStreamIsCut) {
  const auto asker = come();
  asker->piece_max = 1;
  asker->ask(inside::exec({"cat"})).type("typed").type_end().finish();
  EXPECT_EQ(asker->await_end(), 0);
  EXPECT_EQ(asker->out, "typed");
}

TEST_F(InsideService, ALongRequestIsTakenInParts) {
  const auto asker = come(inside::exec({"printf", "%s", std::string(100'000, 'x')}));
  EXPECT_EQ(asker->await_end(), 0) << asker->await_problem();
  EXPECT_EQ(asker->out, std::string(100'000, 'x'));
}

TEST_F(InsideService, AMebibyteOfInputComesBackWhole) {
  const auto asker = come(inside::exec({"cat"}));
  std::string typed;
  for (int i = 0; typed.size() < 1 << 20; ++i) typed += std::to_string(i) + "\n";
  asker->type(typed).type_end().finish();
  EXPECT_EQ(asker->await_end(), 0);
  EXPECT_TRUE(asker->out == typed);
}

TEST_F(InsideService, AHundredMebibytesOfOutputComeWhole) {
  const auto asker = come(inside::exec({"head", "-c", "104857600", "/dev/zero"}));
  asker->keeps_out = false;
  EXPECT_EQ(asker->await_end(), 0);
  EXPECT_EQ(asker->out_bytes, 100u << 20);
}

TEST_F(InsideService, AProgramThatCannotBeRunIsTheHelpersProblem) {
  const auto asker = come(inside::exec({"no-such-program"}));
  EXPECT_EQ(asker->await_problem(), "program-not-found");
  EXPECT_EQ(asker->status, 200);
}

TEST_F(InsideService, AShellIsDetachedByAResetAndAttachedAgain) {
  auto asker = come(inside::shell("main"));
  ASSERT_TRUE(asker->await_begun());
  EXPECT_TRUE(asker->begun->made);
  asker->type("x=gr; stty size; echo \"$x\"\"een\"\n");
  EXPECT_TRUE(asker->await_out("green\r\n"));
  asker->say(frame(FrameType::kSize, encode(inside::Size{101, 33}))).type("stty size\n");
  EXPECT_TRUE(asker->await_out("33 101\r\n"));
  asker->reset();
  EXPECT_EQ(asker->await_problem(), "stream-reset");
  const auto clients = [&] {
    const auto list = come(inside::list_of_shells());
    EXPECT_EQ(list->await_end(), 0);
    return list->shells.size() == 1 ? static_cast<int>(list->shells[0].clients) : -1;
  };
  EXPECT_TRUE(until([&] { return clients() == 0; }));

  const auto again = come(inside::shell("main"));
  ASSERT_TRUE(again->await_begun());
  EXPECT_FALSE(again->begun->made);
  EXPECT_TRUE(again->await_out("green\r\n"));
  again->type("echo still $x$x; exit 5\n");
  EXPECT_EQ(again->await_end(), 5);
  EXPECT_NE(again->out.find("still grgr"), std::string::npos);
}

TEST_F(InsideService, AFinishEndsTheAskersWayAloneWhereNothingIsToBeTyped) {
  const auto asker = come(inside::shell("main"));
  ASSERT_TRUE(asker->await_begun());
  const auto list = come(inside::list_of_shells());
  list->finish();
  EXPECT_EQ(list->await_end(), 0);
  ASSERT_EQ(list->shells.size(), 1u);
  const auto end = come(inside::end_of_shell("main"));
  end->finish();
  EXPECT_EQ(end->await_end(), 0);
  EXPECT_GT(asker->await_end(), 0);
}

TEST_F(InsideService, AnAppIsStartedAndListedAndOutlivesItsAsker) {
  const std::string name = "listed-" + std::to_string(getpid());
  {
    const auto asker = come(inside::app(name, {"sh", "-c", "echo log; exec sleep 60"}));
    ASSERT_TRUE(asker->await_out("log\n"));
    ASSERT_EQ(asker->apps.size(), 1u);
  }
  const auto list = come(inside::list_of_apps());
  list->finish();
  EXPECT_EQ(list->await_end(), 0);
  ASSERT_EQ(list->apps.size(), 1u);
  EXPECT_EQ(list->apps[0].name, name);
  EXPECT_EQ(list->apps[0].state, inside::AppState::kStarting);
  EXPECT_EQ(list->apps[0].log, "log\n");
}

TEST_F(InsideService, AConnectionHasARouteOfItsOwn) {
  EXPECT_EQ(come(inside::connect_to(8888))->await_problem(), "409 unknown-request");
}

TEST_F(InsideService, AnExecEndsWhenItsAskerGoes) {
  for (const bool resets : {true, false}) {
    const std::string mark = helper.folder.path + "/mark";
    const auto asker = come(inside::sh("trap 'rm " + mark + "; exit' HUP; touch " + mark +
                                       "; echo ready; while :; do sleep 1 & wait; done"));
    ASSERT_TRUE(asker->await_out("ready"));
    resets ? asker->reset() : static_cast<void>(asker->finish());
    EXPECT_TRUE(until([&] { return access(mark.c_str(), F_OK) != 0; })) << resets;
    EXPECT_TRUE(until([&] { return asker->over; })) << resets;
    EXPECT_FALSE(asker->ended || asker->problem) << resets;
  }
}

TEST_F(InsideService, WhatIsNoRequestIsRefused) {
  const std::string part = frame(FrameType::kRequestPart, std::string(inside::kFrameMax, 'x'));
  std::string parts;
  for (int i = 0; i < 9; ++i) parts += part;
  inside::Request sized = inside::exec({"true"});
  sized.size = {0, 1};
  const std::pair<std::string, std::string> refused[] = {
      {frame(FrameType::kIn, "typed"), "400 request-missing"},
      {frame(FrameType::kEnded, encode(inside::Ended{})), "400 request-missing"},
      {frame(static_cast<FrameType>(99)), "400 request-missing"},
      {"\xff\xff\xff\xff\x01", "400 frame-too-long"},
      {frame(FrameType::kRequest, "rubbish"), "400 request-damaged"},
      {frame(FrameType::kRequest, "v=1\nrequest=later\nend=\n"), "409 unknown-request"},
      {frames_of(inside::exec({})), "400 arguments-missing"},
      {frames_of(inside::exec({std::string(200'000, 'x')})), "400 arguments-too-long"},
      {parts, "400 arguments-too-long"},
      {frames_of(inside::shell("a/b")), "400 name-wrong"},
      {frames_of(sized), "400 size-wrong"},
  };
  for (const auto& [said, code] : refused) {
    const auto asker = come();
    asker->say(said);
    EXPECT_EQ(asker->await_problem(), code);
    EXPECT_TRUE(asker->await([&] { return asker->over; }));
  }
  for (const std::string& cut : {std::string(), part.substr(0, 100), part}) {
    const auto asker = come();
    asker->say(cut).finish();
    EXPECT_EQ(asker->await_problem(), "400 request-missing");
  }
  EXPECT_TRUE(until([&] { return server->counts().streams == 0; }));
}

TEST_F(InsideService, WhatTheAskerDoesWrongLaterIsAProblemAndEndsItsProgram) {
  const std::string end = frame(FrameType::kInEnd);
  const std::pair<std::string, std::string> wrong[] = {
      {frames_of(inside::exec({"true"})), "request-twice"},
      {frame(FrameType::kRequestPart, "x"), "request-twice"},
      {frame(FrameType::kSize, "rubbish"), "size-wrong"},
      {frame(FrameType::kSize, encode(inside::Size{1001, 1})), "size-wrong"},
      {frame(FrameType::kOut, "typed"), "unknown-frame"},
      {frame(static_cast<FrameType>(0)), "unknown-frame"},
      {std::string("\x01\x00\x01\x00\x03", 5), "frame-too-long"},
      {end + frame(FrameType::kIn, "typed"), "input-ended"},
      {end + end, "input-ended"},
  };
  for (const auto& [said, code] : wrong) {
    const auto asker = come(inside::sh("trap 'exit 0' HUP; echo ready; while :; do sleep 1 & wait; done"));
    ASSERT_TRUE(asker->await_out("ready"));
    asker->say(said);
    EXPECT_EQ(asker->await_problem(), code);
    EXPECT_FALSE(asker->garbled);
  }
  EXPECT_TRUE(until([&] { return server->counts().streams == 0; }));
  EXPECT_EQ(come(inside::exec({"true"}))->await_end(), 0);
}

TEST_F(InsideService, ATerminalsSizeMayChangeAfterTheEndOfItsInput) {
  const auto asker = come(inside::shell("main", {"sh", "-c",
                                                 "trap 'stty size; exit 3' WINCH; echo ready; "
                                                 "while :; do sleep 1 & wait; done"}));
  ASSERT_TRUE(asker->await_out("ready"));
  asker->type_end().say(frame(FrameType::kSize, encode(inside::Size{120, 40})));
  EXPECT_EQ(asker->await_end(), 3) << asker->await_problem();
  EXPECT_NE(asker->out.find("40 120"), std::string::npos);
}

TEST_F(InsideService, AnAskerThatDoesNotReadStopsItsProgramAloneAndLosesNothing) {
  const auto asker = come();
  asker->reads = asker->keeps_out = false;
  asker->ask(inside::exec({"head", "-c", "50000000", "/dev/zero"}));
  // It has come as far as it can when the streams hold what they may.
  EXPECT_TRUE(until([&] { return server->counts().buffered > 0; }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(come(inside::exec({"echo", "meanwhile"}))->await_end(), 0);
  // The count is of all streams: what was said to the last of them leaves it.
  EXPECT_TRUE(until([&] { return server->counts().buffered <= tunnel::kBufferedBytesMax; }));
  EXPECT_LE(client->counts().buffered, tunnel::kBufferedBytesMax);
  EXPECT_LT(helper.memory(), 8 << 20);
  EXPECT_EQ(asker->out_bytes, 0u);
  asker->read_on();
  EXPECT_EQ(asker->await_end(), 0);
  EXPECT_EQ(asker->out_bytes, 50'000'000u);
}

TEST_F(InsideService, AProgramThatTakesNoInputStopsItsAskerAlone) {
  const std::string mark = helper.folder.path + "/mark";
  const auto asker =
      come(inside::sh("echo ready; mkfifo " + mark + "; read x < " + mark + "; echo $x; wc -c"));
  ASSERT_TRUE(asker->await_out("ready"));
  constexpr std::size_t kTyped = 8 << 20;
  asker->type(std::string(kTyped, 'x')).type_end().finish();
  EXPECT_TRUE(until([&] { return server->counts().buffered > 0; }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(come(inside::exec({"echo", "meanwhile"}))->await_end(), 0);
  // The count is of all streams: what was said to the last of them leaves it.
  EXPECT_TRUE(until([&] { return server->counts().buffered <= tunnel::kBufferedBytesMax; }));
  EXPECT_GT(asker->unsaid(), kTyped - (2 << 20)) << "window, both sockets and the program's pipe";
  const std::string go = "echo now > " + mark;
  EXPECT_EQ(come(inside::sh(go))->await_end(), 0);
  EXPECT_EQ(asker->await_end(), 0) << asker->await_problem();
  EXPECT_EQ(asker->out, "ready\nnow\n" + std::to_string(kTyped) + "\n");
}

TEST_F(InsideService, AnAskerGoesAtOnceWhileItsProgramTakesNoInput) {
  const auto asker = come(inside::exec({"sleep", "1000"}));
  asker->type(std::string(4 << 20, 'x'));
  EXPECT_TRUE(until([&] { return server->counts().buffered > 0; }));
  asker->reset();
  EXPECT_TRUE(until([&] { return server->counts().streams == 0; }));
  EXPECT_TRUE(until([&] { return server->counts().buffered == 0; }));
}

// A frozen kernel: the machine's kernel takes who knocks.
TEST_F(InsideRig, AHelperThatSaysNothingIsToldAsSilent) {
  TempFolder folder;
  const Descriptor door = shim::make_door(folder.path + "/door");
  ASSERT_TRUE(door);
  serve({folder.path + "/door"}, kChannelsOpenMax, true, 50 * kMillisecond);
  EXPECT_EQ(come(inside::exec({"true"}))->await_problem(), "helper-silent");
}

TEST_F(InsideService, WhatIsTypedToAProgramThatHasEndedIsForNobody) {
  const auto asker = come(inside::sh("exec <&-; exit 4"));
  asker->type(std::string(4 << 20, 'x')).type_end().finish();
  EXPECT_EQ(asker->await_end(), 4) << asker->await_problem();
  EXPECT_TRUE(until([&] { return server->counts().streams == 0; }));
}

TEST_F(InsideService, AKernelsEndIsAProblem) {
  const auto one = come(inside::shell("main")), two = come(inside::exec({"cat"}));
  ASSERT_TRUE(one->await_begun() && two->await_begun());
  helper.end();
  EXPECT_EQ(one->await_problem(), "channel-closed");
  EXPECT_EQ(two->await_problem(), "channel-closed");
  EXPECT_EQ(come(inside::exec({"true"}))->await_problem(), "409 kernel-not-open");
}

TEST_F(InsideService, TheServersStopEndsAllStreamsAndWhatTheyWaitFor) {
  const auto idle = come(), shell = come(inside::shell("main")), deaf = come();
  deaf->reads = false;
  deaf->ask(inside::exec({"head", "-c", "50000000", "/dev/zero"}));
  const auto full = come(inside::exec({"sleep", "1000"}));
  full->type(std::string(4 << 20, 'x'));
  ASSERT_TRUE(shell->await_begun() && full->await_begun());
  {
    const std::lock_guard lock(mutex);
    holds_doors = true;
  }
  const auto waiting = come(inside::exec({"true"}));
  ASSERT_TRUE(until([&] { return held_doors() == 1 && server->counts().streams == 5; }));
  server->stop();
  EXPECT_EQ(server->counts().streams, 0u);
  EXPECT_EQ(server->counts().buffered, 0u);
  for (const auto* asker : {idle.get(), shell.get(), full.get(), waiting.get()})
    EXPECT_TRUE(until([&] { return asker->over || asker->status == -1; }));
  held[0](helper.door);  // and nothing comes of it
  inside::Talk list(helper.door, inside::list_of_shells());
  EXPECT_EQ(list.await_end(), 0);
  ASSERT_EQ(list.shells.size(), 1u);
  EXPECT_EQ(list.shells[0].clients, 0u);
}

TEST_F(InsideService, AnAskerThatGoesBeforeTheDoorIsFoundIsForgotten) {
  holds_doors = true;
  auto asker = come(inside::shell("main"));
  ASSERT_TRUE(until([&] { return held_doors() == 1; }));
  asker->reset();
  ASSERT_TRUE(until([&] { return server->counts().streams == 0; }));
  {
    const std::lock_guard lock(mutex);
    holds_doors = false;
    held[0](helper.door);
  }
  const auto list = come(inside::list_of_shells());
  EXPECT_EQ(list->await_end(), 0);
  EXPECT_TRUE(list->shells.empty());
}

TEST_F(InsideService, OnlySoManyChannelsAreOpenAtOnce) {
  server->stop();
  client->stop();
  serve({helper.door}, 2);
  const auto one = come(inside::shell("main")), two = come(inside::exec({"cat"}));
  ASSERT_TRUE(one->await_begun() && two->await_begun());
  EXPECT_EQ(come(inside::exec({"true"}))->await_problem(), "503 agent-busy");
  two->type_end();
  EXPECT_EQ(two->await_end(), 0);
  EXPECT_EQ(come(inside::exec({"true"}))->await_end(), 0);
  one->reset();
  EXPECT_TRUE(until([&] { return server->counts().streams == 0; }));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(come()->finish().await_problem(), "400 request-missing");
  EXPECT_EQ(come(inside::exec({"true"}))->await_end(), 0);
}

class InsideServiceOfProcesses : public InsideRig {};

TEST_F(InsideServiceOfProcesses, StartsNoApp) {
  inside::HelperProcess helper;
  serve({helper.door}, kChannelsOpenMax, false);
  for (const inside::Request& request :
       {inside::app("a", {"true"}), inside::list_of_apps(), inside::end_of_app("a")})
    EXPECT_EQ(come(request)->await_problem(), "409 not-for-this-backend");
  EXPECT_EQ(come(inside::exec({"true"}))->await_end(), 0);
}

TEST_F(InsideServiceOfProcesses, CountsWhatEndsWithThem) {
  const TempFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path);
  inside::HelperProcess helper;
  std::filesystem::current_path(before);
  serve({helper.door}, kChannelsOpenMax, false);
  const auto asker = come(inside::losses());
  asker->finish();
  EXPECT_EQ(asker->await_end(), 0) << asker->await_problem();
  ASSERT_TRUE(asker->loss_sum.has_value());
  EXPECT_EQ(asker->loss_sum->files, 0u);
  EXPECT_TRUE(asker->loss_sum->complete);
}

class InsideServiceOfMany : public InsideRig {
 public:
  static constexpr int kKernels = 10, kShells = 50;  // of each
  InsideServiceOfMany() {
    std::vector<std::string> doors;
    for (const auto& helper : helpers) doors.push_back(helper.door);
    serve(doors);
  }

 protected:
  std::array<inside::HelperProcess, kKernels> helpers;
};

TEST_F(InsideServiceOfMany, HasFiveHundredShellsAtOnce) {
  std::vector<std::unique_ptr<Asker>> askers;
  for (int i = 0; i < kKernels * kShells; ++i)
    askers.push_back(come(inside::shell("s" + std::to_string(i / kKernels)), 1 + i % kKernels));
  for (const auto& asker : askers) ASSERT_TRUE(asker->await_begun()) << asker->await_problem();
  EXPECT_EQ(server->counts().streams, askers.size());
  EXPECT_EQ(server->counts().connections, 1u);
  for (std::size_t i = 0; i < askers.size(); ++i) askers[i]->type("echo at-$((" + std::to_string(i) + "))\n");
  for (std::size_t i = 0; i < askers.size(); ++i)
    EXPECT_TRUE(askers[i]->await_out("at-" + std::to_string(i) + "\r\n")) << askers[i]->out;
  EXPECT_TRUE(until([&] { return server->counts().buffered == 0; })) << "idle streams hold nothing";
  askers.clear();
  EXPECT_TRUE(until([&] { return server->counts().streams == 0; }));
}

// Behind its door a program of the kernel's root has taken the helper's place.
class InsideServiceOfALiar : public InsideRig {
 public:
  InsideServiceOfALiar() { serve({door, folder.path + "/no-door", ""}); }

 protected:
  // What the asker hears when this comes out of the kernel, and is no helper's answer, or the helper's last.
  std::unique_ptr<Asker> hear(std::string_view said) {
    auto asker = come(inside::exec({"true"}));
    Descriptor channel;
    EXPECT_TRUE(until([&] {
      channel = Descriptor(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
      return static_cast<bool>(channel);
    }));
    EXPECT_EQ(send(channel.get(), said.data(), said.size(), MSG_NOSIGNAL), static_cast<ssize_t>(said.size()));
    shutdown(channel.get(), SHUT_WR);
    asker->await([&] { return asker->over; });
    EXPECT_EQ(asker->status, 200);
    EXPECT_FALSE(asker->garbled);
    return asker;
  }

  TempFolder folder;
  const std::string door = folder.path + "/door";
  Descriptor listening = shim::make_door(door);
};

TEST_F(InsideServiceOfALiar, WhatIsNoAnswerIsNotPassedOn) {
  const std::string begun = frame(FrameType::kBegun, encode(inside::Begun{}));
  for (const std::string& said :
       {frame(FrameType::kIn, "typed"), frame(FrameType::kRequest, "x"), frame(static_cast<FrameType>(99)),
        frame(FrameType::kBegun, "rubbish"), frame(FrameType::kEnded, "v=1\ncode=300\nend=\n"),
        frame(FrameType::kShell, "v=1\nname=../x\nend=\n"), frame(FrameType::kLost, "v=1\nbytes=-1\nend=\n"),
        frame(FrameType::kLossSum, "v=1\nfiles=-1\nend=\n"), frame(FrameType::kLoss, "v=1\nbytes=1\nend=\n"),
        frame(FrameType::kError, "v=1\ncode=\x1b[2J\nend=\n"), std::string("\xff\xff\xff\xff\x11")}) {
    const auto asker =
        hear(begun + frame(FrameType::kOut, "before") + said + frame(FrameType::kOut, "behind"));
    EXPECT_EQ(asker->await_problem(), "helper-garbled");
    EXPECT_EQ(asker->out, "before");
  }
}

TEST_F(InsideServiceOfALiar, ItsTextsAreMadePrintableAndNothingFollowsTheLastAnswer) {
  const std::string steering = frame(FrameType::kError, "v=1\ncode=some-code\nmessage=a\x1b[2Jb\nend=\n");
  const auto asker = hear(steering + steering + frame(FrameType::kOut, "behind"));
  EXPECT_EQ(asker->await_problem(), "some-code");
  EXPECT_EQ(asker->problem->message, "a?[2Jb");
  EXPECT_EQ(asker->out, "");
}

TEST_F(InsideServiceOfALiar, AnEndWithoutALastAnswerIsAProblem) {
  EXPECT_EQ(hear(frame(FrameType::kOut, "some"))->out, "some");
  EXPECT_EQ(hear(frame(FrameType::kOut, "some").substr(0, 7))->await_problem(), "channel-closed");
  EXPECT_EQ(hear("")->await_problem(), "channel-closed");
}

TEST_F(InsideServiceOfALiar, AKernelThatCannotBeEnteredIsRefused) {
  EXPECT_EQ(come(inside::exec({"true"}), 2)->await_problem(), "409 kernel-not-open");
  EXPECT_EQ(come(inside::exec({"true"}), 3)->await_problem(), "409 kernel-not-open");
  EXPECT_EQ(come(inside::exec({"true"}), 4)->await_problem(), "404 unknown-kernel");
}

TEST_F(InsideServiceOfALiar, OneAtWhoseDoorTooManyWaitIsBusy) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  std::vector<Descriptor> waiting;
  do waiting.push_back(shim::knock(door));
  while (waiting.back());
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(come(inside::exec({"true"}))->await_problem(), "503 kernel-busy");
}

TEST_F(InsideServiceOfALiar, AnAgentWithoutDescriptorsIsBusy) {
  auto asker = come();  // the connection is there already
  ASSERT_TRUE(until([&] { return server->counts().streams == 1; }));
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int next = dup(0);
  close(next);
  const rlimit none{static_cast<rlim_t>(next), before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  asker->ask(inside::exec({"true"}));
  EXPECT_EQ(asker->await_problem(), "503 agent-busy");
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace berth::agents
