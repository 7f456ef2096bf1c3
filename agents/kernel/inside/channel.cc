#include "agents/kernel/inside/channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "agents/kernel/inside/passed_socket.h"
#include "agents/kernel/shim/door.h"

namespace berth::agents {

using inside::Answer;
using inside::append_frame;
using inside::FrameType;
using inside::kFrameMax;

namespace {

Error channel_closed() {
  return make_error("channel-closed", "the kernel or its helper has ended",
                    "try again while the session runs");
}

}  // namespace

Result<Channel> Channel::open(const std::string& door) {
  Descriptor socket = shim::knock(door);
  if (socket) return Channel(std::move(socket));
  if (errno == EAGAIN)
    return make_error("kernel-busy", "too many wait for this kernel", "try again in a moment");
  if (errno == EMFILE || errno == ENFILE)
    return make_error("agent-busy", "this agent has no descriptor left for a channel",
                      "raise its limit of open files (ulimit -Hn), or end some sessions");
  const bool no_door = errno == ENOENT;
  return make_error(
      "kernel-not-open", std::string("nothing can come into the kernel: ") + std::strerror(errno),
      no_door ? "the kernel has ended, or its files were removed while it ran: then its program "
                "goes on, and only a session started anew can be entered"
              : "the kernel has ended");
}

Result<void> Channel::request(const inside::Request& request) {
  asked_.what = request.what;
  asked_.name = request.name;
  asked_.port = request.port;
  if (!append_request(unsent_, request))
    return make_error("arguments-too-long", "arguments and variables may have 128 KiB together");
  return flush();
}

void Channel::type(std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kFrameMax)))
    append_frame(unsent_, FrameType::kIn, bytes.substr(0, kFrameMax));
}

void Channel::type_end() { append_frame(unsent_, FrameType::kInEnd, {}); }
void Channel::resize(const inside::Size& size) { append_frame(unsent_, FrameType::kSize, encode(size)); }

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

// As recv(). What comes besides bytes goes into passed_, or is closed.
ssize_t Channel::receive(char* bytes, std::size_t size) {
  std::vector<Descriptor> came;
  const ssize_t got = receive_with_descriptors(socket_, bytes, size, came, too_many_);
  if (came.empty()) return got;
  const bool may =
      asked_.what == inside::Request::What::kConnect || asked_.what == inside::Request::What::kEgress;
  if (came.size() > 1 || passed_ || !may)
    too_many_ = true;
  else
    passed_ = std::move(came.front());
  return got;
}

Error Channel::garbled() {
  over_ = true;
  passed_ = Descriptor();
  return make_error("helper-garbled", "what comes out of the kernel is not what its helper says",
                    "a program in the kernel has taken the helper's place; end the session");
}

Result<std::optional<inside::Frame>> Channel::next_frame() {
  if (over_) return channel_closed();
  auto frame = frames_.next();
  while (!frame && !frames_.broken()) {
    char bytes[32 << 10];
    const ssize_t got = receive(bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return std::optional<inside::Frame>();
    if (too_many_) return garbled();
    over_ = got <= 0;
    if (over_) return channel_closed();
    frames_.append({bytes, static_cast<std::size_t>(got)});
    frame = frames_.next();
  }
  if (!frame) return garbled();
  return frame;
}

Result<std::optional<Answer>> Channel::next() {
  const auto frame = next_frame();
  if (!frame.ok()) return frame.error();
  if (!*frame) return std::optional<Answer>();
  auto answer = answer_in(**frame);
  if (!answer) return garbled();
  over_ = is_last(*answer);
  return answer;
}

Result<std::optional<Connected>> Channel::connected() {
  auto answer = next();
  if (!answer.ok()) return answer.error();
  if (!*answer) return std::optional<Connected>();
  if (const auto* const problem = std::get_if<inside::Problem>(&**answer))
    return make_error(Code::told(problem->code), problem->message);
  auto* const begun = std::get_if<inside::Begun>(&**answer);
  if (begun == nullptr || !is_connected_as_asked(passed_, asked_)) return garbled();
  over_ = true;
  return std::optional(Connected{std::move(passed_), std::move(begun->token)});
}

// A program may be gone before its connection is looked at: one that is none any more is dropped.
Result<std::optional<Descriptor>> Channel::accepted() {
  constexpr int kDroppedMax = 64;
  for (int dropped = 0; dropped < kDroppedMax;) {
    const auto frame = next_frame();
    if (!frame.ok()) return frame.error();
    if (!*frame) return std::optional<Descriptor>();
    if ((*frame)->type == FrameType::kError) {
      const auto answer = answer_in(**frame);
      if (!answer) return garbled();
      over_ = true;
      const auto& problem = std::get<inside::Problem>(*answer);
      return make_error(Code::told(problem.code), problem.message);
    }
    // The first connection may have come with it, in one piece.
    if ((*frame)->type == FrameType::kBegun && !std::exchange(begun_, true)) continue;
    if ((*frame)->type != FrameType::kConnection || !passed_) return garbled();
    Descriptor socket = std::exchange(passed_, Descriptor());
    if (is_connected_from_inside(socket, asked_.port)) return std::optional(std::move(socket));
    ++dropped;
  }
  return garbled();
}

}  // namespace berth::agents
