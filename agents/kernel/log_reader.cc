#include "agents/kernel/log_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "agents/kernel/shim/log_writer.h"

namespace berth::agents {
namespace {

std::int64_t size_of(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

void append_from(const std::string& path, std::int64_t from, std::size_t limit, std::string& out) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const std::size_t before = out.size();
  out.resize(before + limit);
  std::size_t got = 0;
  while (got < limit) {
    const ssize_t part =
        pread(fd, out.data() + before + got, limit - got, from + static_cast<std::int64_t>(got));
    if (part <= 0) break;
    got += static_cast<std::size_t>(part);
  }
  out.resize(before + got);
  close(fd);
}

}  // namespace

Result<LogPage> read_log_page(const shim::KernelFiles& files, std::int64_t offset, std::size_t max_bytes,
                              bool ended) {
  const shim::LogSegments segments = shim::find_segments(files);
  if (segments.first == segments.end)
    return make_error("unknown-kernel", "no log of this kernel is on this agent");
  const std::int64_t oldest = segments.first * shim::kLogSegment;
  const std::int64_t size = (segments.end - 1) * shim::kLogSegment + size_of(files.log(segments.end - 1));
  std::int64_t from = std::min(offset < 0 ? std::max<std::int64_t>(0, size + offset) : offset, size);
  LogPage page;
  if (from < oldest) {
    page.bytes = "[berth: " + std::to_string(oldest - from) + " bytes of older output were dropped]\n";
    from = oldest;
  }
  const auto wanted = static_cast<std::size_t>(
      std::min<std::int64_t>(size - from, static_cast<std::int64_t>(std::min(max_bytes, kLogPageMax))));
  const std::size_t head = page.bytes.size();
  while (page.bytes.size() - head < wanted) {
    const std::int64_t at = from + static_cast<std::int64_t>(page.bytes.size() - head);
    const std::int64_t in_segment = at % shim::kLogSegment;
    const std::size_t part = std::min(wanted - (page.bytes.size() - head),
                                      static_cast<std::size_t>(shim::kLogSegment - in_segment));
    const std::size_t before = page.bytes.size();
    append_from(files.log(at / shim::kLogSegment), in_segment, part, page.bytes);
    if (page.bytes.size() - before < part) break;  // it was dropped meanwhile: the next page says so
  }
  page.next = static_cast<std::uint64_t>(from) + page.bytes.size() - head;
  page.ended = ended && page.next == static_cast<std::uint64_t>(size);
  return page;
}

}  // namespace berth::agents
