#include "events/rocks/full_disk.h"

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/listener.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "events/rocks/error_number.h"

namespace berth::rocks {
namespace {

constexpr int kWritesBetweenRenewals = 64;
constexpr std::chrono::milliseconds kFlushBegins{500};

class NoLogFile final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

class ResumeByHand final : public rocksdb::EventListener {
 public:
  // The database stops, as at a full disk, and what it has in memory is written anew by Resume(). Damage
  // stays final.
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override {
    stopped = true;
    using Reason = rocksdb::BackgroundErrorReason;
    if (reason == Reason::kWriteCallback || reason == Reason::kMemTable) let_flushes_begin();
    if (error->severity() > rocksdb::Status::Severity::kHardError && error_number(*error) != 0)
      *error = rocksdb::Status(*error, rocksdb::Status::Severity::kHardError);
  }
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status /*error*/,
                            bool* automatic) override {
    *automatic = false;
  }
  std::atomic<bool> stopped = false;
  std::atomic<rocksdb::DB*> db = nullptr;

 private:
  // Of a write that failed, before the database stops. A flush that the same write has scheduled and that
  // begins in a stopped database is forgotten: Resume() would wait for that flush for ever (7.8.3,
  // BackgroundFlush()).
  void let_flushes_begin() {
    rocksdb::DB* const waits = db;
    std::uint64_t pending = 0;
    for (auto left = kFlushBegins; waits != nullptr && left.count() > 0; --left) {
      if (!waits->GetAggregatedIntProperty(rocksdb::DB::Properties::kMemTableFlushPending, &pending) ||
          pending == 0)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};

constexpr std::chrono::seconds kResumeMost{60};

// Ends a Resume() that does not end. Where no thread can be had, nobody does.
class ResumeDeadline {
 public:
  explicit ResumeDeadline(rocksdb::DB& db) {
    try {
      thread_ = std::thread([this, &db] {
        std::unique_lock lock(mutex_);
        if (!ended_.wait_for(lock, kResumeMost, [this] { return done_; }))
          rocksdb::CancelAllBackgroundWork(&db, false);
      });
    } catch (const std::system_error&) {}
  }
  ~ResumeDeadline() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_one();
    if (thread_.joinable()) thread_.join();
  }
  ResumeDeadline(const ResumeDeadline&) = delete;
  ResumeDeadline& operator=(const ResumeDeadline&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

// Of a database with our options.
ResumeByHand* listener_of(const rocksdb::DB& db) {
  for (const auto& listener : db.GetDBOptions().listeners)
    if (auto* ours = dynamic_cast<ResumeByHand*>(listener.get())) return ours;
  return nullptr;
}

std::atomic<rocksdb::Env*> disk_for_tests = nullptr;

}  // namespace

void set_disk_for_tests(rocksdb::Env* disk) { disk_for_tests = disk; }

void outlive_full_disk(rocksdb::DBOptions& options) {
  if (rocksdb::Env* disk = disk_for_tests) options.env = disk;
  options.info_log = std::make_shared<NoLogFile>();
  options.listeners.push_back(std::make_shared<ResumeByHand>());
  options.avoid_flush_during_shutdown = true;  // the entry is not worth one
}

int open_files_max(int wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  return static_cast<int>(std::min<rlim_t>(static_cast<rlim_t>(wanted), limit.rlim_max / 8));
}

bool has_stopped(const rocksdb::DB& db) {
  const ResumeByHand* listener = listener_of(db);
  return listener != nullptr && listener->stopped;
}

void ResumeEntry::renew(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
  if (writes_left_-- > 0) return;
  if (ResumeByHand* listener = listener_of(db)) listener->db = &db;
  rocksdb::WriteOptions memory_only;
  memory_only.disableWAL = true;
  if (db.Put(memory_only, family, "resume", "").ok()) writes_left_ = kWritesBetweenRenewals;
}

rocksdb::Status ResumeEntry::resume(rocksdb::DB& db) {
  ResumeByHand* listener = listener_of(db);
  if (listener != nullptr) listener->stopped = false;  // first: the next error may come at once
  const ResumeDeadline deadline(db);
  const rocksdb::Status status = db.Resume();
  if (listener != nullptr && !status.ok()) listener->stopped = true;
  writes_left_ = 0;  // flushed with the rest
  return status;
}

}  // namespace berth::rocks
