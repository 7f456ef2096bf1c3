#include "agents/services/file_route.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/services/give_way.h"
#include "agents/services/work_pool.h"
#include "agents/volumes/folder_files.h"
#include "agents/volumes/uploads.h"
#include "agents/volumes/volumes.h"
#include "events/base/hash.h"

namespace berth::agents {
namespace {

using StreamHandle = std::shared_ptr<tunnel::Stream>;

constexpr std::size_t kPiece = 64u << 10;  // of a chunk: smaller ones are joined

int file_refusal_status(const Error& error) {
  static const std::map<std::string, int, std::less<>> kStatuses = {
      {"bad-request", 400},      {"unknown-volume", 404},   {"unknown-folder", 404},
      {"unknown-path", 404},     {"unknown-upload", 404},   {"path-exists", 409},
      {"not-a-file", 409},       {"not-a-folder", 409},     {"folder-not-empty", 409},
      {"too-many-files", 409},   {"file-busy", 409},        {"upload-busy", 409},
      {"upload-differs", 409},   {"too-many-uploads", 409}, {"offset-differs", 409},
      {"upload-too-large", 413}, {"range-invalid", 416},    {"path-invalid", 422},
      {"checksum-differs", 422}, {"checksum-missing", 422}, {"volume-full", 507},
  };
  const auto found = kStatuses.find(error.code);
  return found == kStatuses.end() ? 500 : found->second;
}

Error busy() {
  return make_error("agent-busy", "this agent works on as many questions about files as it can",
                    "try again in a moment");
}

// Held as long as its handle, by whatever thread. Null: all are taken.
std::shared_ptr<void> place_in(const std::shared_ptr<std::atomic<std::size_t>>& taken, std::size_t max) {
  if (taken->fetch_add(1) >= max) {
    taken->fetch_sub(1);
    return nullptr;
  }
  return {taken.get(), [taken](void*) { taken->fetch_sub(1); }};
}

void answer_with(const StreamHandle& stream, const v1::FileAnswer& answer) {
  stream->answer({200, {}});
  finish_with(stream, answer.SerializeAsString());
}

v1::FileAnswer offset_answer(std::uint64_t offset) {
  v1::FileAnswer answer;
  answer.set_offset(offset);
  return answer;
}

v1::FileAnswer entry_answer(v1::FileEntry entry) {
  v1::FileAnswer answer;
  *answer.add_entries() = std::move(entry);
  return answer;
}

}  // namespace

class FileService::Impl : public std::enable_shared_from_this<FileService::Impl> {
 public:
  Impl(Volumes& volumes, FileLimits limits) : volumes_(volumes), limits_(limits), pool_(limits.threads) {}

  void take(FileServicePath what, const StreamHandle& stream);
  void stop() { pool_.stop(); }

 private:
  // A question on its way; it goes, with all that it holds, when nothing is to be done for it any more.
  struct Ask {
    FileServicePath what;
    StreamHandle stream;
    std::shared_ptr<void> place;        // of open_max
    std::shared_ptr<void> chunk_place;  // of chunks_max
    std::vector<std::string> chunk;     // as it came: 8 MiB in one are fresh pages each time
    std::uint64_t chunk_bytes = 0;
    Sha256 hash;            // of the chunk, as it comes
    GiveWay::Id waits = 0;  // for the chunk
    bool gave_way = false;  // refused in mid-chunk
  };
  using AskHandle = std::shared_ptr<Ask>;
  // The bytes of a file on their way out.
  struct Reading {
    AskHandle ask;
    Descriptor file;
    std::uint64_t at = 0;
    std::uint64_t end = 0;
  };

  // An upload on its way to its place.
  struct Finish {
    AskHandle ask;
    OpenFolder folder;
    Finishing upload;
  };

  static std::string key_of(const AskHandle& ask);
  std::shared_ptr<void> place_for_chunk();
  void collect(const AskHandle& ask);
  void work(const AskHandle& ask);
  void work_in(const AskHandle& ask, const OpenFolder& folder);
  void work_on_upload(const AskHandle& ask, OpenFolder folder);
  void add_chunk(const AskHandle& ask, Uploads& uploads);
  void begin_finish(const AskHandle& ask, OpenFolder folder);
  void finish_on(const std::shared_ptr<Finish>& finish);
  void begin_reading(const AskHandle& ask, FolderFiles& files);
  void read_on(const std::shared_ptr<Reading>& reading);
  static void refuse_with(const AskHandle& ask, const Error& error, std::uint64_t offset = 0) {
    refuse(ask->stream, file_refusal_status(error), error, offset);
  }
  template <class Value, class Tell>
  static void tell(const AskHandle& ask, const Result<Value>& result, Tell answer_of) {
    if (!result) return refuse_with(ask, result.error());
    answer_with(ask->stream, answer_of(*result));
  }
  static void tell(const AskHandle& ask, const Result<void>& result) {
    if (!result) return refuse_with(ask, result.error());
    answer_with(ask->stream, {});
  }

