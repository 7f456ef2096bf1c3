// The end mark (P26): the durable ends of the log, in a file of its own, so that a lost tail is noticed.
//
// The file has two slots, written in turn, so that a torn write leaves the other slot:
//   "BERTHEND", u64 counter, u32 number of ends, u32 crc32c of everything else in the slot, u64 ends...
//   (little endian)
// The slot with a good crc and the larger counter counts. The mark never runs ahead of the durable log.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/log/event_log.h"

namespace berth::local {

// One thread at a time.
class EndMark {
 public:
  // Opens `path` or makes it with all ends 0. Errors: "log-corrupt" (no good slot), "log-layout-differs",
  // "log-io-error".
  static Result<std::unique_ptr<EndMark>> open(const std::string& path, std::size_t ends);
  // The ends of a mark that somebody else keeps; none: there is no mark. Codes: log-corrupt, log-io-error.
  static Result<std::optional<std::vector<Offset>>> read(const std::string& path);
  ~EndMark();
  EndMark(const EndMark&) = delete;
  EndMark& operator=(const EndMark&) = delete;

  const std::vector<Offset>& ends() const { return ends_; }
  // Writes and syncs. Needs no new space on disk.
  Result<void> write(const std::vector<Offset>& ends);

 private:
  EndMark(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  Result<void> create(std::size_t ends);
  Result<void> load(std::size_t ends);
  Result<void> load_slots();

  int fd_;
  std::string path_;
  std::size_t slot_bytes_ = 0;
  std::uint64_t counter_ = 0;
  std::vector<Offset> ends_;
};

// "log-truncated": the partition in the folder ends before its mark.
Error before_its_mark(Partition partition, const std::string& dir, Offset end, Offset marked);

}  // namespace berth::local
