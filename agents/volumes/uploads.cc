#include "agents/volumes/uploads.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <vector>

#include "agents/volumes/beneath.h"
#include "agents/volumes/folder_files.h"
#include "events/base/hash.h"
#include "events/codec/file_service.h"

namespace berth::agents {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPart = ".part";
constexpr const char* kOffset = ".offset";
constexpr const char* kAbout = ".about";
constexpr std::size_t kAboutBytesMax = 64u << 10;
constexpr std::size_t kHashedAtOnce = 1u << 20;
constexpr std::size_t kHashedInTurn = 4u << 20;

Error failed() { return path_error("the upload"); }

Error unknown_upload() {
  return make_error("unknown-upload", "there is no such upload in this folder",
                    "an upload to which nothing comes for a day is removed: begin it again");
}

Result<void> check_id(const v1::FileQuestion& question) {
  if (question.upload().size() == 16) return {};
  return make_error("bad-request", "an upload's id has 16 bytes");
}

Result<void> check_hash(const v1::FileQuestion& question) {
  if (question.sha256().empty() || question.sha256().size() == 32) return {};
  return make_error("bad-request", "a SHA-256 has 32 bytes");
}

std::uint64_t size_of(const Descriptor& file) {
  struct stat info {};
  return fstat(file.get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

bool is_begun_as(const v1::FileQuestion& about, const v1::FileQuestion& question) {
  return about.path() == question.path() && about.bytes() == question.bytes() &&
         about.sha256() == question.sha256() && about.overwrite() == question.overwrite();
}

}  // namespace

std::string Uploads::name_of(const std::string& upload, const char* end) const {
  return folder_.name() + "." + to_hex(upload) + end;
}

Result<v1::FileQuestion> Uploads::about(const std::string& upload) const {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  Descriptor file(openat(folder_.staging.get(), name_of(upload, kAbout).c_str(), kFlags));
  if (!file && errno == ENOENT)
    file = Descriptor(openat(folder_.uploaded.get(), name_of(upload, kAbout).c_str(), kFlags));
  if (!file) return errno == ENOENT ? unknown_upload() : failed();
  std::string bytes(std::min<std::size_t>(size_of(file), kAboutBytesMax), '\0');
  const ssize_t got = pread(file.get(), bytes.data(), bytes.size(), 0);
  v1::FileQuestion about;
  if (got != static_cast<ssize_t>(bytes.size()) || !about.ParseFromString(bytes)) return unknown_upload();
  return about;
}

// None, without an error: the file has its place already.
Result<Descriptor> Uploads::lock_part(const std::string& upload) const {
  Descriptor part(openat(folder_.staging.get(), name_of(upload, kPart).c_str(),
                         O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!part && errno == ENOENT) return Descriptor();
  if (!part) return failed();
  if (flock(part.get(), LOCK_EX | LOCK_NB) == 0) return part;
  return make_error("upload-busy", "another question of this upload is still being worked on",
                    "ask again when it is answered");
}

Result<std::uint64_t> Uploads::begin(const v1::FileQuestion& question) {
  if (auto good = check_id(question); !good) return good.error();
  if (auto good = check_hash(question); !good) return good.error();
  if (question.bytes() > kUploadBytesMax)
    return make_error("upload-too-large",
                      "a file of an upload has at most " + std::to_string(kUploadBytesMax) + " bytes");
  const auto known = about(question.upload());
  if (!known && known.error().code != "unknown-upload") return known.error();
  if (!known) return begin_new(question);
  if (!is_begun_as(*known, question))
    return make_error("upload-differs", "the upload was begun as another file", "begin another upload");
  return status(question);
}

Result<std::uint64_t> Uploads::begin_new(const v1::FileQuestion& question) {
  if (auto good = check_target(question); !good) return good.error();
  std::size_t under_way = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_.volume.root + "/staging", error)) {
    const std::string name = entry.path().filename().string();
    under_way += name.starts_with(folder_.name()) && name.ends_with(kPart) ? 1 : 0;
  }
  if (under_way >= kUploadsOfFolderMax)
    return make_error("too-many-uploads",
                      std::to_string(under_way) + " uploads into this folder are under way already",
                      "finish or abort some; those that nobody goes on with end by themselves after a day");
  struct statvfs room {};
  if (fstatvfs(folder_.staging.get(), &room) == 0 && room.f_bavail * room.f_frsize < question.bytes()) {
    errno = ENOSPC;
    return failed();
  }
  const int staging = folder_.staging.get();
  const std::string aside = name_of(question.upload(), ".new"), part = name_of(question.upload(), kPart),
                    offset = name_of(question.upload(), kOffset);
  for (const std::string& old : {aside, part, offset})  // of a begin that a crash cut short
    unlinkat(staging, old.c_str(), 0);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const Descriptor bytes(openat(staging, part.c_str(), kFlags, 0600));
  const Descriptor none(openat(staging, offset.c_str(), kFlags, 0600));
  const Descriptor file(openat(staging, aside.c_str(), kFlags, 0600));
  if (bytes && none && file && write_upload_offset(none.get(), 0) &&
      write_all(file.get(), question.SerializeAsString(), 0) && fsync(file.get()) == 0 &&
      renameat(staging, aside.c_str(), staging, name_of(question.upload(), kAbout).c_str()) == 0 &&
      fsync(staging) == 0)
    return std::uint64_t{0};
  const Error why = failed();
  for (const std::string& made : {aside, part, offset}) unlinkat(staging, made.c_str(), 0);
  return why;
}

Result<void> Uploads::check_target(const v1::FileQuestion& question) const {
  const auto place = place_of(folder_.folder.get(), question.path());
  if (!place) return place.error();
  struct stat info {};
  if (fstatat(place->above.get(), place->name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    return path_error(question.path());
  }
  if (S_ISDIR(info.st_mode)) return make_error("not-a-file", shown_path(question.path()) + " is a folder");
  if (question.overwrite()) return {};
  return make_error("path-exists", shown_path(question.path()) + " is there already",
                    "overwrite it, or remove it");
}

Result<std::uint64_t> Uploads::status(const v1::FileQuestion& question) const {
  if (auto good = check_id(question); !good) return good.error();
  const auto begun = about(question.upload());
  if (!begun) return begun.error();
  return offset_of(question.upload(), *begun);
}

// What a file system kept of the part when power was lost may be less than was compared.
Result<std::uint64_t> Uploads::offset_of(const std::string& upload, const v1::FileQuestion& about) const {
  struct stat info {};
  if (fstatat(folder_.staging.get(), name_of(upload, kPart).c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return about.bytes();  // it has its place already
    return failed();
  }
  const Descriptor file(openat(folder_.staging.get(), name_of(upload, kOffset).c_str(),
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return std::min(file ? read_upload_offset(file.get()) : 0, static_cast<std::uint64_t>(info.st_size));
}

Result<UploadChunk> Uploads::begin_chunk(const v1::FileQuestion& question) const {
  if (auto good = check_id(question); !good) return good.error();
  if (question.bytes() > kUploadChunkBytesMax)
    return make_error("upload-too-large",
                      "a chunk has at most " + std::to_string(kUploadChunkBytesMax) + " bytes");
  const auto begun = about(question.upload());
  if (!begun) return begun.error();
  auto part = lock_part(question.upload());
  if (!part) return part.error();
  const auto offset = offset_of(question.upload(), *begun);
  if (!offset) return offset.error();
  if (question.offset() != *offset)
    return make_error("offset-differs", "the upload goes on at byte " + std::to_string(*offset) +
                                            ", not at " + std::to_string(question.offset()));
  if (question.bytes() > begun->bytes() - *offset)
    return make_error("upload-too-large",
                      "the file was to have " + std::to_string(begun->bytes()) + " bytes, and more come");
  Descriptor offset_file(openat(folder_.staging.get(), name_of(question.upload(), kOffset).c_str(),
                                O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (*part && !offset_file) return failed();
  return UploadChunk(std::move(*part), std::move(offset_file), question);
}

Result<v1::FileEntry> Uploads::finish(const v1::FileQuestion& question) {
  auto finishing = begin_finish(question);
  if (!finishing) return finishing.error();
  for (;;) {
    const auto read = read_on(*finishing);
    if (!read) return read.error();
    if (*read) return end_finish(std::move(*finishing));
  }
}

Result<Finishing> Uploads::begin_finish(const v1::FileQuestion& question) const {
  if (auto good = check_id(question); !good) return good.error();
  if (auto good = check_hash(question); !good) return good.error();
  auto begun = about(question.upload());
  if (!begun) return begun.error();
  auto part = lock_part(question.upload());
  if (!part) return part.error();
  const auto offset = offset_of(question.upload(), *begun);
  if (!offset) return offset.error();
  if (*offset != begun->bytes())
    return make_error("offset-differs", "of the file's " + std::to_string(begun->bytes()) + " bytes " +
                                            std::to_string(*offset) + " have come");
  if (begun->sha256().empty()) begun->set_sha256(begun->sha256_of_finish());
  const bool hash_is_new = begun->sha256().empty();
  if (hash_is_new)
    begun->set_sha256(question.sha256());
  else if (!question.sha256().empty() && question.sha256() != begun->sha256())
    return make_error("checksum-differs", "the upload's end says another SHA-256 of the file than its begin",
                      "leave one of them away, or begin another upload");
  if (*part && begun->sha256().empty())
    return make_error("checksum-missing", "the file's SHA-256 was said neither when its upload began nor now",
                      "finish it with sha256");
  return Finishing{question.upload(), std::move(*begun), std::move(*part), {}, hash_is_new};
}

Result<bool> Uploads::read_on(Finishing& finishing) const {
  if (!finishing.part) return true;
  HashSoFar& so_far = finishing.so_far;
  if (so_far.bytes > finishing.about.bytes()) so_far = {};  // of another file
  if (so_far.bytes == finishing.about.bytes()) return true;
  std::vector<char> buffer(kHashedAtOnce);
  for (std::size_t in_turn = 0; in_turn < kHashedInTurn;) {
    const ssize_t got =
        pread(finishing.part.get(), buffer.data(), buffer.size(), static_cast<off_t>(so_far.bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed();
    if (got == 0) return true;
    so_far.hash.add({buffer.data(), static_cast<std::size_t>(got)});
    so_far.bytes += static_cast<std::uint64_t>(got);
    in_turn += static_cast<std::size_t>(got);
  }
  return false;
}

Result<v1::FileEntry> Uploads::end_finish(Finishing finishing) {
  if (finishing.part) {
    if (auto done = publish(finishing); !done) return done.error();
  }
  const std::string& path = finishing.about.path();
  const auto place = place_of(folder_.folder.get(), path);
  if (!place) return place.error();
  struct stat info {};
  if (fstatat(place->above.get(), place->name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return path_error(path);
  if (!S_ISREG(info.st_mode)) return make_error("not-a-file", shown_path(path) + " is no file any more");
  v1::FileEntry entry = entry_of(place->name, info);
  entry.set_bytes(finishing.about.bytes());
  return entry;
}

Result<void> Uploads::publish(Finishing& finishing) {
  const v1::FileQuestion& about = finishing.about;
  const Descriptor& part = finishing.part;
  if (finishing.so_far.hash.value() != about.sha256())
    return make_error("checksum-differs", "the file's bytes have another SHA-256 than was said",
                      "they changed on their way, or while they were read");
  if (auto good = check_target(about); !good) return good.error();
  const auto place = place_of(folder_.folder.get(), about.path());
  if (!place) return place.error();
  if (finishing.hash_is_new) keep_hash(finishing);
  const std::uint32_t owner = folder_.volume.owner;
  if (fchown(part.get(), owner, owner) != 0 || fchmod(part.get(), 0644) != 0 || fsync(part.get()) != 0)
    return failed();
  if (renameat2(folder_.staging.get(), name_of(finishing.upload, kPart).c_str(), place->above.get(),
                place->name.c_str(), about.overwrite() ? 0 : RENAME_NOREPLACE) != 0)
    return path_error(about.path());
  unlinkat(folder_.staging.get(), name_of(finishing.upload, kOffset).c_str(), 0);
  const std::string kept = name_of(finishing.upload, kAbout);
  renameat(folder_.staging.get(), kept.c_str(), folder_.uploaded.get(), kept.c_str());
  if (fsync(place->above.get()) != 0 || fsync(folder_.staging.get()) != 0) return failed();
  return {};
}

// So that a finish that is asked again is compared with it. Fields that follow a message are taken as if they
// stood in it.
void Uploads::keep_hash(const Finishing& finishing) const {
  v1::FileQuestion said;
  said.set_sha256_of_finish(finishing.about.sha256());
  const Descriptor file(openat(folder_.staging.get(), name_of(finishing.upload, kAbout).c_str(),
                               O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file) write_all(file.get(), said.SerializeAsString(), size_of(file));
}

Result<void> Uploads::abort(const v1::FileQuestion& question) {
  if (auto good = check_id(question); !good) return good.error();
  const auto part = lock_part(question.upload());
  if (!part) return part.error();
  for (const char* end : {kAbout, kPart, kOffset})
    if (unlinkat(folder_.staging.get(), name_of(question.upload(), end).c_str(), 0) != 0 && errno != ENOENT)
      return failed();
  if (unlinkat(folder_.uploaded.get(), name_of(question.upload(), kAbout).c_str(), 0) != 0 && errno != ENOENT)
    return failed();
  return {};
}

void drop_old_uploads(const std::string& at, Duration kept) {
  const Descriptor folder(open(at.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(at, error)) {
    const std::string name = entry.path().filename().string();
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) continue;
    // Of an upload under way the part says when something came last.
    struct stat info {};
    const std::string part = name.substr(0, dot) + kPart;
    if (fstatat(folder.get(), part.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 &&
        fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if ((now.tv_sec - info.st_mtim.tv_sec) * kSecond > kept) unlinkat(folder.get(), name.c_str(), 0);
  }
}

void drop_uploads_of(const std::string& at, const FolderId& folder) {
  const Descriptor opened(open(at.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(at, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(to_hex(folder.view()) + ".")) unlinkat(opened.get(), name.c_str(), 0);
  }
}

}  // namespace berth::agents
