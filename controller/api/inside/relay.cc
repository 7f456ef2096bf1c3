#include "controller/api/inside/relay.h"

#include <algorithm>
#include <utility>

#include "controller/api/inside/opening.h"

namespace berth::controller::api {
namespace {

using inside::FrameType;
using inside::Request;

constexpr std::uint16_t kDone = 1000, kGoesAway = 1001, kTheirFault = 1008, kTooBig = 1009, kOurFault = 1011;

constexpr char kAgentUnreachable[] = "agent-unreachable";
// What this server alone may say: a program in a kernel that has taken the helper's place must not.
constexpr std::string_view kOurs[] = {
    "session-ended", "signed-out",    "access-lost",     "too-slow",
    "stopping",      kMessageInvalid, kAgentUnreachable, "agent-answer-invalid"};

// What the client did wrong, or may no more; or what failed here, or at the agent.
std::uint16_t close_of(const Error& problem) {
  if (problem.code == "stopping") return kGoesAway;
  return status_of(problem.code) >= 500 ? kOurFault : kTheirFault;
}

Error wrong_message(const char* why,
                    const char* hint = "the API's description has the messages of this stream") {
  return make_error(kMessageInvalid, why, hint);
}

Error garbled() {
  return make_error("agent-answer-invalid", "what comes out of the kernel is not what its helper says",
                    "a program in the kernel may have taken the helper's place; end the session");
}

Opening opening_of(const InsideRelay::Wanted& wanted, const Request& request) {
  return {wanted.session, wanted.kernel.kernel, std::string(name_of(wanted.kind)), request.name};
}

bool has_terminal(const Request& request) {
  return request.what == Request::What::kShell || (request.what == Request::What::kExec && request.terminal);
}

}  // namespace

InsideRelay::InsideRelay(const Services& services, Wanted wanted)
    : services_(services), wanted_(std::move(wanted)), used_at_(services.context.clock().now().wall) {}

template <class Step> auto InsideRelay::later(Step step) {
  return [weak = weak_from_this(), step = std::move(step)](auto&&... values) {
    const auto self = weak.lock();
    if (!self) return;
    Lock lock(self->mutex_);
    step(*self, std::forward<decltype(values)>(values)...);
    self->settle(lock);
  };
}

void InsideRelay::begin() {
  services_.quick.post_after(services_.streams.limits().first_message, later([](InsideRelay& self) {
                               if (self.state_ == State::kAsking)
                                 self.end(wrong_message("no message came that says what is wanted"));
                             }));
}

void InsideRelay::next(std::function<void(Batch)> done) {
  Lock lock(mutex_);
  next_ = std::move(done);
  settle(lock);
}

void InsideRelay::when_over(std::function<void()> over) {
  Lock lock(mutex_);
  over_ = std::move(over);
  settle(lock);
}

void InsideRelay::stalled() {
  Lock lock(mutex_);
  // A shell goes on, and what its client is too slow for is lost, as it is told.
  if (wanted_.kind != StreamKind::kShell)
    end(make_error("too-slow", "nothing that was written was read for a minute",
                   "read what comes, or less of it"));
  settle(lock);
}

void InsideRelay::cut(const Error& why) {
  Lock lock(mutex_);
  // What the kernel said is not for who lost the right to it.
  const bool keeps = why.code == "session-ended" || why.code == "stopping";
  if (state_ != State::kOver && !keeps) pending_ = {};
  end(why);
  settle(lock);
}

void InsideRelay::settle(Lock& lock) {
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
  lock.unlock();
  if (next) next(std::move(batch));
  if (taken) taken();
  if (over) over();
}

// ---- from the client ----

void InsideRelay::take(Message message, std::function<void()> done) {
  Lock lock(mutex_);
  taken_ = std::move(done);
  switch (state_) {
    case State::kAsking: ask(message); break;
    case State::kOpen: take_input(message); break;
    case State::kRecording:
    case State::kOver: break;  // nothing of it counts any more
  }
  const bool records = state_ == State::kRecording;
  settle(lock);
  if (records) record();
}

void InsideRelay::ask(const Message& message) {
  if (!message.text) return end(wrong_message("the first message is a text that says what is wanted"));
  auto request = read_request(wanted_.kind, message.bytes);
  if (!request.ok()) return end(request.error());
  request_ = std::move(*request);
  changes_ = request_.what != Request::What::kPack;
  if (changes_ && wanted_.call->caller.read_only)
    return end(make_error("key-read-only", "this key pair reads, and copies nothing into a kernel",
                          "use another key pair"));
  state_ = State::kRecording;
}

void InsideRelay::record() {
  record_opening(
      services_, wanted_.call, opening_of(wanted_, request_),
      later([](InsideRelay& self, const std::optional<Error>& refused) { self.recorded(refused); }));
}

void InsideRelay::recorded(const std::optional<Error>& refused) {
  if (state_ != State::kRecording) return;
  if (refused) return end(*refused);
  state_ = State::kOpen;
  open();
}

void InsideRelay::open() {
  channel_ =
      services_.context.open_channel(wanted_.kernel, later([](InsideRelay& self, const Result<void>& opened) {
                                       if (self.state_ != State::kOpen) return;
                                       if (!opened.ok()) return self.end(opened.error());
                                       self.opened_ = true;
                                     }));
  append_request(unsent_, request_);  // read_request() has looked at its size
  write();
}

void InsideRelay::take_input(const Message& message) {
  used_at_ = services_.context.clock().now().wall;
  if (request_.what == Request::What::kPack)
    return end(wrong_message("what is copied out of a kernel takes no input"));
  if (message.text) return take_told(message.bytes);
  if (message.bytes.empty()) return end(wrong_message("an empty message says nothing"));
  if (message.bytes.size() > kInputBytesMax) {
    const Error problem =
        wrong_message("a message of input has at most 64 KiB", "send it in several messages");
    return end(message_of(problem), kTooBig);
  }
  if (input_ended_) return end(wrong_message("input came after its end"));
  std::string frame;
  append_frame(frame, FrameType::kIn, message.bytes);
  send(frame);
}

void InsideRelay::take_told(const std::string& text) {
  const auto told = read_told(text);
  if (!told.ok()) return end(told.error());
  std::string frame;
  if (const auto* size = std::get_if<inside::Size>(&*told)) {
    if (!has_terminal(request_)) return end(wrong_message("what has no terminal has no size"));
    append_frame(frame, FrameType::kSize, encode(*size));
  } else {
    if (wanted_.kind == StreamKind::kShell)
      return end(wrong_message("a shell's input has no end", "Ctrl-D is a byte to be typed: 4"));
    if (std::exchange(input_ended_, true)) return end(wrong_message("the input has ended already"));
    append_frame(frame, FrameType::kInEnd, {});
  }
  send(frame);
}

// ---- to the kernel ----

void InsideRelay::send(std::string_view frames) {
  unsent_ += frames;
  write();
}

void InsideRelay::write() {
  if (writing_ || unsent_.empty() || channel_ == nullptr) return;
  writing_ = true;
  std::string bytes = unsent_.substr(0, KernelChannel::kWriteBytesMax);
  unsent_.erase(0, bytes.size());
  if (unsent_.empty()) unsent_ = {};  // an idle stream is cheap
  channel_->write(std::move(bytes), later([](InsideRelay& self, const Result<void>& written) {
                    self.writing_ = false;
                    if (!written.ok()) return self.lost(written.error());
                    self.write();
                  }));
}

// ---- from the kernel ----

void InsideRelay::read() {
  if (reading_ || !opened_ || channel_ == nullptr) return;
  reading_ = true;
  channel_->read(later([](InsideRelay& self, const Result<std::string>& bytes) {
    self.reading_ = false;
    self.took(bytes);
  }));
}

void InsideRelay::took(const Result<std::string>& bytes) {
  if (state_ != State::kOpen) return;
  if (!bytes.ok()) return lost(bytes.error());
  if (bytes->empty())
    return lost(make_error(kAgentUnreachable, "the agent ended the stream without a word",
                           "`berth agent ls` shows its state"));
  frames_.append(*bytes);
  while (state_ == State::kOpen && !lost_) {
    const auto frame = frames_.next();
    if (!frame) break;
    take_frame(*frame);
  }
  if (frames_.broken() && state_ == State::kOpen) end(garbled());
}

void InsideRelay::take_frame(const inside::Frame& frame) {
  const auto answer = answer_in(frame);
  if (!answer || std::holds_alternative<inside::ShellEntry>(*answer)) return end(garbled());
  // It begins once, and first; where it cannot begin, a problem says so.
  const bool begins = std::holds_alternative<inside::Begun>(*answer);
  if (begins == begun_ && !std::holds_alternative<inside::Problem>(*answer)) return end(garbled());
  begun_ = begun_ || begins;
  take_answer(*answer);
}

void InsideRelay::take_answer(const inside::Answer& answer) {
  if (const auto* problem = std::get_if<inside::Problem>(&answer)) {
    if (std::ranges::find(kOurs, problem->code) != std::end(kOurs)) return end(garbled());
    Error error = make_error(problem->code, problem->message);
    return problem->code == "channel-closed" ? lost(std::move(error)) : end(error);
  }
  if (std::holds_alternative<inside::Ended>(answer)) return end(message_of(answer), kDone);
  pending_.messages.push_back(message_of(answer));
}

// ---- the end ----

void InsideRelay::lost(Error why) {
  if (state_ != State::kOpen || lost_) return;
  channel_ = nullptr;
  unsent_.clear();
  writing_ = false;
  lost_ = std::move(why);
  services_.quick.post_after(services_.streams.limits().why_lost,
                             later([](InsideRelay& self) { self.end(*self.lost_); }));
}

void InsideRelay::end(const Error& problem) { end(message_of(problem), close_of(problem)); }

void InsideRelay::end(Message last, std::uint16_t close) {
  if (std::exchange(state_, State::kOver) == State::kOver) return;
  channel_ = nullptr;
  unsent_.clear();
  writing_ = false;
  frames_ = {};
  pending_.messages.push_back(std::move(last));
  pending_.close = close;
}

}  // namespace berth::controller::api
