#include "events/log/local/end_mark.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "events/base/files/disk_error.h"
#include "events/base/files/durable_file.h"
#include "events/base/hash.h"
#include "events/log/log_errors.h"

namespace berth::local {
namespace {

constexpr char kMagic[] = "BERTHEND";
constexpr std::size_t kHeaderBytes = 8 + 8 + 4 + 4;

std::size_t slot_bytes_for(std::size_t ends) {
  return (kHeaderBytes + ends * sizeof(Offset) + 4095) / 4096 * 4096;
}

std::string encode(std::uint64_t counter, const std::vector<Offset>& ends) {
  std::string slot(slot_bytes_for(ends.size()), '\0');
  const auto count = static_cast<std::uint32_t>(ends.size());
  std::memcpy(slot.data(), kMagic, 8);
  std::memcpy(slot.data() + 8, &counter, 8);
  std::memcpy(slot.data() + 16, &count, 4);
  std::memcpy(slot.data() + kHeaderBytes, ends.data(), ends.size() * sizeof(Offset));
  const std::uint32_t crc = crc32c(slot);  // with zeros where the crc goes
  std::memcpy(slot.data() + 20, &crc, 4);
  return slot;
}

struct Slot {
  std::uint64_t counter = 0;
  std::vector<Offset> ends;
};

std::optional<Slot> decode(std::string bytes) {
  std::uint32_t crc = 0;
  std::uint32_t count = 0;
  if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), kMagic, 8) != 0) return std::nullopt;
  std::memcpy(&crc, bytes.data() + 20, 4);
  std::memset(bytes.data() + 20, 0, 4);
  std::memcpy(&count, bytes.data() + 16, 4);
  if (crc32c(bytes) != crc || kHeaderBytes + count * sizeof(Offset) > bytes.size()) return std::nullopt;
  Slot slot;
  std::memcpy(&slot.counter, bytes.data() + 8, 8);
  slot.ends.resize(count);
  std::memcpy(slot.ends.data(), bytes.data() + kHeaderBytes, count * sizeof(Offset));
  return slot;
}

Error io_error(const std::string& path, const char* what) {
  const int number = errno;
  return disk_error(number, std::string(what) + " " + path + ": " + std::strerror(number), kLogIoError);
}

}  // namespace

Result<std::unique_ptr<EndMark>> EndMark::open(const std::string& path, std::size_t ends) {
  bool fresh = false;
  int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    fresh = true;
    fd = ::open((path + ".new").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }
  if (fd < 0) return io_error(path, "cannot open");
  std::unique_ptr<EndMark> mark(new EndMark(fd, path));
  mark->slot_bytes_ = slot_bytes_for(ends);
  Result<void> ready = fresh ? mark->create(ends) : mark->load(ends);
  if (!ready) return ready.error();
  return mark;
}

EndMark::~EndMark() { close(fd_); }

Result<void> EndMark::create(std::size_t ends) {
  ends_.assign(ends, 0);
  const std::string both = encode(0, ends_) + encode(0, ends_);
  if (pwrite(fd_, both.data(), both.size(), 0) != static_cast<ssize_t>(both.size()) || fsync(fd_) != 0)
    return io_error(path_, "cannot write");
  if (rename((path_ + ".new").c_str(), path_.c_str()) != 0) return io_error(path_, "cannot create");
  if (const auto failed = sync_folder(std::filesystem::path(path_).parent_path()))
    return disk_error(failed.value(), "cannot sync the folder of " + path_ + ": " + failed.message(),
                      kLogIoError);
  return {};
}

Result<std::optional<std::vector<Offset>>> EndMark::read(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return std::optional<std::vector<Offset>>();
  if (fd < 0) return io_error(path, "cannot open");
  EndMark mark(fd, path);
  if (auto loaded = mark.load_slots(); !loaded) return loaded.error();
  return std::optional(std::move(mark.ends_));
}

Result<void> EndMark::load_slots() {
  const off_t size = lseek(fd_, 0, SEEK_END);
  std::optional<Slot> best;
  if (size > 0 && size % 2 == 0) {
    for (int i = 0; i < 2; ++i) {
      std::string bytes(static_cast<std::size_t>(size / 2), '\0');
      if (pread(fd_, bytes.data(), bytes.size(), i * (size / 2)) != size / 2)
        return io_error(path_, "cannot read");
      std::optional<Slot> slot = decode(std::move(bytes));
      if (slot && (!best || slot->counter >= best->counter)) best = std::move(slot);
    }
  }
  if (!best) {
    return make_error("log-corrupt", path_ + " is damaged: it cannot be told whether the log lost its tail",
                      "if you are sure that the log is whole, remove that file and open again");
  }
  counter_ = best->counter;
  ends_ = std::move(best->ends);
  return {};
}

Result<void> EndMark::load(std::size_t ends) {
  if (auto loaded = load_slots(); !loaded) return loaded;
  if (ends_.size() == ends) return {};
  return make_error("log-layout-differs", path_ + " counts " + std::to_string(ends_.size()) +
                                              " partitions, the layout has " + std::to_string(ends));
}

Result<void> EndMark::write(const std::vector<Offset>& ends) {
  const std::string slot = encode(counter_ + 1, ends);
  const auto at = static_cast<off_t>((counter_ + 1) % 2 * slot_bytes_);
  if (pwrite(fd_, slot.data(), slot.size(), at) != static_cast<ssize_t>(slot.size()))
    return io_error(path_, "cannot write");
  if (fdatasync(fd_) != 0) return io_error(path_, "cannot sync");
  ++counter_;
  ends_ = ends;
  return {};
}

Error before_its_mark(Partition partition, const std::string& dir, Offset end, Offset marked) {
  return make_error(
      kLogTruncated,
      to_string(partition) + " in " + dir + " ends at " + std::to_string(end) +
          ", but the end mark says that it was durable up to " + std::to_string(marked),
      "the folder lost its newest records: bring back the newer copy of it; or give them up with "
      "--accept-truncation");
}

}  // namespace berth::local
