// The whole agent on a log in memory and a fake backend, against a small leader.
#include "agents/runtime/agent_runtime.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <mutex>

#include "agents/kernel/fake_backend.h"
#include "events/base/hex.h"
#include "events/base/secrets.h"
#include "events/base/system_clock.h"
#include "tests/unit/agent_runtime/small_leader.h"
#include "tests/unit/agent_services/asker.h"

namespace berth::agents {
namespace {

class AgentRuntimeTest : public ::testing::Test {
 protected:
  AgentRuntimeTest() {
    cluster.bytes.fill(0xC1);
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    config.name = "a1";
    config.data = testing::TempDir() + "berth-agent-" + info->name();
    config.cpu = 4 * kUnit;
    config.mem = 8ll << 30;
    config.accelerator = "mock:1x2";
    config.times.beat_every = 50 * kMillisecond;
    config.times.retell_first = 200 * kMillisecond;
    std::filesystem::remove_all(config.data);
    leader = std::make_unique<SmallLeader>(log, cluster, "secret-of-the-cluster", "a1");
  }

 public:
  ~AgentRuntimeTest() override {
    agent.reset();
    std::filesystem::remove_all(config.data);
  }

 protected:
  void start() {
    AgentParts parts{log,
                     clock,
                     random,
                     disk_backend != nullptr ? *disk_backend : backend,
                     nullptr,
                     [this](LogLevel, const std::string& line) { say(line); },
                     [this](Instant now) {
                       if (mended.exchange(false)) backend.fail_starts({});
                       (disk_backend != nullptr ? *disk_backend : backend).pump(now);
                     },
                     {},
                     volumes.get(),
                     take_span};
    agent = std::make_unique<AgentRuntime>(config, leader->signer(), parts, "test");
    const auto started = agent->start();
    ASSERT_TRUE(started.ok()) << to_string(started.error());
  }
  void say(const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
  }
  bool run_until_joined() {
    return leader->run_until([&] { return agent->status().joined; });
  }
  static v1::Order start_order(std::vector<std::string> command) {
    v1::Order order;
    auto& start = *order.add_start();
    start.set_kernel_id(std::string(16, 'k'));
    start.set_attempt(1);
    start.set_session_id(std::string(16, 's'));
    start.set_role("main");
    start.set_index(1);
    for (auto& word : command) start.mutable_spec()->add_command(word);
    return order;
  }
  static v1::Order forget_order() {
    v1::Order order;
    order.add_forget()->set_kernel_id(std::string(16, 'k'));
    order.mutable_forget(0)->set_attempt(1);
    return order;
  }
  static KernelKey key() { return {KernelId(*Uuid::from_bytes(std::string(16, 'k'))), 1}; }

