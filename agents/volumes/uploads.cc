#include "agents/volumes/uploads.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <mutex>
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
constexpr const char* kNew = ".new";  // an about that is being written
constexpr std::size_t kAboutBytesMax = 64u << 10;
constexpr std::size_t kHashedAtOnce = 1u << 20;
constexpr std::size_t kHashedInTurn = 4u << 20;

Error failed() { return path_error("the upload"); }

Error unknown_upload() {
  return make_error("unknown-upload", "there is no such upload in this folder",
                    "an upload to which nothing comes for a day is removed: begin it again");
}

Error busy() {
  return make_error("upload-busy", "another question of this upload is still being worked on",
                    "ask again when it is answered");
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

bool remove(int folder, const std::string& name) {
  return unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT;
}

// Somebody may have it open still, and its bytes would stay on the disk as long.
void empty_part(int staging, const std::string& name) {
  const Descriptor part(openat(staging, name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  [[maybe_unused]] const int emptied = part ? ftruncate(part.get(), 0) : 0;
}

// What says that there is an upload goes first: a part alone is none, and an about alone would be of a file
// that has its place.
bool remove_upload(int staging, int uploaded, const std::string& stem) {
  if (!remove(uploaded, stem + kAbout) || !remove(staging, stem + kAbout)) return false;
  empty_part(staging, stem + kPart);
  return remove(staging, stem + kNew) && remove(staging, stem + kOffset) && remove(staging, stem + kPart);
}

// The part of an upload, locked, if it is an upload's still. None, without an error: there is none.
Result<Descriptor> lock_part_at(int staging, const std::string& name) {
  Descriptor part(openat(staging, name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!part && errno == ENOENT) return Descriptor();
  if (!part) return failed();
  if (flock(part.get(), LOCK_EX | LOCK_NB) != 0) return busy();
  struct stat opened {};
  struct stat there {};
  if (fstat(part.get(), &opened) != 0) return failed();
  if (fstatat(staging, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 && there.st_ino == opened.st_ino)
    return part;
  return Descriptor();  // it has got its place, or was removed, meanwhile
}

Duration since(const timespec& time) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return (now.tv_sec - time.tv_sec) * kSecond;
}

// An upload that is not being worked on, and to which nothing came for longer than `most`.
bool remove_if_idle(int staging, int uploaded, const std::string& stem, Duration most) {
  const auto part = lock_part_at(staging, stem + kPart);
  struct stat info {};
  return part && *part && fstat(part->get(), &info) == 0 && since(info.st_mtim) > most &&
         remove_upload(staging, uploaded, stem);
}

struct Staged {
  timespec came_last{};
  std::string stem;
};

std::vector<Staged> parts_at(const std::string& at, int folder, const std::string& prefix) {
  std::vector<Staged> parts;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(at, error)) {
    const std::string name = entry.path().filename().string();
    struct stat info {};
    if (name.starts_with(prefix) && name.ends_with(kPart) &&
        fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
      parts.push_back({info.st_mtim, name.substr(0, name.size() - std::strlen(kPart))});
  }
  return parts;
}

// A client that got no answer asks again, perhaps while its first question is being worked on: of one upload
// there is one begin at a time.
std::mutex& begin_mutex(const std::string& upload) {
  static std::array<std::mutex, 16> mutexes;
  return mutexes[std::hash<std::string>()(upload) % mutexes.size()];
}

}  // namespace

bool Uploads::reaches_disk(int file) { return fsync(file) == 0; }

std::string Uploads::name_of(const std::string& upload, const char* end) const {
  return folder_.name() + "." + to_hex(upload) + end;
}

Result<v1::FileQuestion> Uploads::about_at(int folder, const std::string& upload) const {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const Descriptor file(openat(folder, name_of(upload, kAbout).c_str(), kFlags));
  if (!file) return errno == ENOENT ? unknown_upload() : failed();
  std::string bytes(std::min<std::size_t>(size_of(file), kAboutBytesMax), '\0');
  const ssize_t got = pread(file.get(), bytes.data(), bytes.size(), 0);
  v1::FileQuestion about;
  if (got != static_cast<ssize_t>(bytes.size()) || !about.ParseFromString(bytes)) return unknown_upload();
  return about;
}

Result<v1::FileQuestion> Uploads::about(const std::string& upload) const {
  auto staged = about_at(folder_.staging.get(), upload);
  if (staged || staged.error().code != "unknown-upload") return staged;
  return about_at(folder_.uploaded.get(), upload);
}

Result<Uploads::Locked> Uploads::lock(const std::string& upload) const {
  auto part = lock_part_at(folder_.staging.get(), name_of(upload, kPart));
  if (!part) return part.error();
  auto about = *part ? this->about(upload) : about_at(folder_.uploaded.get(), upload);
  if (!about) return about.error();
  return Locked{*std::move(about), *std::move(part)};
}

Result<std::uint64_t> Uploads::begin(const v1::FileQuestion& question) {
  if (auto good = check_id(question); !good) return good.error();
  if (auto good = check_hash(question); !good) return good.error();
  if (question.bytes() > kUploadBytesMax)
    return make_error("upload-too-large",
                      "a file of an upload has at most " + std::to_string(kUploadBytesMax) + " bytes");
  const std::lock_guard one_at_a_time(begin_mutex(question.upload()));
  auto begun = begun_as(question);
  if (begun || begun.error().code != "unknown-upload") return begun;
  return begin_new(question);
}

// Where the upload is that was begun as this.
Result<std::uint64_t> Uploads::begun_as(const v1::FileQuestion& question) const {
  const auto known = about(question.upload());
  if (!known) return known.error();
  const auto offset = offset_of(question.upload(), *known);
  if (!offset) return offset.error();
  if (!is_begun_as(*known, question))
    return make_error("upload-differs", "the upload was begun as another file", "begin another upload");
  keep_alive(question.upload());
  return offset;
}

Result<std::uint64_t> Uploads::begin_new(const v1::FileQuestion& question) {
  if (auto good = check_target(question); !good) return good.error();
  if (auto room = make_room(question); !room) return room.error();
  const int staging = folder_.staging.get();
  const std::string part = name_of(question.upload(), kPart);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  // Whoever has the part locked makes the upload, or has made it.
  const bool is_first = Descriptor(openat(staging, part.c_str(), kFlags | O_EXCL, 0600)).get() >= 0;
  if (!is_first && errno != EEXIST) return failed();
  const auto bytes = lock_part_at(staging, part);
  if (!bytes) return bytes.error();
  if (!*bytes) return busy();
  if (!is_first)
    if (auto begun = begun_as(question); begun || begun.error().code != "unknown-upload") return begun;
  const std::string aside = name_of(question.upload(), kNew);
  remove(staging, name_of(question.upload(), kAbout));  // of a begin that was cut short
  const Descriptor none(openat(staging, name_of(question.upload(), kOffset).c_str(), kFlags | O_TRUNC, 0600));
  const Descriptor file(openat(staging, aside.c_str(), kFlags | O_TRUNC, 0600));
  if (ftruncate(bytes->get(), 0) == 0 && none && file && write_upload_offset(none.get(), 0) &&
      write_all(file.get(), question.SerializeAsString(), 0) && reaches_disk_(file.get()) &&
      renameat(staging, aside.c_str(), staging, name_of(question.upload(), kAbout).c_str()) == 0 &&
      reaches_disk_(staging))
    return std::uint64_t{0};
  const Error why = failed();
  remove_upload(staging, folder_.uploaded.get(), name_of(question.upload(), ""));
  return why;
}

// Among an unusual number of uploads, one to which nothing comes gives way to a new one.
Result<void> Uploads::make_room(const v1::FileQuestion& question) const {
  const int staging = folder_.staging.get();
  auto parts = parts_at(folder_.volume.root + "/staging", staging, folder_.name() + ".");
  std::erase_if(parts, [own = name_of(question.upload(), "")](const Staged& one) { return one.stem == own; });
  if (parts.size() >= kUploadsOfFolderMax) {
    std::sort(parts.begin(), parts.end(),
              [](const Staged& a, const Staged& b) { return a.came_last.tv_sec < b.came_last.tv_sec; });
    if (std::none_of(parts.begin(), parts.end(), [&](const Staged& one) {
          return since(one.came_last) > kUploadGivesWayAfter &&
                 remove_if_idle(staging, folder_.uploaded.get(), one.stem, kUploadGivesWayAfter);
        }))
      return make_error(
          "too-many-uploads",
          std::to_string(parts.size()) + " uploads into this folder are under way already",
          "finish or abort some; one to which nothing comes for 15 minutes gives way to another");
  }
  struct statvfs room {};
  if (fstatvfs(staging, &room) == 0 && room.f_bavail * room.f_frsize < question.bytes()) {
    errno = ENOSPC;
    return failed();
  }
  return {};
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
  keep_alive(question.upload());
  return offset_of(question.upload(), *begun);
}

// Whoever asks where an upload is will go on with it.
void Uploads::keep_alive(const std::string& upload) const {
  const timespec now[] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  utimensat(folder_.staging.get(), name_of(upload, kPart).c_str(), now, AT_SYMLINK_NOFOLLOW);
}

// What a file system kept of the part when power was lost may be less than was compared.
Result<std::uint64_t> Uploads::offset_of(const std::string& upload, const v1::FileQuestion& about) const {
  struct stat info {};
  if (fstatat(folder_.staging.get(), name_of(upload, kPart).c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return failed();
    if (const auto finished = about_at(folder_.uploaded.get(), upload); !finished) return finished.error();
    return about.bytes();
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
  auto locked = lock(question.upload());
  if (!locked) return locked.error();
  const auto offset = offset_of(question.upload(), locked->about);
  if (!offset) return offset.error();
  if (question.offset() != *offset)
    return make_error("offset-differs", "the upload goes on at byte " + std::to_string(*offset) +
                                            ", not at " + std::to_string(question.offset()));
  if (question.bytes() > locked->about.bytes() - *offset)
    return make_error("upload-too-large", "the file was to have " + std::to_string(locked->about.bytes()) +
                                              " bytes, and more come");
  Descriptor held, offset_file;
  if (locked->part && *offset == 0) {  // whoever goes on with the hash of what came has it already
    held = Descriptor(openat(folder_.staging.get(), name_of(question.upload(), kPart).c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!held) return failed();
  }
  if (locked->part) {
    offset_file = Descriptor(openat(folder_.staging.get(), name_of(question.upload(), kOffset).c_str(),
                                    O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    if (!offset_file) return failed();
  }
  return UploadChunk(std::move(locked->part), std::move(held), std::move(offset_file), question);
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
  auto locked = lock(question.upload());
  if (!locked) return locked.error();
  v1::FileQuestion* const begun = &locked->about;
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
  // Nobody has written more to it; what stands behind the end is none of the file's.
  if (locked->part && size_of(locked->part) > begun->bytes() &&
      ftruncate(locked->part.get(), static_cast<off_t>(begun->bytes())) != 0)
    return failed();
  if (locked->part && begun->sha256().empty())
    return make_error("checksum-missing", "the file's SHA-256 was said neither when its upload began nor now",
                      "finish it with sha256");
  return Finishing{question.upload(), std::move(*begun), std::move(locked->part), {}, hash_is_new};
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
  if (!finishing.part && !reaches_disk_(place->above.get())) return failed();  // what failed may be this
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
  if (fchown(part.get(), owner, owner) != 0 || fchmod(part.get(), 0644) != 0) return failed();
  if (!reaches_disk_(part.get())) {
    const Error why = failed();
    start_over(finishing);
    return why;
  }
  // The file has its place once there is no part any more, and an about in UPLOADED: it is there before.
  const std::string kept = name_of(finishing.upload, kAbout), name = name_of(finishing.upload, kPart);
  const int staging = folder_.staging.get(), uploaded = folder_.uploaded.get();
  utimensat(staging, kept.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);  // kept from now on
  if (renameat(staging, kept.c_str(), uploaded, kept.c_str()) != 0 && errno != ENOENT) return failed();
  if (renameat2(staging, name.c_str(), place->above.get(), place->name.c_str(),
                about.overwrite() ? 0 : RENAME_NOREPLACE) != 0) {
    const Error why = path_error(about.path());
    renameat(uploaded, kept.c_str(), staging, kept.c_str());
    return why;
  }
  remove(staging, name_of(finishing.upload, kOffset));
  if (!reaches_disk_(place->above.get()) || !reaches_disk_(staging)) return failed();
  return {};
}

// Where the disk has failed to keep bytes, the system still shows them for a while, and says so only once.
void Uploads::start_over(const Finishing& finishing) const {
  const Descriptor offset(openat(folder_.staging.get(), name_of(finishing.upload, kOffset).c_str(),
                                 O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (offset) write_upload_offset(offset.get(), 0);
  [[maybe_unused]] const int cut = ftruncate(finishing.part.get(), 0);
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
  const std::lock_guard no_begin(begin_mutex(question.upload()));
  const std::string stem = name_of(question.upload(), "");
  const auto part = lock_part_at(folder_.staging.get(), stem + kPart);
  if (!part) return part.error();
  if (!remove_upload(folder_.staging.get(), folder_.uploaded.get(), stem)) return failed();
  return {};
}

void drop_old_uploads(const std::string& root, Duration kept) {
  const std::string at = root + "/staging", done = root + "/uploaded";
  const Descriptor staging(open(at.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Descriptor uploaded(open(done.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!staging || !uploaded) return;
  for (const Staged& part : parts_at(at, staging.get(), ""))
    if (since(part.came_last) > kept) remove_if_idle(staging.get(), uploaded.get(), part.stem, kept);
  // What has no part is of a begin that was cut short, or of a file that has its place.
  for (const auto& [folder, path] : {std::pair(staging.get(), at), std::pair(uploaded.get(), done)}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path, error)) {
      const std::string name = entry.path().filename().string();
      const std::string part = name.substr(0, name.rfind('.')) + kPart;
      struct stat info {};
      if (fstatat(staging.get(), part.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 &&
          fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && since(info.st_mtim) > kept)
        remove(folder, name);
    }
  }
}

void drop_uploads_of(const std::string& at, const FolderId& folder) {
  const Descriptor opened(open(at.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(at, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(to_hex(folder.view()) + ".")) continue;
    if (name.ends_with(kPart)) empty_part(opened.get(), name);
    remove(opened.get(), name);
  }
}

}  // namespace berth::agents
