#include "agents/services/file_route.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "agents/services/file_answers.h"
#include "agents/services/give_way.h"
#include "agents/services/places.h"
#include "agents/services/upload_chunks.h"
#include "agents/services/work_pool.h"
#include "agents/volumes/folder_files.h"
#include "agents/volumes/uploads.h"
#include "agents/volumes/volumes.h"
#include "events/base/hash.h"

namespace berth::agents {
namespace {

v1::FileAnswer entry_answer(v1::FileEntry entry) {
  v1::FileAnswer answer;
  *answer.add_entries() = std::move(entry);
  return answer;
}

}  // namespace

class FileService::Impl : public std::enable_shared_from_this<FileService::Impl> {
 public:
  Impl(Volumes& volumes, FileLimits limits)
      : volumes_(volumes),
        limits_(limits),
        pool_(std::make_shared<WorkPool>(limits.threads)),
        chunks_(std::make_shared<UploadChunks>(volumes, pool_, limits)) {}

  void take(FileServicePath what, const StreamHandle& stream);
  void stop() { pool_->stop(); }

 private:
  // A question on its way; it goes, with all that it holds, when nothing is to be done for it any more.
  struct Ask {
    FileServicePath what;
    StreamHandle stream;
    std::shared_ptr<void> place;  // of open_max
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

  void work(const AskHandle& ask);
  void work_in(const AskHandle& ask, const OpenFolder& folder);
  void work_on_upload(const AskHandle& ask, OpenFolder folder);
  void begin_finish(const AskHandle& ask, OpenFolder folder);
  void finish_on(const std::shared_ptr<Finish>& finish);
  void begin_reading(const AskHandle& ask, FolderFiles& files);
  void read_on(const std::shared_ptr<Reading>& reading);
  static void refuse_with(const AskHandle& ask, const Error& error) { refuse_file(ask->stream, error); }
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
  const Places open_{limits_.open_max};
  GiveWay readers_{limits_.patience};
  const std::shared_ptr<WorkPool> pool_;
  const std::shared_ptr<UploadChunks> chunks_;
};

void FileService::Impl::take(FileServicePath what, const StreamHandle& stream) {
  auto place = open_.take();
  if (!place && (readers_.make_room() || chunks_->make_room())) place = open_.take();
  if (!place) return refuse_file(stream, agent_busy());
  if (what.operation == FileOperation::kUploadChunk)
    return chunks_->take(std::move(what), stream, std::move(place));
  const auto ask = std::make_shared<Ask>(Ask{std::move(what), stream, std::move(place)});
  pool_->post([self = shared_from_this(), ask] { self->work(ask); });
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
    default: chunks_->forget(ask->what); return tell(ask, uploads.abort(question));
  }
}

void FileService::Impl::begin_finish(const AskHandle& ask, OpenFolder folder) {
  const Uploads uploads(folder);
  auto upload = uploads.begin_finish(ask->what.question);
  if (!upload)
    return refuse_file(ask->stream, upload.error(),
                       offset_to_tell(upload.error(), uploads, ask->what.question));
  upload->so_far = chunks_->take_hash(ask->what);
  finish_on(std::make_shared<Finish>(Finish{ask, std::move(folder), std::move(*upload)}));
}

// A turn, and the next behind what others ask: a large file holds up nobody, nor the end of this service.
void FileService::Impl::finish_on(const std::shared_ptr<Finish>& finish) {
  Uploads uploads(finish->folder);
  const auto read = uploads.read_on(finish->upload);
  if (!read) return refuse_with(finish->ask, read.error());
  if (*read) return tell(finish->ask, uploads.end_finish(std::move(finish->upload)), entry_answer);
  pool_->post([self = shared_from_this(), finish] { self->finish_on(finish); });
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
    if (done) self->pool_->post([self, reading] { self->read_on(reading); });
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
