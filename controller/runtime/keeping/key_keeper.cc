#include "controller/runtime/keeping/key_keeper.h"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "controller/api/keeping/seal_key_place.h"
#include "controller/runtime/cluster_identity.h"

namespace berth::controller {
namespace {

constexpr auto kSyncEvery = std::chrono::seconds(1);
constexpr Duration kAskAgain = 30 * kSecond;  // where the state does not have what was said
constexpr Duration kSayAgain = 22 * kHour;    // within kSealerHeard

}  // namespace

void KeyKeeper::start() {
  sync();
  {
    const std::lock_guard lock(ring_mutex_);
    ring_.seal_with_newest();
  }
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "key-keeper");
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kSyncEvery, [this] { return stopping_; })) {
      lock.unlock();
      sync();
      lock.lock();
    }
  });
}

void KeyKeeper::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

// Whoever destroys a key has resealed what lives with a newer one, which every server can open by then: what
// this server seals from here on is to open too.
void KeyKeeper::on_record(const v1::Record& record) {
  for (const v1::Event& event : record.events()) {
    if (event.has_seal_key_destroyed()) {
      const std::lock_guard lock(ring_mutex_);
      ring_.seal_with_newest();
    }
    if (event.has_seal_key_added()) {
      const auto& added = event.seal_key_added();
      if (const auto key = open(added.number(), added.key()); !key)
        spdlog::warn("sealing key {} of the log: {}", added.number(), to_string(key.error()));
    }
  }
}

void KeyKeeper::sync() {
  follow_file();
  std::vector<projections::SealKeyRow> rows;
  api_.with_state([&](const StateView& view) {
    for (const std::string& key : view.state.seal_keys.sorted_keys())
      rows.push_back(*view.state.seal_keys.find(key));
  });
  if (std::ranges::all_of(rows, [&](const auto& row) { return row.destroyed || is_learned(row); })) {
    const std::lock_guard lock(ring_mutex_);
    ring_.seal_with_newest();  // those of the file, of a second ago at the latest
  }
  for (const auto& row : rows)  // first: a key that is destroyed opens its successor's box
    if (!row.destroyed) learn(row);
  for (const auto& row : rows)
    if (row.destroyed) erase(row.number);
  say_what_seals();
}

// Once the key stands on this server's disk: the others may be destroyed then. Nobody waits for the answer:
// the state says whether it has come.
void KeyKeeper::say_what_seals() {
  const std::string server = api_.facts().controller;
  const std::uint32_t number = ring_.empty() ? 0 : ring_.newest().number();
  if (!in_file_.has(number)) return;
  const Timestamp boottime = api_.clock().now().boottime, now = api_.now();
  bool is_said = number == 0 || server.empty() || (asked_number_ == number && boottime - asked_ < kAskAgain);
  api_.with_state([&](const StateView& view) {
    const auto* row = view.state.sealers.find(server);
    is_said = is_said || view.state.epoch().epoch == 0 ||
              (row != nullptr && row->number == number && now - row->said_at < kSayAgain);
  });
  if (is_said) return;
  asked_ = boottime;
  asked_number_ = number;
  v1::Request request;
  request.set_id(std::string(api_.new_id().view()));
  request.set_actor("controller");
  stamp_times(api_, request);
  request.mutable_record_sealing()->mutable_sealing()->set_server(server);
  request.mutable_record_sealing()->mutable_sealing()->set_number(number);
  (void)api_.submit(request, [](const AppendResult&) {});
}

Result<std::string> KeyKeeper::open(std::uint32_t number, const v1::Sealed& box) {
  auto key = api_.passwords().open(api::seal_key_place(number), box);
  if (!key) return key;
  if (key->size() != kSealKeyBytes) return make_error("seal-broken", "it is no key");
  const std::lock_guard lock(ring_mutex_);
  ring_.set_to_open({number, *key});
  opened_[number] = *key;
  return key;
}

// The key as on_record() opened its box: the key that sealed the box may be destroyed by now.
std::optional<std::string> KeyKeeper::opened_before(std::uint32_t number) {
  const std::lock_guard lock(ring_mutex_);
  const auto known = opened_.find(number);
  return known == opened_.end() ? std::nullopt : std::optional(known->second);
}

bool KeyKeeper::is_learned(const projections::SealKeyRow& row) const {
  const auto known = learned_.find(row.number);
  return known != learned_.end() && known->second == row.key_box.SerializeAsString();
}

void KeyKeeper::learn(const projections::SealKeyRow& row) {
  if (is_learned(row)) return;
  const std::string name = "sealing key " + std::to_string(row.number);
  const auto opened = open(row.number, row.key_box);
  const auto key = opened ? std::optional(*opened) : opened_before(row.number);
  if (!key && !in_file_.has(row.number)) return warn_once(name + " of the log does not open", opened.error());
  if (key)
    if (const auto kept = store_sealing_key(file_, row.number, *key); !kept)
      return warn_once(name + " is not in " + file_, kept.error());
  learned_.insert_or_assign(row.number, row.key_box.SerializeAsString());
}

// The last key of the file stays until a newer one stands beside it.
void KeyKeeper::erase(std::uint32_t number) {
  if (erased_.contains(number)) return;
  if (const auto erased = erase_sealing_key(file_, number); !erased)
    return warn_once("sealing key " + std::to_string(number) + " is destroyed, and still stands in " + file_,
                     erased.error());
  {
    const std::lock_guard lock(ring_mutex_);
    ring_.erase(number);
    opened_.erase(number);
  }
  if (!ring_.has(number) && !in_file_.has(number)) erased_.insert(number);
}

void KeyKeeper::follow_file() {
  struct stat now {};
  if (::stat(file_.c_str(), &now) != 0) return;
  const std::string mark = std::to_string(now.st_ino) + "." + std::to_string(now.st_mtim.tv_sec) + "." +
                           std::to_string(now.st_mtim.tv_nsec) + "." + std::to_string(now.st_size);
  if (mark == seen_) return;
  auto identity = read_cluster_identity(file_);
  if (!identity) return warn_once(file_ + " has changed and cannot be read", identity.error());
  writers_.change(std::move(identity->writers));
  in_file_ = std::move(identity->sealing);
  seen_ = mark;
}

void KeyKeeper::warn_once(const std::string& what, const Error& error) {
  if (warned_.insert(what).second) spdlog::warn("{}: {}", what, to_string(error));
}

}  // namespace berth::controller
