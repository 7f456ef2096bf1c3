// Store: a projection's rows on disk, so that a restart need not fold the whole journal (P17, P18).
//
// One batch = the rows that changed, the chain points since the last batch, and the offset up to which they
// were folded: written atomically, never ahead of the records read back. A store may lag the journal, also
// after a crash of the machine: a restart then replays more. Implementations: memory (tests, simulator),
// rocks (RocksDB). One thread at a time, except what reads history.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/base/result.h"
#include "projections/fold/projection.h"
#include "projections/views/usage_rows.h"
#include "projections/views/view_reader.h"

namespace berth::projections {

// Of rows. A store of another schema is moved aside and rebuilt.
inline constexpr std::uint32_t kStoreSchema = 1;

struct StoreMeta {
  Uuid cluster;
  std::uint32_t schema = kStoreSchema;
  Offset next = 0;  // journal records [0, next) are folded in
  Hash256 rolling{};
  Hash128 state_hash{};
};

struct StoreBatch {
  StoreMeta meta;
  std::vector<RowChange> rows;        // in this order: a key may be deleted and put again
  std::vector<ChainPoint> chain;      // since the last batch, in offset order, meta's own point last
  std::vector<HistoryEntry> history;  // sessions that left the state
  std::uint64_t events = 0;           // that were folded since the last batch
  std::vector<ViewRow> views;         // in this order: a key may be put twice
};

struct LoadedRow {
  std::uint8_t table;
  std::string_view key;
  std::string_view bytes;
};

// One page of ended sessions, newest first.
struct HistoryPage {
  std::vector<HistoryEntry> entries;
  std::string next_token;  // empty: no more; printable
};

class Store : public ViewReader {
 public:
  // Codes: disk-full (nothing was written; try again), store-failed (stop applying).
  virtual Result<void> write(const StoreBatch& batch) = 0;
  // Sets a copy of the store aside for reset(). Checkpoints are disposable. Codes: those of write().
  virtual Result<void> checkpoint() = 0;
  // Replaces the store by the newest checkpoint at an offset <= `not_after`, or by an empty one. Code:
  // store-failed.
  virtual Result<void> reset(Offset not_after) = 0;
  // nullopt: the store is empty. Codes: store-corrupt, store-schema.
  virtual Result<std::optional<StoreMeta>> read_meta() = 0;
  virtual Result<void> read_rows(const std::function<bool(const LoadedRow&)>& row) = 0;
  // The window's points in offset order; the last is meta's.
  virtual Result<std::deque<ChainPoint>> read_chain() = 0;

  // Sessions in history that ended before `time` are in no answer from here on; prune() removes some of them
  // at a time, and returns whether more are left. 0: all are kept. Codes of prune(): those of write().
  virtual void keep_history_from(Timestamp time) = 0;
  virtual Result<bool> prune() = 0;

  // Sessions that left the state. `token`: the previous page's next_token, or empty. Codes: store-corrupt,
  // store-failed, invalid-token. Thread-safe.
  virtual Result<std::optional<HistoryEntry>> find_history(const SessionId& id) const = 0;
  virtual Result<HistoryPage> read_history(std::size_t limit, const std::string& token) const = 0;
  // The session of that name whose end is the newest; `user` empty: of anybody. Codes, threads: as above.
  virtual Result<std::optional<HistoryEntry>> find_history_by_name(const std::string& user,
                                                                   const std::string& name) const = 0;
};

// A projection with all rows of the store and a verified hash, or a fresh one if the store is empty. Codes:
// store-corrupt (a row does not decode, or the hash differs), other-cluster, store-schema.
Result<std::unique_ptr<Projection>> load_projection(Store& store, const Uuid& cluster,
                                                    const JournalTrust& trust);

}  // namespace berth::projections
