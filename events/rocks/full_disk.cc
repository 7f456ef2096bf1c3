#include "events/rocks/full_disk.h"

#include <rocksdb/env.h>
#include <rocksdb/listener.h>

#include <cstdarg>
#include <memory>

namespace berth::rocks {
namespace {

constexpr int kWritesBetweenRenewals = 64;

class NoLogFile final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

class ResumeByHand final : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status /*error*/,
                            bool* automatic) override {
    *automatic = false;
  }
};

}  // namespace

void outlive_full_disk(rocksdb::DBOptions& options) {
  options.info_log = std::make_shared<NoLogFile>();
  options.listeners.push_back(std::make_shared<ResumeByHand>());
  options.avoid_flush_during_shutdown = true;  // the entry is not worth one
}

void ResumeEntry::renew(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
  if (writes_left_-- > 0) return;
  rocksdb::WriteOptions memory_only;
  memory_only.disableWAL = true;
  if (db.Put(memory_only, family, "resume", "").ok()) writes_left_ = kWritesBetweenRenewals;
}

rocksdb::Status ResumeEntry::resume(rocksdb::DB& db) {
  const rocksdb::Status status = db.Resume();
  writes_left_ = 0;  // flushed with the rest
  return status;
}

}  // namespace berth::rocks
