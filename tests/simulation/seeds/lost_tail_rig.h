// A cluster whose journal loses its tail, without draws: one controller, a log without faults, and what a
// test does.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "events/codec/signing.h"
#include "events/schema/v1/request.pb.h"
#include "tests/simulation/checkers.h"
#include "tests/simulation/sim_agent.h"

namespace berth::simulation {

class LostTailRig : public ::testing::Test {
 protected:
  static constexpr Partition kJournal{Stream::kJournal, 0}, kRequests{Stream::kRequests, 0},
      kReports{Stream::kReports, 0};
  static constexpr Duration kTurn = 20 * kMillisecond;

  LostTailRig() {
    cluster.cluster = Rng(1).uuid();
    cluster.secret = std::string(32, 'k');
    cluster.layout.requests = cluster.layout.reports = cluster.layout.orders = 1;
    cluster.server = MemoryLogServer::create(cluster.layout, MemoryLogMode::kAutomatic);
    controller = std::make_unique<SimController>(cluster, "c1", 1, Hostility{});
  }

  void pass(Duration time) {
    for (const Timestamp until = now.boottime + time; now.boottime < until;) {
      now.wall += kTurn;
      now.boottime += kTurn;
      for (auto& [name, agent] : agents) agent->machine_turn(now);
      controller->turn({now, now.wall, now.wall});
      ASSERT_EQ(controller->failure(), "");
      for (auto& [name, agent] : agents) agent->turn(now);
    }
  }
  void put(const v1::Request& request) {
    const Signer signer(cluster.cluster, "api:test", 1, derive_key(cluster.secret, "api:test", 1));
    cluster.server->put(kRequests, signer.sign(Channel::kRequest, request.SerializeAsString()));
  }
  v1::Request made(const std::string& actor) {
    v1::Request request;
    request.set_id(std::string(Rng(++requests).uuid().view()));
    request.set_actor(actor);
    request.set_sent_ms(now.wall / kMillisecond);
    return request;
  }
  void enroll(const std::string& agent) {
    v1::Request request = made("controller");
    request.mutable_enroll_agent()->set_agent(agent);
    request.mutable_enroll_agent()->set_generation(1);
    put(request);
    pass(kSecond / 2);
  }
  void given_leader() {
    controller->start(now);
    pass(2 * kSecond);
    ASSERT_TRUE(controller->leading());
    enroll("a1");
    enroll("a2");
    ASSERT_TRUE(knows("a2"));
  }
  // Of the journal's newest `lost` offsets; `put` payloads that are no records follow in their place.
  void when_the_journal_loses(Offset lost, int put) {
    cluster.server->truncate(kJournal, end_of(kJournal) - lost);
    for (int i = 0; i < put; ++i) cluster.server->put(kJournal, "no record");
  }
  Offset end_of(const Partition& partition) const { return cluster.server->extent(partition).end; }
  bool knows(const std::string& agent) const { return controller->state()->agents.find(agent) != nullptr; }

  SimCluster cluster;
  std::unique_ptr<SimController> controller;
  std::map<std::string, std::unique_ptr<SimAgent>> agents;  // those that a test starts
  std::uint64_t requests = 0;
  Instant now{1'700'000'000 * kSecond, kSecond};
};

}  // namespace berth::simulation
