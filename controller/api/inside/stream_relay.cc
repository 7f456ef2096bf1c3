#include "controller/api/inside/stream_relay.h"

namespace berth::controller::api {
namespace {

constexpr std::uint16_t kGoesAway = 1001, kTheirFault = 1008, kTooBig = 1009, kOurFault = 1011;

// What the client did wrong, or may no more; or what failed here, or at the agent.
std::uint16_t close_of(const Error& problem) {
  if (problem.code == "stopping") return kGoesAway;
  return problem.code.status() >= 500 ? kOurFault : kTheirFault;
}

}  // namespace

Error wrong_message(const char* why, const char* hint) { return make_error(kMessageInvalid, why, hint); }

StreamRelay::StreamRelay(const Services& services, Way way, State state)
    : services_(services), way_(std::move(way)), used_at_(services.context.now()), state_(state) {}

void StreamRelay::take(Message message, std::function<void()> done) {
  Lock lock(mutex_);
  taken_ = std::move(done);
  if (state_ != State::kOver) take_message(message);
  settle(lock);
}

void StreamRelay::next(std::function<void(Batch)> done) {
  Lock lock(mutex_);
  next_ = std::move(done);
  settle(lock);
}

void StreamRelay::when_over(std::function<void()> over) {
  Lock lock(mutex_);
  over_ = std::move(over);
  settle(lock);
}

void StreamRelay::stalled() {
  Lock lock(mutex_);
  if (!outlasts_stall())
    end(make_error("too-slow", "nothing that was written was read for a minute",
                   "read what comes, or less of it"));
  settle(lock);
}

void StreamRelay::cut(const Error& why) {
  Lock lock(mutex_);
  // What the kernel said is not for who lost the right to it.
  const bool keeps = why.code == "session-ended" || why.code == "stopping";
  if (state_ != State::kOver && !keeps) pending_ = {};
  end(why);
  settle(lock);
}

void StreamRelay::settle(Lock& lock) {
  std::function<void(Batch)> next;
  std::function<void()> taken, over;
  Batch batch;
  if (next_ && (!pending_.messages.empty() || pending_.close)) {
    next = std::exchange(next_, nullptr);
    batch = std::exchange(pending_, {});
  }
  if (next_) read();
  if (unsent_.empty() && !writing_ && state_ != State::kRecording) taken = std::exchange(taken_, nullptr);
  if (state_ == State::kOver) over = std::exchange(over_, nullptr);
  const auto behind = std::exchange(behind_, nullptr);
  lock.unlock();
  if (next) next(std::move(batch));
  if (taken) taken();
  if (over) over();
  if (behind) behind();
}

// ---- the opening ----

void StreamRelay::record(v1::WayKind kind, std::string name) {
  state_ = State::kRecording;
  behind_ = [this, held = shared_from_this(),
             opening = Opening{way_.session, way_.kernel.kernel, kind, std::move(name)}] {
    record_opening(services_, way_.call, opening,
                   later<StreamRelay>([](StreamRelay& self, const std::optional<Error>& refused) {
                     self.recorded(refused);
                   }));
  };
}

void StreamRelay::recorded(const std::optional<Error>& refused) {
  if (state_ != State::kRecording) return;
  if (refused) return end(*refused);
  state_ = State::kOpen;
  channel_ = open_channel(later<StreamRelay>([](StreamRelay& self, const Result<void>& opened) {
    if (self.state_ != State::kOpen) return;
    if (!opened.ok()) return self.end(opened.error());
    self.opened_ = true;
  }));
  write();
}

// ---- to the kernel ----

bool StreamRelay::takes_size_of(const Message& message) {
  if (message.bytes.empty()) {
    end(wrong_message("an empty message says nothing"));
    return false;
  }
  if (message.bytes.size() <= kInputBytesMax) return true;
  const Error problem = wrong_message("a message of input has at most 64 KiB", "send it in several messages");
  end(message_of(problem), kTooBig);
  return false;
}

void StreamRelay::send(std::string_view bytes) {
  if (deaf_) return;
  unsent_ += bytes;
  write();
}

void StreamRelay::finish() {
  finishes_ = true;
  write();
}

void StreamRelay::write() {
  if (writing_ || channel_ == nullptr) return;
  if (unsent_.empty()) {
    if (std::exchange(finishes_, false)) channel_->finish();
    return;
  }
  writing_ = true;
  std::string bytes = unsent_.substr(0, KernelChannel::kWriteBytesMax);
  unsent_.erase(0, bytes.size());
  if (unsent_.empty()) unsent_ = {};  // an idle stream is cheap
  channel_->write(std::move(bytes), later<StreamRelay>([](StreamRelay& self, const Result<void>& written) {
                    self.writing_ = false;
                    if (!written.ok()) return self.drop_input();
                    self.write();
                  }));
}

// The kernel takes no more: what runs there has ended, and what it said last may still lie here. Reading
// tells whether that is so, or the channel is lost.
void StreamRelay::drop_input() {
  deaf_ = true;
  unsent_ = {};
}

// ---- from the kernel ----

void StreamRelay::read() {
  if (reading_ || !opened_ || channel_ == nullptr) return;
  reading_ = true;
  channel_->read(later<StreamRelay>([](StreamRelay& self, const Result<std::string>& bytes) {
    self.reading_ = false;
    self.took(bytes);
  }));
}

void StreamRelay::took(const Result<std::string>& bytes) {
  if (state_ != State::kOpen) return;
  if (!bytes.ok()) return lost(bytes.error());
  if (bytes->empty()) return take_end();
  take_bytes(*bytes);
}

// ---- the end ----

void StreamRelay::lost(Error why) {
  if (state_ != State::kOpen || lost_) return;
  channel_ = nullptr;
  unsent_.clear();
  writing_ = false;
  lost_ = std::move(why);
  services_.quick.post_after(services_.streams.limits().why_lost,
                             later<StreamRelay>([](StreamRelay& self) { self.end(*self.lost_); }));
}

void StreamRelay::end(const Error& problem) { end(message_of(problem), close_of(problem)); }

void StreamRelay::end(std::optional<Message> last, std::uint16_t close) {
  if (std::exchange(state_, State::kOver) == State::kOver) return;
  channel_ = nullptr;
  unsent_.clear();
  writing_ = false;
  forget();
  if (last) pending_.messages.push_back(std::move(*last));
  pending_.close = close;
}

}  // namespace berth::controller::api
