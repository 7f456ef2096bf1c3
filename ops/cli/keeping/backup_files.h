// Where a backup goes, and where it comes from: a folder, or a stream that is a tar of the folder.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "events/base/result.h"
#include "ops/cli/keeping/backup_format.h"

namespace berth::cli {

class BackupTarget {
 public:
  virtual ~BackupTarget() = default;
  // Files come whole and in order. Codes: disk-full, backup-unwritable.
  virtual Result<void> put(const std::string& name, std::string_view bytes) = 0;
  // After the last file: it is on the disk now. Without it what was put is taken away again, where it can be.
  virtual Result<void> finish() = 0;
};

// A new folder, or one that is empty. Codes: backup-target-not-empty, backup-unwritable.
Result<std::unique_ptr<BackupTarget>> backup_into_folder(const std::string& folder);
std::unique_ptr<BackupTarget> backup_into_stream(std::ostream& out);

// A backup on disk, of which the manifest was read. What came as a stream lies in a folder of its own until
// the source goes.
class BackupSource {
 public:
  // `path`: a folder, a file, or "-" (standard input); `aside`: where a stream is unpacked, which is made.
  // Codes: backup-missing, backup-incomplete (no manifest), backup-damaged, disk-full, backup-unwritable.
  static Result<BackupSource> open(const std::string& path, const std::string& aside);
  BackupSource(BackupSource&& other) noexcept;
  BackupSource& operator=(BackupSource&&) = delete;
  ~BackupSource();

  const Manifest& manifest() const { return manifest_; }
  // Calls f for each record in offset order. Codes: backup-incomplete, backup-damaged, and those of f.
  Result<void> read_journal(const std::function<Result<void>(LogEntry)>& f) const;
  // Codes: backup-incomplete.
  Result<std::string> read_secrets() const;

 private:
  BackupSource() = default;
  Result<void> unpack(const std::string& path);
  Result<void> read_manifest();

  std::string folder_;
  bool own_ = false;  // the folder is to be removed
  Manifest manifest_;
};

}  // namespace berth::cli
