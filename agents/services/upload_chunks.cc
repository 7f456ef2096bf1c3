#include "agents/services/upload_chunks.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "agents/volumes/uploads.h"

namespace berth::agents {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kAhead = 256u << 10;  // bytes that came and are not written: then no more is read
constexpr std::size_t kPiece = 64u << 10;   // so many are worth a write

Error taken_over() {
  return make_error("upload-busy", "another chunk of this upload came meanwhile",
                    "ask where the upload is, and go on from there");
}

}  // namespace

// A chunk on its way; it goes, with all that it holds, when nothing is to be done for it any more.
struct UploadChunks::Coming {
  FileServicePath what;
  StreamHandle stream;
  std::shared_ptr<void> place, chunk_place;
  GiveWay::Id waits = 0;

  std::mutex mutex;
  std::vector<std::string> came;               // guarded; not written
  std::size_t came_bytes = 0;                  // guarded; of them
  Clock::time_point came_last = Clock::now();  // guarded
  bool reads = false;                          // guarded; more of it
  bool ended = false;                          // guarded; nothing follows
  bool works = true;  // guarded; a task of the pool is at it, or will be: `chunk` is the task's
  bool over = false;  // guarded; refused, or nobody wants it any more

  std::optional<UploadChunk> chunk;  // guarded while no task is at it
};

std::string UploadChunks::key_of(const FileServicePath& what) {
  return std::string(what.volume.view()) + std::string(what.folder.view()) + what.question.upload();
}

std::shared_ptr<void> UploadChunks::place_for_one() {
  auto place = places_.take();
  return place || !make_room() ? place : places_.take();
}

void UploadChunks::take(FileServicePath what, const StreamHandle& stream, std::shared_ptr<void> place) {
  auto chunk_place = place_for_one();
  if (!chunk_place) return refuse_file(stream, agent_busy());
  const auto coming = std::make_shared<Coming>();
  coming->what = std::move(what);
  coming->stream = stream;
  coming->place = std::move(place);
  coming->chunk_place = std::move(chunk_place);
  coming->waits = waiting_.add([self = shared_from_this(), weak = std::weak_ptr(coming)] {
    if (const ComingHandle late = weak.lock()) self->give_up(late, agent_busy());
  });
  pool_->post([self = shared_from_this(), coming] { self->begin(coming); });
}

// Null: none.
UploadChunks::ComingHandle UploadChunks::under_way(const FileServicePath& what) {
  const std::lock_guard lock(mutex_);
  const auto found = under_way_.find(key_of(what));
  return found == under_way_.end() ? nullptr : found->second.lock();
}

// One that waits for the disk is not.
bool UploadChunks::is_lost(const ComingHandle& coming) const {
  const std::lock_guard lock(coming->mutex);
  return coming->reads && Clock::now() - coming->came_last >= limits_.lost_after;
}

void UploadChunks::begin(const ComingHandle& coming) {
  if (const ComingHandle before = under_way(coming->what); before && is_lost(before))
    give_up(before, taken_over());
  const auto folder = volumes_.open_folder(coming->what.volume, coming->what.folder);
  if (!folder) return give_up(coming, folder.error());
  const Uploads uploads(*folder);
  auto chunk = uploads.begin_chunk(coming->what.question);
  if (!chunk)
    return give_up(coming, chunk.error(), offset_to_tell(chunk.error(), uploads, coming->what.question));
  coming->chunk.emplace(*std::move(chunk));
  if (const auto known = coming->chunk->go_on(take_hash(coming->what)); !known) {
    // The chunk holds the upload, and the asker's next question comes as soon as this one is answered.
    coming->chunk.reset();
    return give_up(coming, known.error());
  }
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(under_way_, [](const auto& one) { return one.second.expired(); });
    under_way_[key_of(coming->what)] = coming;
  }
  write_on(coming);
}

void UploadChunks::read_on(const ComingHandle& coming) {
  coming->stream->read([self = shared_from_this(), coming](Result<std::string> piece) {
    self->take_piece(coming, std::move(piece));
  });
}

void UploadChunks::take_piece(const ComingHandle& coming, Result<std::string> piece) {
  const bool last = !piece || piece->empty();
  bool more = false, work = false;
  {
    const std::lock_guard lock(coming->mutex);
    coming->reads = false;
    coming->came_last = Clock::now();
    if (coming->over) return;
    if (!piece) {
      coming->over = true;
    } else if (last) {
      coming->ended = true;
    } else {
      coming->came_bytes += piece->size();
      if (!coming->came.empty() && coming->came.back().size() + piece->size() <= kPiece)
        coming->came.back() += *piece;
      else
        coming->came.push_back(*std::move(piece));
      coming->reads = more = coming->came_bytes < kAhead;
    }
    if (last || coming->came_bytes >= kPiece)  // an asker may send byte by byte
      work = !std::exchange(coming->works, true);
  }
  if (more) read_on(coming);
  if (last) waiting_.remove(coming->waits);
  if (work) pool_->post([self = shared_from_this(), coming] { self->write_on(coming); });
}

void UploadChunks::write_on(const ComingHandle& coming) {
  for (;;) {
    std::vector<std::string> pieces;
    bool read = false, dropped = false, all = false;
    {
      const std::lock_guard lock(coming->mutex);
      dropped = coming->over;
      pieces = std::exchange(coming->came, {});
      coming->came_bytes = 0;
      all = pieces.empty() && coming->ended;
      if (all) coming->over = true;  // it is answered now, and by nobody else
      if (pieces.empty() && !all && !dropped) coming->works = false;
      read = !dropped && !coming->ended && !std::exchange(coming->reads, true);
    }
    if (dropped) return drop(coming);
    if (all) return end(coming);
    if (read) read_on(coming);
    if (pieces.empty()) return;
    for (const std::string& piece : pieces)
      if (const auto written = coming->chunk->add(piece); !written) {
        drop(coming);  // before the answer
        return give_up(coming, written.error());
      }
  }
}

void UploadChunks::end(const ComingHandle& coming) {
  const auto offset = coming->chunk->end();
  drop(coming);  // so that the next one may come
  if (!offset) return refuse_file(coming->stream, offset.error());
  answer_with(coming->stream, offset_answer(*offset));
}

void UploadChunks::drop(const ComingHandle& coming) {
  if (!coming->chunk) return;
  hashes_.keep(key_of(coming->what), coming->chunk->whole());
  coming->chunk.reset();
}

// A task that is at it finds out, and drops it.
void UploadChunks::give_up(const ComingHandle& coming, const Error& error, std::uint64_t offset) {
  {
    const std::lock_guard lock(coming->mutex);
    if (std::exchange(coming->over, true)) return;
    coming->came = {};
    if (!coming->works) drop(coming);
  }
  waiting_.remove(coming->waits);
  refuse_file(coming->stream, error, offset);
  coming->place.reset();
  coming->chunk_place.reset();
}

void UploadChunks::forget(const FileServicePath& what) {
  if (const ComingHandle coming = under_way(what)) give_up(coming, taken_over());
  hashes_.forget(key_of(what));
}

}  // namespace berth::agents
