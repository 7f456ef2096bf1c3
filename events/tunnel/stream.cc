#include "events/tunnel/stream.h"

#include <algorithm>

#include "events/tunnel/stream_state.h"

namespace berth::tunnel {
namespace {

Error too_much_at_once() {
  return make_error(kTooMuchAtOnce, "a read or write of the stream is under way, or the bytes are too many",
                    "one at a time, at most " + std::to_string(kBufferedBytesMax) + " bytes");
}

constexpr std::size_t kMuch = 8u << 10;

constexpr std::uint32_t kNoError = 0;  // HTTP/2's
constexpr std::uint32_t kInternalError = 2;

Error given_up() { return make_error(kReset, "this side gave the stream up"); }

}  // namespace

Stream::Stream(std::shared_ptr<StreamState> state) : state_(std::move(state)) {}
Stream::~Stream() {
  state_->post([](StreamState& state) { state.drop(); });
}
void Stream::read(Read done) {
  state_->post([done = std::move(done)](StreamState& state) mutable { state.read(std::move(done)); });
}
void Stream::write(std::string bytes, Done done) {
  state_->post([bytes = std::move(bytes), done = std::move(done)](StreamState& state) mutable {
    state.write(std::move(bytes), std::move(done));
  });
}
void Stream::finish() {
  state_->post([](StreamState& state) { state.finish(); });
}
void Stream::reset(std::uint32_t code) {
  state_->post([code](StreamState& state) { state.reset(code); });
}
void Stream::when_over(Done done) {
  state_->post([done = std::move(done)](StreamState& state) mutable { state.when_over(std::move(done)); });
}
void Stream::answer(Answer answer) {
  state_->post([answer = std::move(answer)](StreamState& state) { state.answer(answer); });
}

StreamState::~StreamState() { common_->totals.buffered -= counted_; }

template <class Handler, class Value> void StreamState::call(Handler& handler, Value value) {
  if (!handler) return;
  const Handler once = std::exchange(handler, nullptr);
  common_->gate.through([&] { once(std::move(value)); });
}

void StreamState::recount() {
  const std::size_t now = in_bytes_ + taken_ + out_.size() - out_sent_;
  common_->totals.buffered += now - counted_;  // wraps around to a subtraction
  counted_ = now;
}

Error StreamState::why_over() const {
  return error_ ? *error_ : make_error(kReset, "the stream is over: both its ways have ended");
}

void StreamState::attach(StreamCarrier* carrier, std::int32_t id) {
  carrier_ = carrier;
  id_ = id;
  ++common_->totals.streams;
}

bool StreamState::detach() {
  if (over_ || carrier_ == nullptr || std::exchange(detached_, true)) return false;
  carrier_ = nullptr;
  --common_->totals.streams;
  return true;
}

void StreamState::read(Stream::Read done) {
  if (reading_) return call(done, Result<std::string>(too_much_at_once()));
  reading_ = std::move(done);
  const std::size_t taken = std::exchange(taken_, 0);
  if (carrier_ != nullptr && taken > 0) carrier_->consume(*this, taken);
  deliver();
}

void StreamState::deliver() {
  if (reading_) {
    if (!in_.empty()) {
      std::string piece = std::move(in_.front());
      in_.erase(in_.begin());
      if (in_.empty() && in_.capacity() > 1) in_ = {};  // an idle stream keeps no memory
      taken_ = piece.size();
      in_bytes_ -= taken_;
      call(reading_, Result<std::string>(std::move(piece)));
    } else if (error_) {
      call(reading_, Result<std::string>(*error_));
    } else if (in_ended_) {
      call(reading_, Result<std::string>(std::string()));
    }
  }
  recount();
}

void StreamState::write(std::string bytes, Stream::Done done) {
  if (over_) return call(done, Result<void>(why_over()));
  if (out_ended_)
    return call(done, Result<void>(make_error(kBodyEnded, "this side has finished its body before")));
  if (writing_ || bytes.size() > kBufferedBytesMax) return call(done, Result<void>(too_much_at_once()));
  if (bytes.empty()) return call(done, Result<void>());
  out_ = std::move(bytes);
  writing_ = std::move(done);
  recount();
  if (carrier_ != nullptr) carrier_->resume(*this);
}

void StreamState::finish() {
  out_ended_ = true;
  if (carrier_ != nullptr) carrier_->resume(*this);
}

void StreamState::reset(std::uint32_t code) {
  if (over_) return;
  if (carrier_ != nullptr) carrier_->reset(*this, code);
  end(given_up());
}

void StreamState::drop() {
  if (over_) return;
  if (!out_ended_ || carrier_ == nullptr) return reset(Stream::kCancelled);
  dropped_ = true;
  drop_in();
  recount();
  end_dropped();
}

// The body has left whole; what the other side would still send is for nobody.
void StreamState::end_dropped() {
  if (dropped_ && end_sent_ && !in_ended_) reset(kNoError);
}

void StreamState::when_over(Stream::Done done) {
  when_over_ = std::move(done);
  if (over_) call(when_over_, error_ ? Result<void>(*error_) : Result<void>());
}

void StreamState::answer(const Answer& answer) {
  if (carrier_ == nullptr || std::exchange(has_answer_, true)) return;
  if (!check(answer)) return reset(kInternalError);
  carrier_->answer(*this, answer);
}

void StreamState::give_answer(Answer answer) { call(answered_, Result<Answer>(std::move(answer))); }

void StreamState::give(std::string_view bytes) {
  if (over_ || dropped_) return;  // the other side does not know yet
  if (in_.empty() || in_.back().size() + bytes.size() > kReadBytesMax) {
    in_.emplace_back();
    if (bytes.size() >= kMuch) in_.back().reserve(kReadBytesMax);  // more of it follows
  }
  in_.back() += bytes;
  in_bytes_ += bytes.size();
}

void StreamState::drop_in() {
  in_ = {};
  in_bytes_ = 0;
}

void StreamState::tell_given() { deliver(); }

void StreamState::give_end() {
  if (over_) return;
  in_ended_ = true;
  deliver();
}

std::size_t StreamState::has_to_send(std::size_t size, bool& end) const {
  const std::size_t left = out_.size() - out_sent_;
  end = out_ended_ && left <= size;
  return std::min(size, left);
}

void StreamState::take(std::string& to, std::size_t size) {
  to.append(out_, out_sent_, size);
  out_sent_ += size;
  if (out_sent_ == out_.size()) {
    out_ = {};  // an idle stream keeps no memory
    out_sent_ = 0;
    call(writing_, Result<void>());
    if (out_ended_) {
      end_sent_ = true;
      post([](StreamState& state) { state.end_dropped(); });
    }
  }
  recount();
}

void StreamState::end(std::optional<Error> error, Came came) {
  if (over_) return;
  over_ = true;
  if (std::exchange(carrier_, nullptr) != nullptr) --common_->totals.streams;
  error_ = std::move(error);
  if (error_ && came == Came::kIsDropped) drop_in();
  if (error_) taken_ = 0;
  out_.clear();
  out_sent_ = 0;
  call(answered_, Result<Answer>(why_over()));
  call(writing_, Result<void>(why_over()));
  deliver();
  call(when_over_, error_ ? Result<void>(*error_) : Result<void>());
}

}  // namespace berth::tunnel
