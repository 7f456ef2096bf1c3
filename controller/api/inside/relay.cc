#include "controller/api/inside/relay.h"

#include <algorithm>
#include <utility>

namespace berth::controller::api {
namespace {

using inside::FrameType;
using inside::Request;

// What this server alone may say: a program in a kernel that has taken the helper's place must not.
constexpr Code kOurs[] = {"session-ended", "signed-out",    "access-lost",     "too-slow",
                          "stopping",      kMessageInvalid, kAgentUnreachable, "agent-answer-invalid"};

Error garbled() {
  return make_error("agent-answer-invalid", "what comes out of the kernel is not what its helper says",
                    "a program in the kernel may have taken the helper's place; end the session");
}

bool has_terminal(const Request& request) {
  return request.what == Request::What::kShell || (request.what == Request::What::kExec && request.terminal);
}

}  // namespace

InsideRelay::InsideRelay(const Services& services, Wanted wanted)
    : StreamRelay(services, std::move(wanted.way), State::kAsking),
      kind_(wanted.kind),
      app_(std::move(wanted.app)),
      changes_(wanted.kind != v1::WAY_KIND_COPY) {}

void InsideRelay::begin() {
  services().quick.post_after(services().streams.limits().first_message,
                              later<InsideRelay>([](InsideRelay& self) {
                                if (self.state() == State::kAsking)
                                  self.end(wrong_message("no message came that says what is wanted"));
                              }));
}

// Shells and apps go on, and what their client is too slow for is lost, as it is told.
bool InsideRelay::outlasts_stall() const { return kind_ == v1::WAY_KIND_SHELL || kind_ == v1::WAY_KIND_APP; }

// ---- from the client ----

void InsideRelay::take_message(const Message& message) {
  if (state() == State::kAsking) return ask(message);
  if (state() == State::kOpen) return take_input(message);
}

void InsideRelay::ask(const Message& message) {
  if (!message.text) return end(wrong_message("the first message is a text that says what is wanted"));
  auto request =
      kind_ == v1::WAY_KIND_APP ? read_app_start(app_, message.bytes) : read_request(kind_, message.bytes);
  if (!request.ok()) return end(request.error());
  request_ = std::move(*request);
  changes_ = request_.what != Request::What::kPack;
  if (changes_ && way().call->caller.read_only)
    return end(make_error("key-read-only", "this key pair reads, and copies nothing into a kernel",
                          "use another key pair"));
  record(kind_, request_.name);
}

std::shared_ptr<KernelChannel> InsideRelay::open_channel(Opened opened) {
  std::string frames;
  append_request(frames, request_);  // its size was looked at when it was read
  send(frames);
  return services().context.open_channel(way().kernel, std::move(opened));
}

void InsideRelay::take_input(const Message& message) {
  use();
  if (request_.what == Request::What::kPack)
    return end(wrong_message("what is copied out of a kernel takes no input"));
  if (kind_ == v1::WAY_KIND_APP) return end(wrong_message("a start of an app takes no input"));
  if (message.text) return take_told(message.bytes);
  if (!takes_size_of(message)) return;
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
    if (kind_ == v1::WAY_KIND_SHELL)
      return end(wrong_message("a shell's input has no end", "Ctrl-D is a byte to be typed: 4"));
    if (std::exchange(input_ended_, true)) return end(wrong_message("the input has ended already"));
    append_frame(frame, FrameType::kInEnd, {});
  }
  send(frame);
}

// ---- from the kernel ----

void InsideRelay::take_end() {
  lost(make_error(kAgentUnreachable, "the agent ended the stream without a word",
                  "`berth agent ls` shows its state"));
}

void InsideRelay::take_bytes(const std::string& bytes) {
  frames_.append(bytes);
  while (state() == State::kOpen && !is_lost()) {
    const auto frame = frames_.next();
    if (!frame) break;
    take_frame(*frame);
  }
  if (frames_.broken() && state() == State::kOpen) end(garbled());
}

void InsideRelay::take_frame(const inside::Frame& frame) {
  const auto answer = answer_in(frame);
  if (!answer || is_of_inquiry(*answer)) return end(garbled());
  if (std::holds_alternative<inside::AppEntry>(*answer) && kind_ != v1::WAY_KIND_APP) return end(garbled());
  // It begins once, and first; where it cannot begin, a problem says so.
  const bool begins = std::holds_alternative<inside::Begun>(*answer);
  if (begins == begun_ && !std::holds_alternative<inside::Problem>(*answer)) return end(garbled());
  begun_ = begun_ || begins;
  take_answer(*answer);
}

void InsideRelay::take_answer(const inside::Answer& answer) {
  if (const auto* problem = std::get_if<inside::Problem>(&answer)) {
    Error error = make_error(Code::told(problem->code), problem->message);
    if (std::ranges::find(kOurs, error.code) != std::end(kOurs)) return end(garbled());
    return error.code == "channel-closed" ? lost(std::move(error)) : end(error);
  }
  if (std::holds_alternative<inside::Ended>(answer)) return end(message_of(answer), kCloseDone);
  tell(message_of(answer));
}

}  // namespace berth::controller::api