  Volumes& volumes_;
  const FileLimits limits_;
  const std::shared_ptr<std::atomic<std::size_t>> open_ = std::make_shared<std::atomic<std::size_t>>(0);
  const std::shared_ptr<std::atomic<std::size_t>> chunks_ = std::make_shared<std::atomic<std::size_t>>(0);
  UploadHashes hashes_;
  GiveWay readers_{limits_.patience}, chunks_under_way_{limits_.patience};
  WorkPool pool_;
};

void FileService::Impl::take(FileServicePath what, const StreamHandle& stream) {
  const auto ask = std::make_shared<Ask>();
  ask->what = std::move(what);
  ask->stream = stream;
  ask->place = place_in(open_, limits_.open_max);
  if (!ask->place && (readers_.make_room() || chunks_under_way_.make_room()))
    ask->place = place_in(open_, limits_.open_max);
  if (!ask->place) return refuse(stream, 503, busy());
  if (ask->what.operation != FileOperation::kUploadChunk)
    return pool_.post([self = shared_from_this(), ask] { self->work(ask); });
  if (ask->what.question.bytes() > kUploadChunkBytesMax)
    return refuse(stream, 413,
                  make_error("upload-too-large",
                             "a chunk has at most " + std::to_string(kUploadChunkBytesMax) + " bytes"));
  ask->chunk_place = place_for_chunk();
  if (!ask->chunk_place) return refuse(stream, 503, busy());
  ask->waits = chunks_under_way_.add([weak = std::weak_ptr(ask)] {
    const AskHandle late = weak.lock();
    if (!late) return;
    late->gave_way = true;
    late->chunk = {};
    late->chunk_place.reset();
    late->place.reset();
    refuse(late->stream, 503, busy());
  });
  collect(ask);
}

std::shared_ptr<void> FileService::Impl::place_for_chunk() {
  auto place = place_in(chunks_, limits_.chunks_max);
  return place || !chunks_under_way_.make_room() ? place : place_in(chunks_, limits_.chunks_max);
}

void FileService::Impl::collect(const AskHandle& ask) {
  ask->stream->read([self = shared_from_this(), ask](Result<std::string> bytes) {
    if (ask->gave_way) return;
    if (!bytes) return self->chunks_under_way_.remove(ask->waits);
    const std::uint64_t wanted = ask->what.question.bytes();
    const bool ended = bytes->empty();
    const bool fits = ended ? ask->chunk_bytes == wanted : bytes->size() <= wanted - ask->chunk_bytes;
    if (ended || !fits) self->chunks_under_way_.remove(ask->waits);
    if (!fits)
      return refuse(ask->stream, 400,
                    make_error("bad-request", "the chunk was to have " + std::to_string(wanted) + " bytes"));
    if (!ended) {
      ask->hash.add(*bytes);
      ask->chunk_bytes += bytes->size();
      if (!ask->chunk.empty() && ask->chunk.back().size() + bytes->size() <= kPiece)
        ask->chunk.back() += *bytes;  // an asker may send byte by byte
      else
        ask->chunk.push_back(*std::move(bytes));
      return self->collect(ask);
    }
    self->pool_.post([self, ask] { self->work(ask); });
  });
}

void FileService::Impl::work(const AskHandle& ask) {
  auto folder = volumes_.open_folder(ask->what.volume, ask->what.folder);
  if (!folder) return refuse_with(ask, folder.error());
  if (ask->what.operation >= FileOperation::kUploadBegin) return work_on_upload(ask, std::move(*folder));
  work_in(ask, *folder);
}

void FileService::Impl::work_in(const AskHandle& ask, const OpenFolder& folder) {
  const v1::FileQuestion& question = ask->what.question;
  FolderFiles files(volumes_, folder);
  switch (ask->what.operation) {
    case FileOperation::kList:
      return tell(ask, files.list(question.path(), question.after(), question.limit()), std::identity());
    case FileOperation::kStat: return tell(ask, files.stat(question.path()), entry_answer);
    case FileOperation::kRead: return begin_reading(ask, files);
    case FileOperation::kMakeFolder: return tell(ask, files.make_folder(question.path()));
    case FileOperation::kRename: return tell(ask, files.rename(question.path(), question.to()));
    default: return tell(ask, files.remove(question.path(), question.recursive()));
  }
}

void FileService::Impl::work_on_upload(const AskHandle& ask, OpenFolder folder) {
  if (ask->what.operation == FileOperation::kUploadFinish) return begin_finish(ask, std::move(folder));
  const v1::FileQuestion& question = ask->what.question;
  Uploads uploads(folder);
  switch (ask->what.operation) {
    case FileOperation::kUploadBegin: return tell(ask, uploads.begin(question), offset_answer);
    case FileOperation::kUploadStatus: return tell(ask, uploads.status(question), offset_answer);
    case FileOperation::kUploadAbort: hashes_.forget(key_of(ask)); return tell(ask, uploads.abort(question));
    default: return add_chunk(ask, uploads);
  }
}

// The file's hash goes on when the chunk is answered, while the next one comes, which waits for its turn.
void FileService::Impl::add_chunk(const AskHandle& ask, Uploads& uploads) {
  const v1::FileQuestion& question = ask->what.question;
  const auto offset = uploads.add(question, ask->chunk, ask->hash.value());
  if (offset) {
    auto turn = hashes_.turn(key_of(ask));
    tell(ask, offset, offset_answer);
    std::uint64_t at = question.offset();
    for (const std::string& piece : ask->chunk) {
      turn.add(at, piece);
      at += piece.size();
    }
    return;
  }
  if (offset.error().code != "offset-differs") return refuse_with(ask, offset.error());
  const auto there = uploads.status(question);
  refuse_with(ask, offset.error(), there ? *there : 0);
}

std::string FileService::Impl::key_of(const AskHandle& ask) {
  const FileServicePath& what = ask->what;
  return std::string(what.volume.view()) + std::string(what.folder.view()) + what.question.upload();
}

void FileService::Impl::begin_finish(const AskHandle& ask, OpenFolder folder) {
  auto upload = Uploads(folder).begin_finish(ask->what.question, hashes_.take(key_of(ask)));
  if (!upload) return refuse_with(ask, upload.error());
  finish_on(std::make_shared<Finish>(Finish{ask, std::move(folder), std::move(*upload)}));
}

// A turn, and the next behind what others ask: a large file holds up nobody, nor the end of this service.
void FileService::Impl::finish_on(const std::shared_ptr<Finish>& finish) {
  Uploads uploads(finish->folder);
  const auto read = uploads.read_on(finish->upload);
  if (!read) return refuse_with(finish->ask, read.error());
  if (*read) return tell(finish->ask, uploads.end_finish(std::move(finish->upload)), entry_answer);
  pool_.post([self = shared_from_this(), finish] { self->finish_on(finish); });
}

void FileService::Impl::begin_reading(const AskHandle& ask, FolderFiles& files) {
  const v1::FileQuestion& question = ask->what.question;
  auto opened = files.open(question.path());
  if (!opened) return refuse_with(ask, opened.error());
  const std::uint64_t size = opened->entry.bytes();
  if (question.offset() > size)
    return refuse_with(ask, make_error("range-invalid", "the file has " + std::to_string(size) + " bytes"));
  const auto reading = std::make_shared<Reading>();
  reading->ask = ask;
  reading->file = std::move(opened->file);
  reading->at = question.offset();
  const std::uint64_t left = size - question.offset();
  reading->end = reading->at + (question.length() == 0 ? left : std::min(left, question.length()));
  ask->stream->answer({200, {{kFileEntryHeader, to_hex(opened->entry.SerializeAsString())}}});
  read_on(reading);
}

// A piece, and the next when that is on its way: a slow asker holds no thread.
void FileService::Impl::read_on(const std::shared_ptr<Reading>& reading) {
  const StreamHandle& stream = reading->ask->stream;
  if (reading->at == reading->end) return stream->finish();
  std::string piece(std::min<std::uint64_t>(tunnel::kBufferedBytesMax, reading->end - reading->at), '\0');
  ssize_t got = 0;
  do got = pread(reading->file.get(), piece.data(), piece.size(), static_cast<off_t>(reading->at));
  while (got < 0 && errno == EINTR);
  if (got <= 0) return stream->reset();  // cut short meanwhile, or unreadable: half of it is not all of it
  piece.resize(static_cast<std::size_t>(got));
  reading->at += piece.size();
  const auto waits = readers_.add([weak = std::weak_ptr(reading)] {
    const auto late = weak.lock();
    if (!late) return;
    late->ask->place.reset();
    late->ask->stream->reset();
  });
  stream->write(std::move(piece), [self = shared_from_this(), reading, waits](const Result<void>& done) {
    self->readers_.remove(waits);
    if (done) self->pool_.post([self, reading] { self->read_on(reading); });
  });
}

FileService::FileService(Volumes& volumes, FileLimits limits)
    : impl_(std::make_shared<Impl>(volumes, limits)) {}
FileService::~FileService() { stop(); }
FolderRoute FileService::route() {
  return [impl = impl_](FileServicePath what, const StreamHandle& stream) {
    impl->take(std::move(what), stream);
  };
}
void FileService::stop() { impl_->stop(); }

}  // namespace berth::agents
