#include "agents/kernel/inside/channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agents/kernel/shim/door.h"

namespace berth::agents::inside {
namespace {

constexpr std::size_t kTextMax = 1024;  // bytes

Error channel_closed() {
  return make_error("channel-closed", "the kernel or its helper has ended",
                    "try again while the session runs");
}

// What stands in a text for people: nothing that a terminal or a page would obey.
std::string printable(std::string text) {
  text.resize(std::min(text.size(), kTextMax));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

bool is_code(std::string_view text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), fits);
}

// nullopt: it is none.
std::optional<Answer> answer_in(const Frame& frame) {
  const auto if_good = [](auto value) -> std::optional<Answer> {
    if (!value) return std::nullopt;
    return std::move(*value);
  };
  switch (frame.type) {
    case FrameType::kBegun: return if_good(decode_begun(frame.payload));
    case FrameType::kOut: return Out{std::string(frame.payload)};
    case FrameType::kErr: return Err{std::string(frame.payload)};
    case FrameType::kEnded: return if_good(decode_ended(frame.payload));
    case FrameType::kLost: {
      const auto bytes = decode_lost(frame.payload);
      return bytes ? std::optional<Answer>(Lost{*bytes}) : std::nullopt;
    }
    case FrameType::kShell: {
      auto shell = decode_shell(frame.payload);
      if (shell) shell->command = printable(std::move(shell->command));
      return if_good(std::move(shell));
    }
    case FrameType::kError: {
      auto problem = decode_problem(frame.payload);
      if (!problem || !is_code(problem->code)) return std::nullopt;
      problem->message = printable(std::move(problem->message));
      return if_good(std::move(problem));
    }
    default: return std::nullopt;
  }
}

}  // namespace

Result<Channel> Channel::open(const std::string& door) {
  shim::Descriptor socket = shim::knock(door);
  if (socket) return Channel(std::move(socket));
  if (errno == EAGAIN)
    return make_error("kernel-busy", "too many wait for this kernel", "try again in a moment");
  return make_error("kernel-not-open",
                    std::string("nothing can come into the kernel: ") + std::strerror(errno),
                    "it has ended, or was started by an agent before this feature");
}

Result<void> Channel::request(const Request& request) {
  const std::string bytes = encode(request);
  if (bytes.size() > kRequestMax)
    return make_error("arguments-too-long", "arguments and variables may have 128 KiB together");
  std::string_view rest = bytes;
  for (; rest.size() > kFrameMax; rest.remove_prefix(kFrameMax))
    append_frame(unsent_, FrameType::kRequestPart, rest.substr(0, kFrameMax));
  append_frame(unsent_, FrameType::kRequest, rest);
  return flush();
}

void Channel::type(std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kFrameMax)))
    append_frame(unsent_, FrameType::kIn, bytes.substr(0, kFrameMax));
}

void Channel::type_end() { append_frame(unsent_, FrameType::kInEnd, {}); }
void Channel::resize(const Size& size) { append_frame(unsent_, FrameType::kSize, encode(size)); }

Result<void> Channel::flush() {
  std::size_t sent = 0;
  while (sent < unsent_.size()) {
    const ssize_t wrote = send(socket_.get(), unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) break;
    // What it said last may still be there to be read.
    if (wrote < 0) return channel_closed();
    sent += static_cast<std::size_t>(wrote);
  }
  unsent_.erase(0, sent);
  if (unsent_.empty()) unsent_ = {};
  return {};
}

Result<std::optional<Answer>> Channel::next() {
  if (over_) return channel_closed();
  auto frame = frames_.next();
  while (!frame && !frames_.broken()) {
    char bytes[32 << 10];
    const ssize_t got = recv(socket_.get(), bytes, sizeof bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return std::optional<Answer>();
    over_ = got <= 0;
    if (over_) return channel_closed();
    frames_.append({bytes, static_cast<std::size_t>(got)});
    frame = frames_.next();
  }
  auto answer = frame ? answer_in(*frame) : std::nullopt;
  over_ = !answer || std::holds_alternative<Ended>(*answer) || std::holds_alternative<Problem>(*answer);
  if (answer) return answer;
  return make_error("helper-garbled", "what comes out of the kernel is not what its helper says",
                    "a program in the kernel has taken the helper's place; end the session");
}

}  // namespace berth::agents::inside
