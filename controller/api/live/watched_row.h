// What a stream of rows carries: the tables that may be watched, and rows of them as of one position.
#pragma once

#include <array>
#include <bitset>
#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/api/http/http.h"
#include "controller/api/map/session_json.h"
#include "controller/api/map/slot_amounts.h"
#include "events/log/event_log.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

enum class WatchedTable : std::uint8_t {
  kSessions,
  kAgents,
  kGroups,
  kImages,
  kPresets,
  kSlots,
  kUsers,
  kProjects,
  kDomains,
  kKeys,
  kLimits,
  kBrowserSessions,
};
inline constexpr std::array<std::string_view, 12> kWatchedTables = {
    "sessions", "agents",   "groups",  "images", "presets", "slots",
    "users",    "projects", "domains", "keys",   "limits",  "browser_sessions"};
using WatchedTables = std::bitset<kWatchedTables.size()>;

inline std::string_view name_of(WatchedTable table) {
  return kWatchedTables[static_cast<std::size_t>(table)];
}
using RowKey = std::pair<WatchedTable, std::string>;

// Whom a row concerns, as projections::may() asks it.
struct Audience {
  bool everybody = false;
  std::vector<v1::Owner> owners;
  void add(const Audience& other);
};

// A session with its kernels, apart from the state.
struct SessionCopy {
  projections::SessionRow session;
  std::vector<projections::KernelRow> kernels;
  std::vector<projections::FolderRow> folders;  // of its mounts, in their order; without an id: gone
  projections::SessionShareRow shares;          // none if nobody has any
  projections::AutomaticFolder automatic_folder = projections::AutomaticFolder::kUnknown;
  std::optional<projections::GoneAgent> gone_agent = std::nullopt;
};

// A row as of its batch's position. Its bytes are made once, by the first watcher that needs them.
class WatchedRow {
 public:
  WatchedRow(RowKey key, Offset position) : key_(std::move(key)), position_(position) {}

  WatchedTable table() const { return key_.first; }
  const RowKey& key() const { return key_; }
  bool is_there() const { return session || json; }

  // Of the row as everybody who sees all of it gets it.
  const Frame& put(const SlotKinds& kinds) const;
  // Of a session, as the actor sees it: without which one it was preempted for (session_lookup.h), without
  // names of folders and without its shares, where those are not the actor's to see.
  Frame put_for(const SlotKinds& kinds, const projections::Actor& actor) const;
  // Whether a session is to be shown to the actor by put_for().
  bool differs_for(const projections::Actor& actor) const;
  // Of another form of the row.
  Frame put(const boost::json::object& row) const;
  const Frame& gone() const;

  std::unique_ptr<const SessionCopy> session;
  std::optional<boost::json::object> json;           // of other tables
  std::string group;                                 // of agents
  std::vector<projections::OwnerPtr> kernel_owners;  // of agents, one for each of the JSON's kernels
  Audience audience;                                 // of other tables than sessions
  Audience before;                                   // who saw it until now, where that may differ

 private:
  Frame encode_session(const SlotKinds& kinds, SessionExtras extras) const;
  // `row`: JSON; empty: there is none.
  Frame encode(const char* event, std::string_view row) const;

  const RowKey key_;
  const Offset position_;
  mutable std::once_flag put_once_, gone_once_;
  mutable Frame put_, gone_;
};

// Somebody's rights are not what they were: that one's streams end.
struct RightsChange {
  enum class Of : std::uint8_t { kUser, kKey, kBrowserSession, kNotAll, kEverybody };
  Of of = Of::kEverybody;  // kNotAll: whoever does not see all groups
  std::string id;
  Code code;
};

// All rows that changed since the batch before, as of `position`.
struct RowBatch {
  std::uint64_t number = 0;
  Offset position = 0;
  bool complete = true;  // false: a row that changed was told a moment ago, and comes with the next batch
  SlotKinds kinds;
  std::vector<std::unique_ptr<WatchedRow>> sessions;
  std::map<std::string, std::vector<const WatchedRow*>> sessions_of_user;
  std::map<std::pair<std::string, std::string>, std::vector<const WatchedRow*>>
      sessions_of_project;  // domain, project
  std::map<projections::SessionShare, std::vector<const WatchedRow*>>
      sessions_shared;  // with whom they are, or were until now
  std::vector<std::unique_ptr<WatchedRow>> others;
  std::vector<RightsChange> changes;
  std::size_t rows() const { return sessions.size() + others.size(); }
};

}  // namespace berth::controller::api
