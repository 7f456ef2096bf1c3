// State: all tables of one cell and what is derived from them. It is the fold of the journal: fold.h alone
// writes to it.
//
// A copy is a snapshot, and nobody listens to it. Not thread-safe: readers of a State that is being folded
// hold its owner's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "projections/tables/agent_table.h"
#include "projections/tables/day_usage_table.h"
#include "projections/tables/definition_tables.h"
#include "projections/tables/epoch_table.h"
#include "projections/tables/folder_table.h"
#include "projections/tables/identity_tables.h"
#include "projections/tables/keeping_table.h"
#include "projections/tables/kernel_table.h"
#include "projections/tables/parts/spec_pool.h"
#include "projections/tables/request_mix_table.h"
#include "projections/tables/request_table.h"
#include "projections/tables/selection_table.h"
#include "projections/tables/session_share_table.h"
#include "projections/tables/session_table.h"
#include "projections/tables/state_indexes.h"
#include "projections/tables/table.h"

namespace berth::projections {

// The rows of a State and what is derived from them: all that a snapshot has.
class StateRows {
 public:
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
  Table<JoinRow> joins;
  Table<RetiredRow> retired;
  Table<PasswordRow> passwords;
  Table<LoginLinkRow> login_links;
  Table<BrowserSessionRow> browser_sessions;
  Table<UnreachableRow> unreachable;
  Table<FolderRow> folders;
  Table<VolumeRow> volumes;
  Table<SessionShareRow> session_shares;
  Table<HeadRow> heads;
  Table<KeepingRow> keeping;
  Table<SealKeyRow> seal_keys;
  Table<SealerRow> sealers;
  Table<ProducerRow> producers;

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
    f(self.joins);
    f(self.retired);
    f(self.passwords);
    f(self.login_links);
    f(self.browser_sessions);
    f(self.unreachable);
    f(self.folders);
    f(self.volumes);
    f(self.session_shares);
    f(self.heads);
    f(self.keeping);
    f(self.seal_keys);
    f(self.sealers);
    f(self.producers);
  }

 protected:
  StateIndexes indexes_;
  SpecPool pool_;
};

class State : public StateRows {
 public:
  State() { wire(); }
  State(const State& other) : StateRows(other) { wire(); }
  State& operator=(const State&) = delete;

  // The log's own row; a fresh state has epoch 0.
  const EpochRow& epoch() const;
  std::uint64_t next_input(const std::string& partition) const;
  // How the cluster is kept; that of a cluster for which nobody has said it is empty.
  const KeepingRow& kept() const;
  // The attempt of the session's next placement. No attempt from before a restore comes again (P35).
  std::uint32_t next_attempt(const SessionRow& session) const;

  const Occupancy& occupancy() const { return indexes_.occupancy; }
  // What the sessions of each scope of limits hold and wait for.
  const UsageBook& usage() const { return indexes_.usage; }
  const GroupSlots& group_slots(const std::string& group) const;
  const Timers& timers() const { return indexes_.timers; }
  const TimeQueue<SessionId>& ended() const { return indexes_.ended; }
  const TimeQueue<std::string>& answered() const { return indexes_.answered; }
  const TimeQueue<std::string>& joined() const { return indexes_.joined; }
  // The user's live session of that name: names of live sessions are unique per user.
  const SessionRow* find_live(const std::string& user, const std::string& name) const;
  // Kernels that hold slots on an agent, in id order.
  const std::set<KernelId>& kernels_on(const std::string& agent) const;
  // PENDING and RESERVED sessions in arrival order.
  const std::set<std::pair<Position, SessionId>>& pending() const { return indexes_.pending; }
  // RESERVED sessions, in id order.
  const std::set<SessionId>& reserved() const { return indexes_.reserved; }
  // PENDING sessions that wait for this session to end in SUCCESS.
  const std::set<SessionId>& dependents(const SessionId& session) const;

  // The owner's folder of that name, outside the trash. The owner as FolderRow::owner().
  const FolderRow* find_folder(const v1::Owner& owner, const std::string& name) const;
  // Folders of an owner, purged ones apart, in id order.
  const std::set<FolderId>& folders_of(const v1::Owner& owner) const;
  // Folders of a volume that are CREATING or PURGING, in id order.
  const std::set<FolderId>& folders_to_do(const VolumeId& volume) const;
  // Folders in the trash, by the time from which they are purged.
  const TimeQueue<FolderId>& trashed() const { return indexes_.trashed; }
  // Sessions that have not ended and mount the folder, in id order.
  const std::set<SessionId>& mounted_by(const FolderId& folder) const;

  SpecPtr share(const v1::SessionSpec& spec) { return pool_.share(spec); }
  OwnerPtr share(const v1::Owner& owner) { return pool_.share(owner); }
  bool is_retired(v1::DefinitionKind kind, std::string_view name) const {
    return retired.find(RetiredRow::make_key(kind, name)) != nullptr;
  }
  // After load(): what comes next shares the specs and owners of the rows that were loaded.
  void adopt(const LoadedParts& parts) { pool_.adopt(parts); }

  void commit();
  void rollback();

  // From here on what changes in use is kept until it is taken (use_log.h).
  void follow_use() { indexes_.use_log.start(); }
  std::vector<UseChange> take_use() { return indexes_.use_log.take(); }

  // The listener is told of each change of the rows that it has an on_row(before, after) for, once the
  // indexes follow. The scheduler's model follows the leader's state by this. A State has at most one
  // listener.
  template <class Listener> void set_listener(Listener* listener) {
    set_listener(nullptr);
    each_table(*this, [listener](auto& table) {
      using Row = typename std::remove_cvref_t<decltype(table)>::Row;
      if constexpr (requires(const Row* row) { listener->on_row(row, row); }) table.set_listener(listener);
    });
  }
  void set_listener(std::nullptr_t) {
    each_table(*this, [](auto& table) { table.clear_listener(); });
  }

 private:
  void wire();
};

}  // namespace berth::projections
