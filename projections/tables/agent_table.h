// Agents: the worker nodes.
//
//   AgentEnrolled -> ENROLLED -- AgentJoined --> ALIVE <-- AgentJoined --+
//                                                 |  |                   |
//                                      AgentLost  |  | AgentLeft         |
//                                                 v  v                   |
//                                               LOST LEFT ---------------+
//
// An agent that is LOST frees kernels of sessions that may be requeued (P24). Its other kernels keep their
// slots until it joins again or is fenced. An agent that drains takes nothing new, nor does one whose last
// join said that it is unfit: it can start no kernel. Capacity is what the
// agent's last join said: a fact, never refused for amounts (P8).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "events/base/amount.h"
#include "events/base/clock.h"
#include "events/base/hash.h"
#include "events/base/uuid.h"
#include "projections/tables/position.h"

namespace berth::projections {

enum class AgentState : std::uint8_t { kEnrolled = 0, kAlive = 1, kLost = 2, kLeft = 3 };
const char* name_of(AgentState state);

struct SlotAmount {
  std::string slot;
  Amount amount = 0;
  bool operator==(const SlotAmount&) const = default;
  template <class V> void fields(V& v) {
    v(1, slot);
    v(2, amount);
  }
};

struct DeviceRow {
  std::string id;
  std::string model;
  std::vector<SlotAmount> slots;
  std::int32_t numa = 0;
  bool operator==(const DeviceRow&) const = default;
  template <class V> void fields(V& v) {
    v(1, id);
    v(2, model);
    v(3, slots);
    v(4, numa);
  }
};

// A volume that an agent has (folder_table.h).
struct AgentVolume {
  VolumeId id;
  std::string name;
  bool operator==(const AgentVolume&) const = default;
  template <class V> void fields(V& v) {
    v(1, id);
    v(2, name);
  }
};

struct AgentRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 3;

  std::string name;
  std::uint32_t generation = 0;  // of the newest key enrolled; reports under older keys are dropped
  AgentState state = AgentState::kEnrolled;
  bool draining = false;
  Uuid incarnation;
  Uuid nonce;  // of the join that its snapshot answers
  std::string group;
  std::string architecture;
  std::vector<SlotAmount> slots;  // capacity that belongs to no device
  std::vector<DeviceRow> devices;
  std::string backend;
  std::uint32_t max_containers = 0;  // 0 = no limit
  std::string version;
  std::string address;         // host:port of its services
  std::int64_t joined_at = 0;  // header time, ns
  Position joined;
  bool fenced = false;             // an operator said that its kernels are gone; until the agent joins again
  Hash128 token_hash{};            // of the token that fetches its key once; zero: there is none
  std::int64_t token_expires = 0;  // header time, ns
  std::vector<AgentVolume> volumes;
  std::string unfit;          // why it can start no kernel, as its last join said; empty: it can
  std::int64_t lease_ms = 0;  // as its last join asked; see lease_of()
  Uuid boot_id;               // of its machine, since that started; nil: not told
  Timestamp gone_at = 0;      // it was recorded LOST or LEFT; 0: it is there

  // Whether new sessions may be placed on it.
  bool takes_sessions() const { return state == AgentState::kAlive && !draining && unfit.empty(); }
  bool is_gone() const { return state == AgentState::kLost || state == AgentState::kLeft; }
  bool has(const VolumeId& volume) const {
    return std::ranges::find(volumes, volume, &AgentVolume::id) != volumes.end();
  }
  Key key() const { return name; }
  template <class V> void fields(V& v) {
    v(1, name);
    v(2, generation);
    v(3, state);
    v(4, draining);
    v(5, incarnation);
    v(6, nonce);
    v(7, group);
    v(8, architecture);
    v(9, slots);
    v(10, devices);
    v(11, backend);
    v(12, max_containers);
    v(13, version);
    v(14, address);
    v(15, joined_at);
    v(16, joined);
    v(17, fenced);
    v(18, token_hash);
    v(19, token_expires);
    v(20, volumes);
    v(21, unfit);
    v(22, lease_ms);
    v(23, boot_id);
    v(24, gone_at);
  }
};

// The nonce of a join in the last kJoinKeptFor of header time: a join that is read again changes nothing
// (P1).
inline constexpr Duration kJoinKeptFor = 24 * kHour;  // part of the rules

struct JoinRow {
  using Key = std::string;  // agent, NUL, 16 bytes of nonce
  static constexpr std::uint8_t kTable = 23;

  std::string agent;
  Uuid nonce;
  Timestamp at = 0;  // header time

  static Key make_key(const std::string& agent, const Uuid& nonce) {
    return agent + '\0' + std::string(nonce.view());
  }
  Key key() const { return make_key(agent, nonce); }
  template <class V> void fields(V& v) {
    v(1, agent);
    v(2, nonce);
    v(3, at);
  }
};

// The newest order that each agent was sent (P21). The table is apart from agents because it changes with
// every placement.
struct OrderCursorRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 4;

  std::string agent;
  Position last;

  Key key() const { return agent; }
  template <class V> void fields(V& v) {
    v(1, agent);
    v(2, last);
  }
};

}  // namespace berth::projections
