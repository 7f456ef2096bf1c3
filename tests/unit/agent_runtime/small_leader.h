// Just enough of a leader for tests of the agent's runtime: reads reports and beats, sends orders and acks.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "events/codec/ack_mac.h"
#include "events/codec/signing.h"
#include "events/log/orders_partition.h"
#include "events/schema/v1/order.pb.h"
#include "events/schema/v1/report.pb.h"
#include "tests/support/log/threaded_memory_log.h"
#include "tests/support/record_codes.h"

namespace berth::agents {

class SmallLeader {
 public:
  SmallLeader(EventLog& log, const Uuid& cluster, const std::string& secret, std::string agent)
      : log_(log), verifier_(cluster, secret), cluster_(cluster), agent_(std::move(agent)) {
    election_.bytes.fill(0xE1);
    auto reader =
        log_.open_reader({{reports_partition(log_.layout(), agent_), 0}, {{Stream::kHealth, 0}, 0}});
    reader_ = std::move(reader.value());
  }

  // Reads on until `done`, answering joins with `snapshot` and beats with acks. False when nothing comes for
  // 10 s.
  bool run_until(const std::function<bool()>& done) {
    while (!done()) {
      std::vector<LogEntry> entries;
      const auto polled = reader_->poll(10 * kSecond, 100, 1 << 20, entries);
      if (!polled || entries.empty()) return false;
      for (const LogEntry& entry : entries)
        entry.partition.stream == Stream::kHealth ? take_beat(entry) : take_report(entry);
    }
    return true;
  }
  bool run_until_fact(v1::KernelState state) {
    return run_until([&] { return !facts.empty() && facts.back().state() == state; });
  }

  void send(v1::Order order) {
    order.set_agent(agent_);
    order.set_epoch(1);
    order.set_election_nonce(std::string(election_.view()));
    order.mutable_previous()->set_epoch(1);
    order.mutable_previous()->set_sequence(sequence_);
    if (!order.has_snapshot()) ++sequence_;
    order.mutable_position()->set_epoch(1);
    order.mutable_position()->set_sequence(sequence_);
    append(orders_partition(log_.layout(), agent_),
           signer().sign(Channel::kOrder, order.SerializeAsString()));
  }
  Signer signer() { return {cluster_, "agent:" + agent_, 1, verifier_.key_of("agent:" + agent_, 1)}; }
  void append(Partition partition, std::string payload) {
    log_.append(partition, agent_, std::move(payload), {});
  }

  std::vector<v1::Report> joins;
  std::vector<v1::KernelFact> facts;
  std::vector<v1::FolderFact> folders;
  v1::Snapshot snapshot;  // what a join is answered with
  std::uint64_t beats = 0;
  bool left = false;

 private:
  void take_report(const LogEntry& entry) {
    const auto envelope = verifier_.open(Channel::kReport, entry.payload);
    ASSERT_TRUE(envelope.ok());
    v1::Report report;
    ASSERT_TRUE(report.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())));
    facts.insert(facts.end(), report.facts().begin(), report.facts().end());
    folders.insert(folders.end(), report.folders().begin(), report.folders().end());
    left |= report.leaving();
    if (!report.has_join()) return;
    joins.push_back(report);
    v1::Order order;
    *order.mutable_snapshot() = snapshot;
    order.mutable_snapshot()->set_join_nonce(report.join().nonce());
    send(std::move(order));
  }
  void take_beat(const LogEntry& entry) {
    const auto envelope = verifier_.open(Channel::kBeat, entry.payload);
    if (!envelope) return;  // an ack of our own
    v1::Beat beat;
    ASSERT_TRUE(beat.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())));
    ++beats;
    v1::Acks acks;
    acks.set_epoch(1);
    acks.set_election_nonce(std::string(election_.view()));
    auto& ack = *acks.add_acks();
    ack.set_agent(agent_);
    ack.set_incarnation(beat.incarnation());
    ack.set_counter(beat.counter());
    ack.mutable_last_order()->set_epoch(1);
    ack.mutable_last_order()->set_sequence(sequence_);
    ack.set_mac(std::string(as_view(ack_mac(signer().key(), cluster_, acks, ack))));
    append({Stream::kHealth, 0}, make_envelope(cluster_, acks.SerializeAsString()));
  }

  EventLog& log_;
  Verifier verifier_;
  Uuid cluster_;
  std::string agent_;
  Uuid election_;
  std::unique_ptr<LogReader> reader_;
  std::uint64_t sequence_ = 10;
};

}  // namespace berth::agents
