#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "events/base/edge_errors.h"
#include "events/base/files/descriptor.h"
#include "events/base/files/durable_file.h"
#include "events/base/files/private_files.h"
#include "events/copy/tar.h"
#include "ops/cli/keeping/backup_files.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

constexpr Code kUnwritable = "backup-unwritable";

Error unwritable(const std::string& path, int error) {
  if (error == ENOSPC || error == EDQUOT)
    return make_error(kDiskFull, "the disk is full: " + path + " cannot be written",
                      "nothing of the cluster is concerned: make room and take the backup again");
  return make_error(kUnwritable, "cannot write " + path + ": " + std::strerror(error), "");
}

class FolderTarget final : public BackupTarget {
 public:
  explicit FolderTarget(std::string folder) : folder_(std::move(folder)) {}
  ~FolderTarget() override {
    if (finished_) return;
    std::error_code ignored;
    for (const std::string& name : names_) fs::remove(folder_ + "/" + name, ignored);
    fs::remove(folder_, ignored);
  }

  Result<void> put(const std::string& name, std::string_view bytes) override {
    const std::string path = folder_ + "/" + name;
    names_.push_back(name);
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return unwritable(path, errno);
    while (!bytes.empty()) {
      const ssize_t done = ::write(file.get(), bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return unwritable(path, errno);
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return ::fsync(file.get()) == 0 ? Result<void>() : unwritable(path, errno);
  }

  Result<void> finish() override {
    if (const auto error = sync_folder(folder_)) return unwritable(folder_, error.value());
    finished_ = true;
    return {};
  }

 private:
  std::string folder_;
  std::vector<std::string> names_;
  bool finished_ = false;
};

class StreamTarget final : public BackupTarget {
 public:
  explicit StreamTarget(std::ostream& out) : out_(out) {}

  Result<void> put(const std::string& name, std::string_view bytes) override {
    copy::TarEntry entry;
    entry.name = name;
    entry.size = bytes.size();
    entry.mode = 0600;
    std::string head;
    copy::append_header(head, entry);
    if (auto done = send(head); !done) return done;
    if (auto done = send(bytes); !done) return done;
    return send(std::string(copy::padding_of(bytes.size()), '\0'));
  }

  Result<void> finish() override {
    std::string end;
    copy::append_end(end);
    return send(end);
  }

 private:
  Result<void> send(std::string_view bytes) {
    errno = 0;
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out_.flush();
    return out_ ? Result<void>() : unwritable("standard output", errno != 0 ? errno : EPIPE);
  }

  std::ostream& out_;
};

}  // namespace

Result<std::unique_ptr<BackupTarget>> backup_into_folder(const std::string& folder) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error)) && !fs::is_empty(folder, error))
    return make_error("backup-target-not-empty", folder + " is there already, and not an empty folder",
                      "each backup takes a new folder");
  const fs::path above = fs::absolute(folder, error).lexically_normal().parent_path();
  if (!fs::is_directory(above, error))
    return make_error(kUnwritable, "there is no folder " + above.string(),
                      "is the disk mounted? A backup makes no folder but its own");
  if (auto made = make_private_folder(folder); !made)
    return make_error(kUnwritable, made.error().message, made.error().hint);
  return std::unique_ptr<BackupTarget>(std::make_unique<FolderTarget>(folder));
}

std::unique_ptr<BackupTarget> backup_into_stream(std::ostream& out) {
  return std::make_unique<StreamTarget>(out);
}

}  // namespace berth::cli
