// State: all tables of one cell and what is derived from them. A fold of the journal (fold.h is the only
// writer).
//
// Copyable: a copy is a snapshot. Not thread-safe: readers of a State that is being folded hold its owner's
// lock.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "projections/tables/agent_table.h"
#include "projections/tables/day_usage_table.h"
#include "projections/tables/definition_tables.h"
#include "projections/tables/epoch_table.h"
#include "projections/tables/group_slots.h"
#include "projections/tables/kernel_table.h"
#include "projections/tables/occupancy.h"
#include "projections/tables/request_mix_table.h"
#include "projections/tables/request_table.h"
#include "projections/tables/selection_table.h"
#include "projections/tables/session_table.h"
#include "projections/tables/table.h"
#include "projections/tables/time_queue.h"
#include "projections/tables/timer.h"
#include "projections/tables/usage_book.h"

namespace berth::projections {

// Told of each row's change, forwards and on undo. The leader's scheduler model follows the state this way.
class StateListener {
 public:
  virtual ~StateListener() = default;
  virtual void on_session(const SessionRow* before, const SessionRow* after) = 0;
  virtual void on_kernel(const KernelRow* before, const KernelRow* after) = 0;
  virtual void on_agent(const AgentRow* before, const AgentRow* after) = 0;
  virtual void on_group(const GroupRow* before, const GroupRow* after) = 0;
  virtual void on_slot_type(const SlotTypeRow* before, const SlotTypeRow* after) = 0;
  virtual void on_limit(const LimitRow* before, const LimitRow* after) = 0;
  virtual void on_day_usage(const DayUsageRow* /*before*/, const DayUsageRow* /*after*/) {}
  virtual void on_mix(const MixRow* /*before*/, const MixRow* /*after*/) {}
  virtual void on_learned(const LearnedRow* /*before*/, const LearnedRow* /*after*/) {}
};

class State {
 public:
  State();
  State(const State& other);
  State& operator=(const State&) = delete;

  Table<SessionRow> sessions;
  Table<KernelRow> kernels;
  Table<AgentRow> agents;
  Table<OrderCursorRow> order_cursors;
  Table<RequestRow> requests;
  Table<SlotTypeRow> slot_types;
  Table<GroupRow> groups;
  Table<DomainRow> domains;
  Table<ProjectRow> projects;
  Table<UserRow> users;
  Table<KeyPairRow> key_pairs;
  Table<ImageRow> images;
  Table<EpochRow> epochs;
  Table<InputRow> inputs;
  Table<QuarantineRow> quarantine;
  Table<LimitRow> limits;
  Table<PresetRow> presets;
  Table<TurnRow> turns;
  Table<DayUsageRow> day_usage;
  Table<ClassCountRow> class_counts;
  Table<MixRow> mixes;
  Table<LearnedRow> learned;

  // Calls f(table) for every table, in table-number order.
  template <class Self, class F> static void each_table(Self& self, F f) {
    f(self.sessions);
    f(self.kernels);
    f(self.agents);
    f(self.order_cursors);
    f(self.requests);
    f(self.slot_types);
    f(self.groups);
    f(self.domains);
    f(self.projects);
    f(self.users);
    f(self.key_pairs);
    f(self.images);
    f(self.epochs);
    f(self.inputs);
    f(self.quarantine);
    f(self.limits);
    f(self.presets);
    f(self.turns);
    f(self.day_usage);
    f(self.class_counts);
    f(self.mixes);
    f(self.learned);
  }

  // The log's own row; a fresh state has epoch 0.
  const EpochRow& epoch() const;
  std::uint64_t next_input(const std::string& partition) const;

  const Occupancy& occupancy() const { return occupancy_; }
  // What the sessions of each scope of limits hold and wait for.
  const UsageBook& usage() const { return usage_; }
  const GroupSlots& group_slots(const std::string& group) const;
  const Timers& timers() const { return timers_; }
  const TimeQueue<SessionId>& ended() const { return ended_; }
  const TimeQueue<std::string>& answered() const { return answered_; }
  // Live session of that user with that name (names are unique per user among live sessions).
  const SessionRow* find_live(const std::string& user, const std::string& name) const;
  // Kernels that hold slots on an agent, in id order.
  const std::set<KernelId>& kernels_on(const std::string& agent) const;
  // PENDING and RESERVED sessions in arrival order.
  const std::set<std::pair<Position, SessionId>>& pending() const { return pending_; }
  // RESERVED ones, in id order.
  const std::set<SessionId>& reserved() const { return reserved_; }
  // PENDING sessions that wait for this one to end in SUCCESS.
  const std::set<SessionId>& dependents(const SessionId& session) const;

  SpecPtr share(const v1::SessionSpec& spec);
  OwnerPtr share(const v1::Owner& owner);
  // After load(): rows read back share specs and owners again, kernels find theirs.
  void finish_load();

  void commit();
  void rollback();
  void set_listener(StateListener* listener) { listener_ = listener; }

 private:
  void wire();
  void session_changed(const SessionRow* before, const SessionRow* after);
  void kernel_changed(const KernelRow* before, const KernelRow* after);
  void agent_changed(const AgentRow* before, const AgentRow* after);
  void index_timers(const SessionRow* before, const SessionRow* after);
  void index_dependents(const SessionRow& session, bool add);
  void drop_unused_specs();

  Occupancy occupancy_;
  UsageBook usage_;
  std::unordered_map<std::string, GroupSlots> group_slots_;
  Timers timers_;
  TimeQueue<SessionId> ended_;
  TimeQueue<std::string> answered_;
  std::set<std::pair<Position, SessionId>> pending_;
  std::set<SessionId> reserved_;
  std::unordered_map<std::string, SessionId> live_names_;
  std::unordered_map<SessionId, std::set<SessionId>, UuidHash> dependents_;
  std::unordered_map<std::string, std::set<KernelId>> kernels_on_;
  // By protobuf's own bytes: quick to make, and equal ones mean equal messages. What is stored and hashed is
  // SharedSpec::bytes.
  std::unordered_map<std::string, SpecPtr> specs_;
  std::unordered_map<std::string, OwnerPtr> owners_;
  std::string scratch_;
  std::size_t specs_limit_ = 1024;  // unused ones are dropped when the pool has grown to this
  StateListener* listener_ = nullptr;
};

}  // namespace berth::projections
