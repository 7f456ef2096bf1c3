#include "controller/api/folders/chunk_relay.h"

#include <utility>

namespace berth::controller::api {
namespace {

constexpr std::chrono::seconds kChunkPatience{60};  // for the agent to have the chunk on disk

}  // namespace

ChunkRelay::ChunkRelay(const Services& services, Caller caller, const FolderId& folder,
                       std::shared_ptr<BodyStream> body, std::function<void(FileReply)> done)
    : services_(services),
      watch_(services.context, std::move(caller), folder, projections::FolderAccess::kWrite),
      body_(std::move(body)),
      done_(std::move(done)) {}

void ChunkRelay::begin(const FilesQuestion& question) {
  {
    const std::lock_guard lock(mutex_);
    channel_ = services_.context.ask_files(
        question, [self = shared_from_this()](const FilesAnswer& answer) { self->answered(answer); });
  }
  pump();
}

void ChunkRelay::pump() {
  body_->read([self = shared_from_this()](Result<std::string> piece) { self->took(std::move(piece)); });
}

void ChunkRelay::took(Result<std::string> piece) {
  if (!piece.ok()) {
    settle(refused_with(to_problem(piece.error())));
    return body_over(false);
  }
  if (piece->empty()) return body_over(true);
  if (!watch_.may_go_on()) give_up();
  std::shared_ptr<KernelChannel> channel;
  {
    const std::lock_guard lock(mutex_);
    if (!takes_no_more_ && !reply_) channel = channel_;
    if (channel != nullptr && std::exchange(writing_, true)) {
      held_ = *std::move(piece);
      return;
    }
  }
  if (channel != nullptr) write(*channel, *std::move(piece));
  pump();
}

// The agent drops what it has of the chunk.
void ChunkRelay::give_up() {
  settle(refused_with(make_problem("access-lost", "you may not write in this folder any more",
                                   "what came of the chunk is dropped")));
  std::shared_ptr<KernelChannel> channel;  // goes without the lock
  const std::lock_guard lock(mutex_);
  channel = std::exchange(channel_, nullptr);
}

void ChunkRelay::write(KernelChannel& channel, std::string piece) {
  channel.write(std::move(piece),
                [self = shared_from_this()](const Result<void>& written) { self->wrote(written.ok()); });
}

// Where it is not good, the answer says why.
void ChunkRelay::wrote(bool good) {
  std::shared_ptr<KernelChannel> channel;
  std::string piece;
  bool waits = false;
  {
    const std::lock_guard lock(mutex_);
    if (!good) takes_no_more_ = true;
    piece = std::exchange(held_, {});
    waits = !piece.empty();
    if (waits && !takes_no_more_ && !reply_) channel = channel_;
    writing_ = channel != nullptr;
  }
  if (channel != nullptr) write(*channel, std::move(piece));
  if (waits) pump();
}

// Of a chunk that does not come whole the agent is told nothing but that the stream is given up.
void ChunkRelay::body_over(bool whole) {
  std::shared_ptr<KernelChannel> channel;
  {
    const std::lock_guard lock(mutex_);
    body_over_ = true;
    channel = channel_;
  }
  services_.quick.post_after(kChunkPatience, [weak = weak_from_this()] {
    if (const auto late = weak.lock())
      late->settle(refused_with(make_problem("agent-timeout", "the agent has not written the chunk in time",
                                             "ask where the upload is, and go on from there")));
  });
  if (channel != nullptr && whole) channel->finish();
  finish();
}

void ChunkRelay::answered(const FilesAnswer& answer) {
  if (answer.refused) return settle(refused_with(problem_of(answer)));
  std::shared_ptr<KernelChannel> channel;
  {
    const std::lock_guard lock(mutex_);
    channel = channel_;
  }
  if (channel == nullptr) return;
  FileAnswerReader::read(channel,
                         [self = shared_from_this()](FileReply reply) { self->settle(std::move(reply)); });
}

void ChunkRelay::settle(FileReply reply) {
  {
    const std::lock_guard lock(mutex_);
    if (!reply_) reply_ = std::move(reply);
  }
  finish();
}

void ChunkRelay::finish() {
  std::function<void(FileReply)> done;
  std::shared_ptr<KernelChannel> channel;  // goes without the lock
  FileReply reply;
  {
    const std::lock_guard lock(mutex_);
    if (!body_over_ || !reply_ || !done_) return;
    done = std::exchange(done_, nullptr);
    channel = std::exchange(channel_, nullptr);
    reply = *reply_;
  }
  done(std::move(reply));
}

}  // namespace berth::controller::api
