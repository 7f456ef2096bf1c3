#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "events/base/edge_errors.h"
#include "events/base/files/descriptor.h"
#include "events/copy/tar_reader.h"
#include "ops/cli/keeping/backup_files.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kManifestMax = 4ull << 30;
constexpr std::size_t kSecretsMax = 1u << 20;
constexpr std::size_t kPaddingMax = 1u << 20;  // behind the end of a tar

Error incomplete(const std::string& what) {
  return make_error("backup-incomplete", "this is half a backup: " + what,
                    "its taking did not end well, or it was copied in part; take another one");
}

bool is_of_a_backup(const std::string& name) {
  return name == kManifestName || name == kSecretsName ||
         (name.starts_with("journal-") && name.size() == 16 &&
          name.find_first_not_of("0123456789", 8) == std::string::npos);
}

Result<std::string> read_whole(const std::string& path, std::uintmax_t most) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) return incomplete("there is no " + path);
  if (size > most) return damaged_backup(path + " is larger than it can be");
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) return incomplete(path + " cannot be read whole");
  return text;
}

// Writes the files of a tar stream into a folder: none but a backup's, and none twice.
class Unpacking {
 public:
  explicit Unpacking(std::string folder) : folder_(std::move(folder)) {}

  Result<void> take(std::string_view bytes) {
    while (const auto item = reader_.next(bytes)) {
      if (const auto* entry = std::get_if<copy::TarEntry>(&*item)) {
        if (auto begun = begin(*entry); !begun) return begun;
      } else if (const auto* part = std::get_if<copy::FileBytes>(&*item)) {
        if (auto done = write(part->bytes); !done) return done;
      }
    }
    if (reader_.problem()) return damaged_backup("it is neither a folder nor a tar stream");
    return {};
  }
  bool ended() const { return reader_.ended(); }

 private:
  Result<void> begin(const copy::TarEntry& entry) {
    std::string name = entry.name;
    if (name.starts_with("./")) name.erase(0, 2);
    file_ = Descriptor();
    if (entry.kind == copy::TarEntry::Kind::kFolder) return {};
    if (entry.kind != copy::TarEntry::Kind::kFile || !is_of_a_backup(name))
      return damaged_backup("a file in it is none of a backup's");
    path_ = folder_ + "/" + name;
    file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file_) return {};
    return errno == EEXIST ? damaged_backup("it has " + name + " twice") : failed();
  }
  Result<void> write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t done = ::write(file_.get(), bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return failed();
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return {};
  }
  Error failed() const {
    const bool full = errno == ENOSPC || errno == EDQUOT;
    return make_error(full ? kDiskFull : "backup-unwritable",
                      "cannot write " + path_ + ": " + std::strerror(errno),
                      full ? "a stream is unpacked first, to be checked whole: make room for it" : "");
  }

  std::string folder_, path_;
  copy::TarReader reader_;
  Descriptor file_;
};

}  // namespace

Result<BackupSource> BackupSource::open(const std::string& path, const std::string& aside) {
  BackupSource source;
  std::error_code error;
  if (path != "-" && fs::is_directory(path, error)) {
    source.folder_ = path;
  } else {
    source.folder_ = aside;
    if (auto unpacked = source.unpack(path); !unpacked) return unpacked.error();
  }
  if (auto read = source.read_manifest(); !read) return read.error();
  return source;
}

BackupSource::BackupSource(BackupSource&& other) noexcept
    : folder_(std::move(other.folder_)),
      own_(std::exchange(other.own_, false)),
      manifest_(std::move(other.manifest_)) {}

BackupSource::~BackupSource() {
  std::error_code ignored;
  if (own_) fs::remove_all(folder_, ignored);
}

Result<void> BackupSource::unpack(const std::string& path) {
  const Descriptor file(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return make_error("backup-missing", "cannot read " + path + ": " + std::strerror(errno), "");
  if (::mkdir(folder_.c_str(), 0700) != 0)
    return make_error("backup-unwritable", "cannot make " + folder_ + ": " + std::strerror(errno),
                      "a stream is unpacked there first; is one of a restore before left?");
  own_ = true;
  Unpacking unpacking(folder_);
  std::array<char, 1 << 16> buffer;
  for (std::size_t behind = 0;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return make_error("backup-missing", "cannot read " + path + ": " + std::strerror(errno), "");
    if (got == 0) break;
    if (auto taken = unpacking.take({buffer.data(), static_cast<std::size_t>(got)}); !taken) return taken;
    if (unpacking.ended()) behind += static_cast<std::size_t>(got);
    if (behind > kPaddingMax) return damaged_backup("the stream goes on behind its end");
  }
  return unpacking.ended() ? Result<void>() : incomplete("the stream ends before its end");
}

Result<void> BackupSource::read_manifest() {
  const std::string path = folder_ + "/" + kManifestName;
  std::error_code error;
  if (!fs::exists(path, error)) return incomplete("there is no " + std::string(kManifestName) + " in it");
  const auto text = read_whole(path, kManifestMax);
  if (!text) return text.error();
  auto manifest = parse_manifest(*text);
  if (!manifest) return manifest.error();
  manifest_ = std::move(*manifest);
  return {};
}

Result<void> BackupSource::read_journal(const std::function<Result<void>(LogEntry)>& f) const {
  for (std::size_t i = 0; i < manifest_.pieces.size(); ++i) {
    const JournalPiece& about = manifest_.pieces[i];
    const auto piece = read_whole(folder_ + "/" + piece_name(i), about.bytes);
    if (!piece) return piece.error();
    if (piece->size() != about.bytes) return incomplete(piece_name(i) + " is shorter than it was");
    if (auto read = read_frames(*piece, about, f); !read) return read;
  }
  return {};
}

Result<std::string> BackupSource::read_secrets() const {
  return read_whole(folder_ + "/" + kSecretsName, kSecretsMax);
}

}  // namespace berth::cli
