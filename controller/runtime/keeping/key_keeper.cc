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

void KeyKeeper::on_record(const v1::Record& record) {
  for (const v1::Event& event : record.events())
    if (event.has_seal_key_added()) {
      const auto& added = event.seal_key_added();
      if (const auto key = open(added.number(), added.key()); !key)
        spdlog::warn("sealing key {} of the log: {}", added.number(), to_string(key.error()));
    }
}

void KeyKeeper::sync() {
  std::vector<projections::SealKeyRow> rows;
  api_.with_state([&](const StateView& view) {
    for (const std::string& key : view.state.seal_keys.sorted_keys())
      rows.push_back(*view.state.seal_keys.find(key));
  });
  if (std::ranges::all_of(rows,
                          [&](const auto& row) { return row.destroyed || learned_.contains(row.number); })) {
    const std::lock_guard lock(ring_mutex_);
    ring_.seal_with_newest();  // those of the file, of a second ago at the latest
  }
  for (const auto& row : rows) {
    if (row.destroyed)
      erase(row.number);
    else
      learn(row);
  }
  follow_file();
}

Result<std::string> KeyKeeper::open(std::uint32_t number, const v1::Sealed& box) {
  auto key = api_.passwords().open(api::seal_key_place(number), box);
  if (!key) return key;
  if (key->size() != kSealKeyBytes) return make_error("seal-broken", "it is no key");
  const std::lock_guard lock(ring_mutex_);
  ring_.add_to_open({number, *key});
  return key;
}

void KeyKeeper::learn(const projections::SealKeyRow& row) {
  if (learned_.contains(row.number)) return;
  const std::string name = "sealing key " + std::to_string(row.number);
  const auto key = open(row.number, row.key_box);
  // One that the file has needs no box: the key that sealed it may be destroyed by now.
  if (!key && !ring_.has(row.number)) return warn_once(name + " of the log does not open", key.error());
  if (key)
    if (const auto kept = store_sealing_key(file_, row.number, *key); !kept)
      return warn_once(name + " is not in " + file_, kept.error());
  learned_.insert(row.number);
}

void KeyKeeper::erase(std::uint32_t number) {
  if (erased_.contains(number)) return;
  if (const auto erased = erase_sealing_key(file_, number); !erased)
    return warn_once("sealing key " + std::to_string(number) + " is destroyed, and still stands in " + file_,
                     erased.error());
  {
    const std::lock_guard lock(ring_mutex_);
    ring_.erase(number);
  }
  if (!ring_.has(number)) erased_.insert(number);
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
  seen_ = mark;
}

void KeyKeeper::warn_once(const std::string& what, const Error& error) {
  if (warned_.insert(what).second) spdlog::warn("{}: {}", what, to_string(error));
}

}  // namespace berth::controller
