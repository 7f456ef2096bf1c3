#include "agents/volumes/upload_chunk.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

namespace berth::agents {
namespace {

constexpr std::size_t kDigits = 20;

Error wrong_length(std::uint64_t bytes) {
  return make_error("bad-request", "the chunk was to have " + std::to_string(bytes) + " bytes");
}

}  // namespace

std::uint64_t read_upload_offset(int file) {
  char digits[kDigits];
  std::uint64_t offset = 0;
  if (pread(file, digits, kDigits, 0) != static_cast<ssize_t>(kDigits)) return 0;
  const auto [end, error] = std::from_chars(digits, digits + kDigits, offset);
  return error == std::errc() && end == digits + kDigits ? offset : 0;
}

bool write_upload_offset(int file, std::uint64_t offset) {
  const std::string digits = std::to_string(offset);
  return write_all(file, std::string(kDigits - digits.size(), '0') + digits + "\n", 0);
}

UploadChunk::UploadChunk(Descriptor part, Descriptor held, Descriptor offset_file,
                         const v1::FileQuestion& question)
    : part_(std::move(part)),
      held_(std::move(held)),
      offset_file_(std::move(offset_file)),
      offset_(question.offset()),
      bytes_(question.bytes()),
      sha256_(question.sha256()),
      so_far_(question.so_far()) {}

Result<void> UploadChunk::go_on(HashSoFar whole) {
  if (whole.bytes != offset_) whole = {};
  if (so_far_ && whole.bytes != offset_)
    return make_error(
        "checksum-unknown",
        "the SHA-256 of the " + std::to_string(offset_) + " bytes before this chunk is not known any more",
        "send it with its own SHA-256");
  if (offset_ == 0) whole.held = std::make_shared<const Descriptor>(std::move(held_));
  before_ = whole;
  whole_ = std::move(whole);
  return {};
}

Result<void> UploadChunk::add(std::string_view bytes) {
  if (bytes.size() > bytes_ - came_) return wrong_length(bytes_);
  if (!so_far_) hash_.add(bytes);
  if (whole_.bytes == offset_ + came_) {
    whole_.hash.add(bytes);
    whole_.bytes += bytes.size();
  }
  if (!write_all(part_.get(), bytes, offset_ + came_)) return failed();
  came_ += bytes.size();
  return {};
}

// Room for others is room again.
Error UploadChunk::failed() {
  const Error why = path_error("the upload");
  [[maybe_unused]] const int cut = ftruncate(part_.get(), static_cast<off_t>(offset_));
  return why;
}

Result<std::uint64_t> UploadChunk::end() {
  if (came_ != bytes_) return wrong_length(bytes_);
  if ((so_far_ ? Sha256(whole_.hash) : hash_).value() != sha256_)
    return make_error("checksum-differs", "the chunk's bytes have another SHA-256 than was said",
                      "they changed on their way, or while they were read");
  if (bytes_ > 0) {
    if (!write_upload_offset(offset_file_.get(), offset_ + bytes_)) return failed();
    // The disk begins with them now, so that the end of the upload has little to wait for; what goes wrong
    // there is told then.
    sync_file_range(part_.get(), static_cast<off_t>(offset_), static_cast<off_t>(bytes_),
                    SYNC_FILE_RANGE_WRITE);
  }
  ended_ = true;
  return offset_ + bytes_;
}

}  // namespace berth::agents
