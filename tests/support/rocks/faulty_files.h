// FaultyFiles: the machine's disk under RocksDB, with faults that a test turns on and off: as the machine
// says them, by errno.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "events/rocks/full_disk.h"

namespace berth::testing {

enum Op : unsigned {
  kOpen = 1,  // for writing
  kOpenToRead = 2,
  kAppend = 4,
  kSync = 8,
  kRename = 16,
  kRead = 32,
  kAllOps = 63,
};

// Databases that are opened while it lives have it as their disk. It outlives them.
class FaultyFiles final : public rocksdb::FileSystemWrapper {
 public:
  static std::shared_ptr<FaultyFiles> make() {
    auto files = std::make_shared<FaultyFiles>();
    files->env_ = rocksdb::NewCompositeEnv(std::shared_ptr<rocksdb::FileSystem>(files.get(), [](auto*) {}));
    rocks::set_disk_for_tests(files->env_.get());
    return files;
  }
  FaultyFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  ~FaultyFiles() override { rocks::set_disk_for_tests(nullptr); }
  const char* Name() const override { return "FaultyFiles"; }

  // From the operation after the next `after` ones on, each of `ops` fails.
  void fail(unsigned ops, int error, int after = 0) {
    error_ = error;
    left_ = after;
    ops_ = ops;
  }
  void heal() { ops_ = 0; }
  // Operations that failed so far.
  int failed() const { return failed_; }

  // As RocksDB's own: IOError() of env/io_posix.cc.
  rocksdb::IOStatus check(Op op, const std::string& file) {
    if ((ops_ & op) == 0 || left_-- > 0) return rocksdb::IOStatus::OK();
    ++failed_;
    const std::string context = "While doing " + std::to_string(op) + ": " + file;
    if (error_ == ESTALE) return rocksdb::IOStatus::IOError(rocksdb::IOStatus::kStaleFile);
    if (error_ != ENOSPC) return rocksdb::IOStatus::IOError(context, std::strerror(error_));
    auto full = rocksdb::IOStatus::NoSpace(context, std::strerror(error_));
    full.SetRetryable(true);
    return full;
  }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (auto failed = check(kOpen, name); !failed.ok()) return failed;
    auto opened = FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (opened.ok()) *file = std::make_unique<Written>(std::move(*file), name, *this);
    return opened;
  }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override {
    if (auto failed = check(kOpenToRead, name); !failed.ok()) return failed;
    auto opened = FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
    if (opened.ok()) *file = std::make_unique<ReadAt>(std::move(*file), name, *this);
    return opened;
  }
  rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* debug) override {
    if (auto failed = check(kOpenToRead, name); !failed.ok()) return failed;
    return FileSystemWrapper::NewSequentialFile(name, options, file, debug);
  }
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (auto failed = check(kRename, from); !failed.ok()) return failed;
    return FileSystemWrapper::RenameFile(from, to, options, debug);
  }

 private:
  class Written final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    Written(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::string name, FaultyFiles& disk)
        : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), disk_(disk) {}
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      if (auto failed = disk_.check(kAppend, name_); !failed.ok()) return failed;
      return FSWritableFileOwnerWrapper::Append(data, options, debug);
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo& info,
                             rocksdb::IODebugContext* debug) override {
      if (auto failed = disk_.check(kAppend, name_); !failed.ok()) return failed;
      return FSWritableFileOwnerWrapper::Append(data, options, info, debug);
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      if (auto failed = disk_.check(kSync, name_); !failed.ok()) return failed;
      return FSWritableFileOwnerWrapper::Sync(options, debug);
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      if (auto failed = disk_.check(kSync, name_); !failed.ok()) return failed;
      return FSWritableFileOwnerWrapper::Fsync(options, debug);
    }

   private:
    const std::string name_;
    FaultyFiles& disk_;
  };
  class ReadAt final : public rocksdb::FSRandomAccessFileOwnerWrapper {
   public:
    ReadAt(std::unique_ptr<rocksdb::FSRandomAccessFile>&& file, std::string name, FaultyFiles& disk)
        : FSRandomAccessFileOwnerWrapper(std::move(file)), name_(std::move(name)), disk_(disk) {}
    rocksdb::IOStatus Read(std::uint64_t offset, std::size_t size, const rocksdb::IOOptions& options,
                           rocksdb::Slice* result, char* scratch,
                           rocksdb::IODebugContext* debug) const override {
      if (auto failed = disk_.check(kRead, name_); !failed.ok()) return failed;
      return FSRandomAccessFileOwnerWrapper::Read(offset, size, options, result, scratch, debug);
    }

   private:
    const std::string name_;
    FaultyFiles& disk_;
  };

  std::unique_ptr<rocksdb::Env> env_;
  std::atomic<unsigned> ops_ = 0;
  std::atomic<int> error_ = 0, left_ = 0, failed_ = 0;
};

}  // namespace berth::testing