  Uuid cluster;
  AgentConfig config;
  ThreadedMemoryLog log;
  SystemClock clock;
  SystemRandom random;
  FakeBackend backend{{.disk = 100ll << 30}};
  FakeBackend* disk_backend = nullptr;  // instead of `backend`
  std::atomic<bool> mended = false;     // of `backend`, which the agent's strand has: its starts fail no more
  std::unique_ptr<SmallLeader> leader;
  std::unique_ptr<Volumes> volumes;  // null: none
  KernelSpans::Take take_span;       // empty: no spans are made
  std::unique_ptr<AgentRuntime> agent;
  std::mutex mutex;
  std::vector<std::string> lines;  // guarded
};

TEST_F(AgentRuntimeTest, JoinsWithWhatItHasAndBeatsOn) {
  start();
  ASSERT_TRUE(run_until_joined());
  ASSERT_TRUE(leader->run_until([&] { return leader->beats >= 3; }));
  const auto& joined = leader->joins.at(0).join().agent();
  EXPECT_EQ(joined.backend(), "fake");
  EXPECT_EQ(joined.slots(0).amount(), 4 * kUnit);
  EXPECT_EQ(joined.slots(1).amount(), (8ll << 30) - (512ll << 20));
  EXPECT_EQ(joined.devices(0).slots(0).amount(), 2 * kUnit);
  EXPECT_EQ(joined.address(), agent->address());
  EXPECT_EQ(leader->joins.size(), 1u);
}

TEST_F(AgentRuntimeTest, JoinsAsUnfitWhereNoKernelStartsAndAnewWhenOneDoes) {
  config.times.fitness.again_first = 200 * kMillisecond;
  backend.fail_starts(make_error("start-failed", "the runtime says no"));
  start();
  ASSERT_TRUE(leader->run_until([&] { return !leader->joins.empty(); }));
  EXPECT_EQ(leader->joins.at(0).join().agent().unfit(), "start-failed: the runtime says no");
  ASSERT_TRUE(
      leader->run_until([&] { return agent->status().unfit == "start-failed: the runtime says no"; }));
  mended = true;
  ASSERT_TRUE(leader->run_until([&] { return leader->joins.size() > 1; }));
  EXPECT_EQ(leader->joins.back().join().agent().unfit(), "");
  EXPECT_TRUE(leader->joins.back().join().kernels().empty()) << "a trial is nobody's kernel";
  EXPECT_EQ(agent->status().kernels_known, 0u);
}

TEST_F(AgentRuntimeTest, OffersTheDiskOfItsBackendAndNoMoreThanItIsTold) {
  const auto disk = [&] {
    start();
    EXPECT_TRUE(run_until_joined());
    const auto joined = leader->joins.back().join().agent();
    Amount found = 0;
    for (const auto& slot : joined.slots())
      if (slot.slot() == "disk") found = slot.amount();
    agent.reset();
    return found;
  };
  EXPECT_EQ(disk(), 100ll << 30);
  config.disk = 40ll << 30;
  EXPECT_EQ(disk(), 40ll << 30);
  config.disk = 400ll << 30;
  EXPECT_EQ(disk(), 100ll << 30);
  config.disk = 0;
  config.disk_per_kernel = 1ll << 30;
  EXPECT_EQ(disk(), 0) << "the operator bounds each kernel alone";
  config.disk = 40ll << 30;
  EXPECT_EQ(disk(), 40ll << 30);
}

TEST_F(AgentRuntimeTest, OffersLittleDiskOnlyWhenToldTo) {
  FakeBackend small{{.disk = 10ll << 30}};
  disk_backend = &small;
  start();
  ASSERT_TRUE(run_until_joined());
  EXPECT_EQ(leader->joins.back().join().agent().slots_size(), 2);
  agent.reset();
  config.disk = 8ll << 30;
  start();
  ASSERT_TRUE(run_until_joined());
  EXPECT_EQ(leader->joins.back().join().agent().slots(2).amount(), 8ll << 30);
  agent.reset();  // before its backend
}

class ChangingDisk final : public FakeBackend {
 public:
  Result<Amount> disk_capacity() override {
    if (disk < 0) return make_error("disk-full", "nothing is left");
    return Amount{disk};
  }
  std::atomic<Amount> disk = 100ll << 30;
};

TEST_F(AgentRuntimeTest, WhatIsGoneOfItsDiskIsNotOfferedAnyMore) {
  ChangingDisk machine;
  disk_backend = &machine;
  config.times.measure_disk_every = 20 * kMillisecond;
  config.times.join_pause = 0;
  start();
  ASSERT_TRUE(run_until_joined());
  const auto joins_with = [&](Amount disk) {
    machine.disk = disk;
    const std::size_t before = leader->joins.size();
    if (!leader->run_until([&] { return leader->joins.size() > before; })) return Amount{-1};
    for (const auto& slot : leader->joins.back().join().agent().slots())
      if (slot.slot() == "disk") return Amount{slot.amount()};
    return Amount{0};
  };
  EXPECT_EQ(joins_with(60ll << 30), 60ll << 30);
  machine.disk = (60ll << 30) + (2ll << 30);
  usleep(200'000);  // no join is to come in it
  EXPECT_EQ(leader->joins.size(), 2u) << "a little more is not worth a join";
  EXPECT_EQ(joins_with(-1), 0);
  EXPECT_EQ(joins_with(80ll << 30), 80ll << 30);
  ASSERT_TRUE(run_until_joined());
  agent.reset();  // before its backend
}

TEST_F(AgentRuntimeTest, TellsItsVolumesAndMakesAndRemovesFoldersThere) {
  std::filesystem::create_directories(config.data + "/v");
  auto opened = Volumes::open({{{"local", config.data + "/v"}}, false, 0},
                              {random, [](int) { return Result<void>(); }, {}});
  ASSERT_TRUE(opened.ok()) << to_string(opened.error());
  volumes = std::move(*opened);
  const VolumeId id = volumes->list()[0].id;
  v1::FolderOrder& first = *leader->snapshot.add_folders();
  first.set_folder(std::string(16, 'f'));
  first.set_volume(std::string(id.view()));
  start();
  ASSERT_TRUE(leader->run_until([&] { return !leader->folders.empty(); }));
  const auto& joined = leader->joins.at(0).join().agent();
  ASSERT_EQ(joined.volumes_size(), 1);
  EXPECT_EQ(joined.volumes(0).name(), "local");
  EXPECT_EQ(joined.volumes(0).id(), id.view());
  EXPECT_EQ(leader->folders.back().result(), v1::FOLDER_MADE);
  const std::string path = config.data + "/v/folders/66666666666666666666666666666666";
  EXPECT_TRUE(std::filesystem::exists(path));

  v1::Order order;
  *order.add_folders() = first;
  order.mutable_folders(0)->set_purge(true);
  leader->send(order);
  ASSERT_TRUE(leader->run_until([&] { return leader->folders.size() == 2; }));
  EXPECT_EQ(leader->folders.back().result(), v1::FOLDER_REMOVED);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(AgentRuntimeTest, AnOrderAboutAFolderWithoutVolumesIsAFactThatItFailed) {
  start();
  ASSERT_TRUE(run_until_joined());
  v1::Order order;
  order.add_folders()->set_folder(std::string(16, 'f'));
  order.mutable_folders(0)->set_volume(std::string(16, 'v'));
  leader->send(order);
  ASSERT_TRUE(leader->run_until([&] { return !leader->folders.empty(); }));
  EXPECT_EQ(leader->folders[0].result(), v1::FOLDER_FAILED);
  EXPECT_EQ(leader->folders[0].code(), "unknown-volume");
}

TEST_F(AgentRuntimeTest, StartsAKernelReportsItsLifeAndForgetsIt) {
  start();
  ASSERT_TRUE(run_until_joined());
  leader->send(start_order({"exit", "7"}));
  ASSERT_TRUE(leader->run_until_fact(v1::TERMINATED));
  EXPECT_EQ(leader->facts.back().end(), v1::EXITED);
  EXPECT_EQ(leader->facts.back().exit_code(), 7);
  const auto told = leader->facts.size();
  ASSERT_TRUE(leader->run_until([&] { return leader->facts.size() > told; }));  // again, until Forget
  leader->send(forget_order());
  ASSERT_TRUE(leader->run_until([&] { return agent->status().kernels_known == 0; }));
  agent.reset();
  EXPECT_EQ(backend.spec(key()), nullptr);
}

TEST_F(AgentRuntimeTest, AFailedAppendIsMadeAgainAndNothingIsLost) {
  start();
  ASSERT_TRUE(run_until_joined());
  leader->send(start_order({}));
  ASSERT_TRUE(leader->run_until_fact(v1::RUNNING));
  log.fail_appends(Stream::kReports, 3);
  v1::Order stop;
  stop.add_stop()->set_kernel_id(std::string(16, 'k'));
  stop.mutable_stop(0)->set_attempt(1);
  leader->send(std::move(stop));
  ASSERT_TRUE(leader->run_until_fact(v1::TERMINATED));
  EXPECT_EQ(agent->status().reports_failed, 3u);
}

TEST_F(AgentRuntimeTest, ACleanStopEndsKernelsIfAskedToAndLeaves) {
  config.end_kernels = true;
  start();
  ASSERT_TRUE(run_until_joined());
  leader->send(start_order({}));
  ASSERT_TRUE(leader->run_until_fact(v1::RUNNING));
  EXPECT_TRUE(agent->stop());
  ASSERT_TRUE(leader->run_until([&] { return leader->left; }));
  EXPECT_EQ(leader->facts.back().end(), v1::STOPPED);
  EXPECT_TRUE(backend.running().empty());
}

TEST_F(AgentRuntimeTest, KeptKernelsAreAdoptedByTheNextLife) {
  start();
  ASSERT_TRUE(run_until_joined());
  const v1::Order order = start_order({});
  leader->send(order);
  ASSERT_TRUE(leader->run_until_fact(v1::RUNNING));
  EXPECT_TRUE(agent->stop());
  agent.reset();
  EXPECT_EQ(backend.running().size(), 1u);
  *leader->snapshot.add_kernels()->mutable_start() = order.start(0);
  leader->snapshot.mutable_kernels(0)->set_started(true);
  start();
  ASSERT_TRUE(leader->run_until([&] { return leader->joins.size() == 2; }));
  ASSERT_EQ(leader->joins[1].join().kernels_size(), 1);
  EXPECT_EQ(leader->joins[1].join().kernels(0).state(), v1::RUNNING);
  ASSERT_TRUE(run_until_joined());
  EXPECT_EQ(agent->status().kernels_live, 1u);
  agent.reset();
  EXPECT_EQ(backend.runs(key()), 1u);
}

TEST_F(AgentRuntimeTest, ForgedOrdersAndAcksAreDroppedCountedAndSaid) {
  start();
  ASSERT_TRUE(run_until_joined());
  v1::Order forged = start_order({});
  forged.set_agent("a1");
  const Signer thief(cluster, "agent:a1", 1, std::string(32, 'x'));
  leader->append(orders_partition(log.layout(), "a1"),
                 thief.sign(Channel::kOrder, forged.SerializeAsString()));
  ASSERT_TRUE(leader->run_until([&] { return agent->status().payloads_dropped == 1; }));
  EXPECT_EQ(agent->status().kernels_known, 0u);
  const std::lock_guard lock(mutex);
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines.back().find("bad-signature"), std::string::npos);
}

TEST_F(AgentRuntimeTest, WaysIntoKernelsThatItHasAreAskedOfItsBackend) {
  start();
  ASSERT_TRUE(run_until_joined());
  tunnel::asio::io_context io;
  tunnel::Client client(boost::asio::make_strand(io), leader->signer(), agent->address());
  inside::Request request;
  request.args = {"true"};
  const auto refusal = [&] {
    Asker asker(io, client, "/kernels/" + to_string(key().kernel) + "/1/inside");
    return asker.ask(request).await_problem();
  };
  EXPECT_EQ(refusal(), "404 unknown-kernel");
  leader->send(start_order({}));
  ASSERT_TRUE(leader->run_until_fact(v1::RUNNING));
  EXPECT_EQ(refusal(), "409 kernel-not-open") << "nothing comes into kernels of the fake";
  client.stop();
  agent.reset();
  tunnel::run_until(io, [&] { return client.counts().connections == 0; });
}

TEST_F(AgentRuntimeTest, WhatItDoesForAnOrderIsSpansOfTheOrdersTrace) {
  std::vector<Span> spans;  // guarded by `mutex`
  take_span = [&](Span span) {
    const std::lock_guard lock(mutex);
    spans.push_back(std::move(span));
  };
  start();
  ASSERT_TRUE(run_until_joined());
  auto order = start_order({"true"});
  order.mutable_start(0)->set_trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  leader->send(order);
  ASSERT_TRUE(leader->run_until_fact(v1::TERMINATED));
  leader->send(forget_order());
  ASSERT_TRUE(leader->run_until([&] { return agent->status().kernels_known == 0; }));
  agent.reset();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].name, "start kernel");
  EXPECT_EQ(spans[1].name, "end kernel");
  EXPECT_EQ(to_hex(as_view(spans[0].parent)), "b7ad6b7169203331");
  EXPECT_GT(spans[0].begin, 0);
}

TEST_F(AgentRuntimeTest, NonsenseInTheConfigurationIsRefusedAtTheStart) {
  config.accelerator = "mock:0x2";
  AgentParts parts{log, clock, random, backend, nullptr, [](LogLevel, const std::string&) {}, {}};
  AgentRuntime broken(config, leader->signer(), parts, "test");
  const auto started = broken.start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, "invalid-accelerator");
}

}  // namespace
}  // namespace berth::agents
