#include "ops/cli/folders/upload.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

#include "controller/api/auth/signature.h"
#include "events/base/hash.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/session/inside_open.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr int kUploadsMax = 3;  // of one file whose upload the server no longer knows

constexpr std::chrono::minutes kFinishMax{10};
constexpr std::chrono::milliseconds kBusyPause{2'000};
constexpr int kRemovesMax = 10;  // while a chunk that was cut is still being dropped there
constexpr std::chrono::milliseconds kRemovePause{200};
constexpr std::chrono::milliseconds kRemoveMax{5'000};

// An earlier try, whose answer was lost, is still under way.
bool is_busy(const Failure& failure) { return failure.code == "upload-busy"; }

// Whether nobody has written to a file meanwhile: what is read of it piece by piece was never all there at
// once.
class Unchanged {
 public:
  explicit Unchanged(int file) : file_(file), begin_(look()) {}
  bool still() const {
    const struct stat now = look();
    return now.st_size == begin_.st_size && now.st_mtim.tv_sec == begin_.st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == begin_.st_mtim.tv_nsec && now.st_ctim.tv_sec == begin_.st_ctim.tv_sec &&
           now.st_ctim.tv_nsec == begin_.st_ctim.tv_nsec;  // nobody sets this one back
  }

 private:
  struct stat look() const {
    struct stat info {};
    fstat(file_, &info);
    return info;
  }
  const int file_;
  const struct stat begin_;
};

Failure changed(const std::string& name) {
  return {kFailed, "file-changed", "'" + name + "' was changed while it was copied", "copy it again", {}};
}

// As those of /proc, which say that they are empty.
Failure more_than_its_size(const std::string& name) {
  return {kFailed,
          "file-size-unknown",
          "'" + name + "' has more bytes than its size says",
          "copy it from a pipe: cat FILE | berth folder cp - FOLDER:NAME",
          {}};
}

}  // namespace

Upload::Upload(Shell& shell, FolderFiles& files, CopyProgress& progress, int file, std::uint64_t bytes,
               std::string name)
    : api_(files.api()),
      files_(files),
      progress_(progress),
      patience_(shell, files.api()),
      file_(file),
      bytes_(bytes),
      name_(std::move(name)) {}

Outcome<bool> Upload::run(const std::string& path, bool overwrite) {
  for (int starts = 1;; ++starts) {
    progress_.begin(name_, bytes_);
    target_.clear();
    auto sent = run_once(path, overwrite);
    if (sent) return sent;
    give_up(sent.failure());
    if (sent.failure().code != "unknown-upload" || starts == kUploadsMax) return sent;
  }
}

Outcome<bool> Upload::run_once(const std::string& path, bool overwrite) {
  const Unchanged unchanged(file_);
  json::object what{{"path", path}, {"bytes", bytes_}};
  if (overwrite) what["overwrite"] = true;
  const auto begun = ask([&] { return having(api_.post(files_.target("/uploads"), what), {"upload"}); });
  if (!begun) return begun.failure();
  target_ = files_.target("/uploads/" + percent_encoded(text_at(begun->body, "upload")));
  const auto offset = offset_of(begun);
  if (!offset) return offset.failure();
  progress_.add(*offset);
  if (const auto sent = send_chunks(*offset); !sent) return sent.failure();
  if (goes_on_behind_its_end()) return more_than_its_size(name_);
  const auto sha256 = hash();
  if (!sha256) return sha256.failure();
  if (!unchanged.still()) return changed(name_);
  return finish(*sha256);
}

// The server may have to read all of it once more, which may take it longer than one answer.
Outcome<bool> Upload::finish(const std::string& sha256) {
  const auto until = std::chrono::steady_clock::now() + kFinishMax;
  for (;;) {
    const auto reply = api_.post(target_ + "/finish", json::object{{"sha256", sha256}});
    if (reply) return true;
    const Failure& failure = reply.failure();
    if (failure.code == "checksum-differs") return changed(name_);
    if (is_busy(failure) && std::chrono::steady_clock::now() < until) {
      if (!api_.pause(kBusyPause)) return interrupted_failure();
    } else if (auto over = patience_.after(failure)) {
      return std::move(*over);
    }
  }
}

bool Upload::goes_on_behind_its_end() const {
  char next = 0;
  return ::pread(file_, &next, 1, static_cast<off_t>(bytes_)) > 0;
}

Outcome<bool> Upload::send_chunks(std::uint64_t offset) {
  std::future<Outcome<Chunk>> next;
  while (offset < bytes_) {
    auto chunk = next.valid() ? next.get() : chunk_at(offset, chunk_);
    if (!chunk) return chunk.failure();
    const std::uint64_t size = chunk->bytes.size();
    next = fetch(offset + size);
    Failure why{kTimeout, "upload-stuck", "'" + name_ + "' gets no further", {}, {}};
    auto reply = api_.put_bytes(with_query(target_, {{"offset", std::to_string(offset)},
                                                     {"so_far", chunk->so_far ? "true" : "false"}}),
                                std::move(chunk->bytes), std::move(chunk->hash));
    if (!reply) {
      next = {};  // it may go on elsewhere, and in smaller chunks
      if (chunk->so_far && reply.failure().code == "checksum-unknown") {  // the agent was started anew
        so_far_ = false;
        continue;
      }
      if (is_passing(reply.failure()))
        why = reply.failure();
      else if (reply.failure().code != "offset-differs" && !is_busy(reply.failure()))
        return reply.failure();
      chunk_ = std::max(kChunkMin, chunk_ / 2);
      // A chunk whose answer was lost is there; the server says how far it is.
      reply = ask([&] { return api_.get(target_); });
    }
    const auto now = offset_of(reply);
    if (!now) return now.failure();
    if (*now > offset) {
      progress_.add(*now - offset);
      patience_.renew();
    } else if (auto over = patience_.after(why)) {
      return std::move(*over);
    }
    if (*now != offset + size) next = {};
    offset = *now;
  }
  return true;
}

// Asks again while the failure passes.
Outcome<ApiReply> Upload::ask(const std::function<Outcome<ApiReply>()>& call) {
  for (;;) {
    auto reply = call();
    if (reply) return reply;
    if (auto over = patience_.after(reply.failure())) return std::move(*over);
  }
}

Outcome<std::uint64_t> Upload::offset_of(const Outcome<ApiReply>& reply) const {
  const auto told = having(reply, {"offset"});
  if (!told) return told.failure();
  const std::int64_t offset = integer_at(told->body, "offset");
  if (offset >= 0 && static_cast<std::uint64_t>(offset) <= bytes_) return static_cast<std::uint64_t>(offset);
  return Failure{kFailed, "not-berth", "the server has more of '" + name_ + "' than there is", {}, {}};
}

// What cannot be told stays there, and is swept.
void Upload::give_up(const Failure& why) {
  if (target_.empty() || is_passing(why) || why.code == "unknown-upload") return;
  for (int tries = 0; tries < kRemovesMax; ++tries) {
    const auto removed = api_.remove_within(target_, kRemoveMax);
    if (removed || !is_busy(removed.failure()) || !api_.pause(kRemovePause)) return;
  }
}

// What the server had already at the begin was never read here.
Outcome<std::string> Upload::hash() {
  while (hashed_ < bytes_) {
    const auto piece = read_at(hashed_, std::min<std::uint64_t>(1 << 20, bytes_ - hashed_));
    if (!piece) return piece.failure();
    add_to_hash(hashed_, *piece);
    if (!api_.pause(std::chrono::milliseconds(0))) return interrupted_failure();
  }
  if (sha256_.empty()) sha256_ = to_hex(whole_.value());
  return sha256_;
}

// Bytes that are sent once more are there already.
void Upload::add_to_hash(std::uint64_t offset, std::string_view bytes) {
  if (offset > hashed_ || offset + bytes.size() <= hashed_) return;
  whole_.add(bytes.substr(hashed_ - offset));
  hashed_ = offset + bytes.size();
}

Outcome<Upload::Chunk> Upload::chunk_at(std::uint64_t offset, std::uint64_t count) {
  auto bytes = read_at(offset, std::min(count, bytes_ - offset));
  if (!bytes) return bytes.failure();
  const bool so_far = so_far_ && offset == hashed_;
  add_to_hash(offset, *bytes);
  std::string hash = so_far ? to_hex(Sha256(whole_).value()) : controller::api::sha256_hex(*bytes);
  return Chunk{std::move(*bytes), std::move(hash), so_far};
}

std::future<Outcome<Upload::Chunk>> Upload::fetch(std::uint64_t offset) {
  if (offset >= bytes_) return {};
  try {
    return std::async(std::launch::async, [this, offset, count = chunk_] { return chunk_at(offset, count); });
  } catch (const std::system_error&) { return {}; }
}

Outcome<std::string> Upload::read_at(std::uint64_t offset, std::uint64_t count) const {
  std::string bytes(count, '\0');
  for (std::size_t have = 0; have < bytes.size();) {
    const ssize_t got =
        ::pread(file_, bytes.data() + have, bytes.size() - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return Failure{kFailed, "read-failed", "cannot read '" + name_ + "': " + std::strerror(errno), {}, {}};
    if (got == 0) return changed(name_);  // it has become shorter
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace berth::cli
