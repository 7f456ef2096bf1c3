#include "agents/services/passage.h"

#include <boost/asio/io_context.hpp>

#include "agents/services/open_channel.h"

namespace berth::agents {
namespace {

using inside::FrameType;

constexpr std::size_t kUnsentEnough = 64 << 10;   // bytes: more is taken when the helper has taken these
constexpr std::size_t kAnswersEnough = 64 << 10;  // bytes in a write; the last answer may come on top

Error error_of(const inside::Problem& problem) {
  return make_error(Code::told(problem.code), problem.message);
}

std::string frame_of(const Error& error) {
  std::string bytes;
  append_answer(bytes, inside::Problem{error.code.word(), error.message});
  return bytes;
}

bool is_of_apps(const inside::Request& request) {
  using What = inside::Request::What;
  return request.what == What::kApp || request.what == What::kApps || request.what == What::kAppEnd;
}

bool has_input(const inside::Request& request) {
  using What = inside::Request::What;
  return request.what != What::kShells && request.what != What::kShellEnd && request.what != What::kLosses &&
         !is_of_apps(request);
}

}  // namespace

Passage::Passage(boost::asio::io_context& io, const KernelKey& kernel, FindDoor find_door,
                 std::shared_ptr<tunnel::Stream> stream, std::shared_ptr<void> place, Duration begin_max)
    : io_(io),
      kernel_(kernel),
      find_door_(std::move(find_door)),
      begin_max_(begin_max),
      stream_(std::move(stream)),
      place_(std::move(place)),
      first_answer_(io) {}

// The stream's last handler owns it: called or, when the server stops, let go, it is gone with the stream.
// All other handlers find out whether it is still there.
void Passage::begin(bool has_networks) {
  has_networks_ = has_networks;
  stream_->when_over([self = shared_from_this()](const Result<void>&) {
    self->phase_ = Phase::kEnding;
    self->close();
    self->stream_ = nullptr;
  });
  read();
}

void Passage::read() {
  if (std::exchange(reading_, true)) return;
  stream_->read([weak = weak_from_this()](const Result<std::string>& bytes) {
    if (const auto self = weak.lock()) self->came(bytes);
  });
}

void Passage::came(const Result<std::string>& bytes) {
  if (!bytes || phase_ == Phase::kEnding) return;
  if (bytes->empty()) return came_to_its_end();  // and `reading_` stays: nothing more is read
  reading_ = false;
  frames_.append(*bytes);
  take_frames();
}

void Passage::came_to_its_end() {
  if (phase_ == Phase::kRequest)
    return fail(make_error("request-missing", "the stream ended before its request was whole"));
  if (has_input_ && !input_ended_) end({});
}

bool Passage::takes_frames() const {
  return phase_ == Phase::kRequest ||
         (phase_ == Phase::kOpen && (deaf_ || channel_->unsent() < kUnsentEnough));
}

// Also when the helper takes more again.
void Passage::take_frames() {
  flush();
  while (takes_frames()) {
    const auto frame = frames_.next();
    if (frame) {
      take(*frame);
      if (phase_ == Phase::kOpen && !takes_frames()) flush();
      continue;
    }
    if (frames_.broken()) return fail(make_error("frame-too-long", "a frame has at most 64 KiB"));
    flush();
    if (phase_ == Phase::kRequest || deaf_ || channel_->unsent() == 0) read();
    return;
  }
}

void Passage::take(const inside::Frame& frame) {
  if (phase_ == Phase::kRequest) return take_request(frame);
  if (frame.type == FrameType::kRequest || frame.type == FrameType::kRequestPart)
    return fail(make_error("request-twice", "a stream has one request"));
  take_input(frame);
}

void Passage::take_request(const inside::Frame& frame) {
  if (frame.type != FrameType::kRequest && frame.type != FrameType::kRequestPart)
    return fail(make_error("request-missing", "a stream begins with a request"));
  if (request_bytes_.size() + frame.payload.size() > inside::kRequestMax)
    return fail(make_error("arguments-too-long", "a request has at most 512 KiB"));
  request_bytes_ += frame.payload;
  if (frame.type == FrameType::kRequestPart) return;
  request_ = std::make_unique<inside::Request>();
  const auto problem = inside::decode(std::exchange(request_bytes_, {}), *request_);
  if (problem) return fail(error_of(*problem));
  if (const auto good = check_request(); !good) return fail(good.error());
  has_input_ = has_input(*request_);
  phase_ = Phase::kOpening;
  ask_for_door(io_, find_door_, kernel_, [weak = weak_from_this()](const Result<std::string>& door) {
    if (const auto self = weak.lock()) self->open(door);
  });
}

Result<void> Passage::check_request() const {
  using What = inside::Request::What;
  if (request_->what == What::kEgress)
    return make_error("unknown-request", "the agent alone opens a kernel's way out");
  if (request_->what == What::kConnect)
    return make_error("unknown-request", "no stream of frames gives a connection",
                      "POST /kernels/ID/ATTEMPT/app?port=PORT");
  if (is_of_apps(*request_) && !has_networks_) return no_networks();
  return {};
}

void Passage::take_input(const inside::Frame& frame) {
  const bool typed = frame.type == FrameType::kIn, ends = frame.type == FrameType::kInEnd;
  if (!typed && !ends && frame.type != FrameType::kSize)
    return fail(make_error("unknown-frame",
                           "this agent does not know the frame: is it older than the API "
                           "server?"));
  if (frame.type == FrameType::kSize) {
    const auto size = inside::decode_size(frame.payload);
    if (!size) return fail(make_error("size-wrong", "a terminal has 1 to 1000 columns and rows"));
    if (!deaf_) channel_->resize(*size);
    return;
  }
  if (input_ended_) return fail(make_error("input-ended", "nothing is typed after the end of the input"));
  input_ended_ = ends;
  if (deaf_) return;
  ends ? channel_->type_end() : channel_->type(frame.payload);
}

void Passage::open(const Result<std::string>& door) {
  if (phase_ != Phase::kOpening) return;
  const auto opened =
      door ? open_channel(io_, *door, *request_, channel_, watch_) : Result<void>(door.error());
  request_ = nullptr;
  if (!opened) return fail(opened.error());
  phase_ = Phase::kOpen;
  stream_->answer({200, {}});
  await_first_answer();
  give();
  take_frames();
}

// Every request has an answer at its beginning; a helper that is frozen takes whoever knocks, and says
// nothing.
void Passage::await_first_answer() {
  first_answer_.expires_after(std::chrono::nanoseconds(begin_max_));
  first_answer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!error && self && self->phase_ == Phase::kOpen) self->fail(helper_silent());
  });
}

