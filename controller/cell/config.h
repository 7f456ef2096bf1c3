// What a controller is made with, and what it counts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "controller/cell/producer_refusal.h"
#include "events/base/clock.h"
#include "events/base/uuid.h"
#include "events/codec/chain_head.h"
#include "events/codec/environment_seal.h"
#include "events/log/event_log.h"
#include "events/schema/v1/request.pb.h"

namespace berth::placement {
class CustomPolicies;
}

namespace berth::controller {

struct ControllerConfig {
  Uuid cluster;
  std::string secret;            // the cluster's (P1)
  EnvironmentSeal environments;  // opens what an API server sealed (P29)
  WriterSecrets writers = {};    // of the keys of agents and producers; empty: the secret
  // Signs chain heads (ADR 0085); nothing: they are recorded unsigned.
  std::optional<HeadSigner> heads = std::nullopt;
  std::string head_seed;  // of the log's first head key, should this controller make it
  std::string name;       // of this controller, unique in the cluster
  // The boot id of this controller's machine: an agent of the same machine has the same clock, and confirms
  // nothing of that clock (P16). Nil: unknown.
  Uuid machine;
  LogLayout layout;
  bool stand_at_once = false;  // no other controller can be there (local log): do not wait for silence
  Duration heartbeat = 100 * kMillisecond;
  Duration silence = 600 * kMillisecond;  // T of P9
  Duration read_back = 5 * kSecond;       // D of P10
  Duration progress = kSecond;            // heartbeats stop when a record is in flight for longer (P20)
  Duration pass_interval = 10 * kSecond;
  Duration glance_every = 30 * kSecond;  // it compares what it read last with the log (P12, P13)
  std::int64_t learn_after = 100;  // sessions asked of a group before its selection policy learns from them
  std::size_t records_in_flight = 64;
  std::size_t bytes_in_flight = 8u << 20;
  std::size_t record_bytes = 64u << 10;  // a record is closed when it has grown to this
  // For groups with a custom selection policy; outlives the controller. Null: there are none.
  placement::CustomPolicies* policies = nullptr;
  // Tests and the simulator: a request for which a forbidden event is decided (P7). Never set in production.
  std::function<bool(const v1::Request&)> poison;
};

struct ControllerCounters {
  std::uint64_t requests = 0, reports = 0, dropped = 0, records = 0, events = 0, placements = 0, orders = 0,
                elections = 0, step_downs = 0, beats = 0, passes = 0, heads_signed = 0, heads_unsigned = 0;
  ProducerRefusals producers_refused;  // part of `dropped`, and those that were answered
};

// Numbers of the appends whose fate the controller is told of. They never repeat, whoever leads.
class Tickets {
 public:
  std::uint64_t next() { return ++last_; }

 private:
  std::uint64_t last_ = 0;
};

}  // namespace berth::controller
