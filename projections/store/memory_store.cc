#include "projections/store/memory_store.h"

#include "events/base/checks.h"
#include "projections/store/history_codec.h"

namespace berth::projections {

Result<void> MemoryStore::write(const StoreBatch& batch) {
  if (failures_left_ > 0) {
    --failures_left_;
    return failure_;
  }
  ++writes_;
  for (const auto& change : batch.rows) {
    if (change.bytes)
      disk_.rows[{change.table, change.key}] = *change.bytes;
    else
      disk_.rows.erase({change.table, change.key});
  }
  for (const auto& point : batch.chain) disk_.chain[point.next] = point;
  while (!disk_.chain.empty() && disk_.chain.begin()->first + kChainWindow < batch.meta.next)
    disk_.chain.erase(disk_.chain.begin());
  for (const auto& entry : batch.history) {
    const std::string key = history_key(entry.session);
    disk_.history[key] = encode_history(entry);
    disk_.history_keys[entry.session.id] = key;
  }
  for (const auto& row : batch.views) disk_.views[row.key] = row.bytes;
  keep_history_from(keep_from_);
  disk_.meta = batch.meta;
  return {};
}

void MemoryStore::keep_history_from(Timestamp time) {
  keep_from_ = time;
  if (time == 0) return;
  for (auto it = disk_.history.upper_bound(last_kept_history_key(time)); it != disk_.history.end();
       it = disk_.history.erase(it))
    std::erase_if(disk_.history_keys, [&](const auto& known) { return known.second == it->first; });
}

Result<void> MemoryStore::checkpoint() {
  if (disk_.meta) checkpoints_[disk_.meta->next] = disk_;
  return {};
}

Result<void> MemoryStore::reset(Offset not_after) {
  const auto next = checkpoints_.upper_bound(not_after);
  checkpoints_.erase(next, checkpoints_.end());  // they are of another log, or wrong
  disk_ = checkpoints_.empty() ? Disk{} : checkpoints_.rbegin()->second;
  return {};
}

Result<void> MemoryStore::read_rows(const std::function<bool(const LoadedRow&)>& row) {
  for (const auto& [key, bytes] : disk_.rows)
    if (!row({key.first, key.second, bytes})) break;
  return {};
}

Result<std::deque<ChainPoint>> MemoryStore::read_chain() {
  std::deque<ChainPoint> points;
  for (const auto& [next, point] : disk_.chain) points.push_back(point);
  return points;
}

Result<std::optional<HistoryEntry>> MemoryStore::find_history(const SessionId& id) const {
  const auto key = disk_.history_keys.find(id);
  if (key == disk_.history_keys.end()) return std::optional<HistoryEntry>();
  auto entry = decode_history(disk_.history.at(key->second));
  if (!entry) return entry.error();
  return std::optional<HistoryEntry>(std::move(*entry));
}

Result<HistoryPage> MemoryStore::read_history(std::size_t limit, const std::string& token) const {
  auto it = disk_.history.begin();
  if (!token.empty()) {
    auto key = key_of_token(token);
    if (!key) return key.error();
    it = disk_.history.upper_bound(*key);
  }
  HistoryPage page;
  std::string last;
  for (; it != disk_.history.end() && page.entries.size() < limit; ++it) {
    auto entry = decode_history(it->second);
    if (!entry) return entry.error();
    page.entries.push_back(std::move(*entry));
    last = it->first;
  }
  if (it != disk_.history.end() && !last.empty()) page.next_token = history_token(last);
  return page;
}

Result<std::optional<HistoryEntry>> MemoryStore::find_history_by_name(const std::string& user,
                                                                      const std::string& name) const {
  for (const auto& [key, bytes] : disk_.history) {  // newest end first
    auto entry = decode_history(bytes);
    if (!entry) return entry.error();
    const SessionRow& session = entry->session;
    if (session.name == name && (user.empty() || session.owner->owner.user() == user))
      return std::optional<HistoryEntry>(std::move(*entry));
  }
  return std::optional<HistoryEntry>();
}

Result<void> MemoryStore::scan_views(std::string_view from, const OnRow& row) const {
  for (auto it = disk_.views.lower_bound(from); it != disk_.views.end(); ++it)
    if (!row(it->first, it->second)) break;
  return {};
}

Result<std::optional<std::string>> MemoryStore::last_view_before(std::string_view key) const {
  const auto it = disk_.views.lower_bound(key);
  if (it == disk_.views.begin()) return std::optional<std::string>();
  return std::optional<std::string>(std::prev(it)->first);
}

void MemoryStore::fail_writes(Error error, int times) {
  failure_ = std::move(error);
  failures_left_ = times;
}

void MemoryStore::damage_a_row() {
  BERTH_CHECK(!disk_.rows.empty(), "nothing to damage");
  std::string& bytes = disk_.rows.begin()->second;
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x20);
}

}  // namespace berth::projections