void Passage::flush() {
  if (phase_ != Phase::kOpen || deaf_) return;
  deaf_ = !channel_->flush();
  if (!deaf_ && channel_->unsent() > 0)
    wait(DescriptorWatch::Wait::wait_write, waits_to_send_, &Passage::take_frames);
}

void Passage::give() {
  if (phase_ != Phase::kOpen || writing_) return;
  std::string answers;
  while (answers.size() < kAnswersEnough) {
    const auto answer = channel_->next();
    if (!answer) return end(answers + frame_of(answer.error()));
    if (!*answer) break;
    first_answer_.cancel();
    append_answer(answers, **answer);
    if (is_last(**answer)) return end(std::move(answers));
  }
  if (!answers.empty()) return write(std::move(answers));
  wait(DescriptorWatch::Wait::wait_read, waits_for_answer_, &Passage::give);
}

void Passage::write(std::string answers) {
  writing_ = true;
  stream_->write(std::move(answers), [weak = weak_from_this()](const Result<void>& done) {
    const auto self = weak.lock();
    if (!self || !done) return;
    self->writing_ = false;
    self->phase_ == Phase::kEnding ? self->leave(std::move(self->last_)) : self->give();
  });
}

void Passage::wait(DescriptorWatch::Wait what, bool& waits, Step then) {
  if (std::exchange(waits, true)) return;
  watch_->wait(what, [weak = weak_from_this(), &waits, then](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!self) return;
    waits = false;
    if (!error && self->phase_ == Phase::kOpen) ((*self).*then)();
  });
}

// An error that the asker is told as a refusal before the answer, as a Problem behind it.
void Passage::fail(const Error& error) {
  if (phase_ == Phase::kOpen) return end(frame_of(error));
  phase_ = Phase::kEnding;
  close();
  refuse(stream_, error.code.status(), error);
  stream_ = nullptr;
}

void Passage::end(std::string last) {
  phase_ = Phase::kEnding;
  close();
  if (!writing_) return leave(std::move(last));
  last_ = std::move(last);
}

// What the asker would still say is for nobody: without its handle the stream is over when all has left.
void Passage::leave(std::string last) {
  if (!last.empty()) stream_->write(std::move(last), [](const Result<void>&) {});
  stream_->finish();
  stream_ = nullptr;
}

void Passage::close() {
  first_answer_.cancel();
  watch_.reset();
  channel_.reset();
  place_ = nullptr;
}

}  // namespace berth::agents
