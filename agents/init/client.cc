#include "agents/init/client.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "agents/init/helper.h"

namespace berth::init {

Client::Client(Helper& helper, Descriptor socket) : helper_(helper), socket_(std::move(socket)) { watch(); }

Client::~Client() { helper_.loop().forget(socket_.get()); }

void Client::send(FrameType type, std::string_view payload) {
  if (ending_) return;
  inside::append_frame(unsent_, type, payload);
  flush();
}

namespace {

// Whether the whole frame left, and the descriptor with it.
bool send_with(const Descriptor& socket, std::string frame, const Descriptor& descriptor) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec bytes{frame.data(), frame.size()};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = descriptor.get();
  std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  return sendmsg(socket.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(frame.size());
}

}  // namespace

// It leaves at once, for nothing is before it.
void Client::pass(FrameType type, std::string_view payload, const Descriptor& descriptor) {
  std::string frame;
  inside::append_frame(frame, type, payload);
  if (ending_ || !send_with(socket_, std::move(frame), descriptor)) close();
}

bool Client::pass_on(FrameType type, const Descriptor& descriptor) {
  std::string frame;
  inside::append_frame(frame, type, {});
  return !ending_ && unsent_.empty() && send_with(socket_, std::move(frame), descriptor);
}

void Client::end(const Ended& ended) {
  send(FrameType::kEnded, encode(ended));
  ending_ = true;
  flush();
}

void Client::fail(const Problem& problem) {
  send(FrameType::kError, encode(problem));
  ending_ = true;
  flush();
}

void Client::hold(bool held) {
  if (std::exchange(held_, held) == held) return;
  take_frames();
  watch();
}

void Client::ready(int, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) {
    const bool was_full = full();
    flush();
    if (was_full && !full() && purpose_) purpose_->has_room();
  }
  const bool reads = !held_ && !ending_;
  if (reads && (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) != 0)
    read_some();
  else if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
    close();
  watch();
}

void Client::read_some() {
  char bytes[32 << 10];
  const ssize_t got = recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return close();
  frames_.append({bytes, static_cast<std::size_t>(got)});
  take_frames();
}

void Client::take_frames() {
  while (!held_ && !ending_) {
    const auto frame = frames_.next();
    if (!frame) break;
    take(*frame);
  }
  if (frames_.broken()) fail({"frame-too-long", "a frame has at most 64 KiB"});
}

void Client::take(const Frame& frame) {
  if (!requested_) {
    if (frame.type != FrameType::kRequest && frame.type != FrameType::kRequestPart)
      return fail({"request-missing", "a channel begins with a request"});
    return take_request(frame.payload, frame.type == FrameType::kRequest);
  }
  if (frame.type == FrameType::kIn) return purpose_->typed(frame.payload);
  if (frame.type == FrameType::kInEnd) return purpose_->typed_end();
  const auto size = inside::decode_size(frame.payload);
  if (frame.type != FrameType::kSize) return fail({"unknown-frame", "the helper does not know this frame"});
  if (!size) return fail({"size-wrong", "a terminal has 1 to 1000 columns and rows"});
  purpose_->resized(*size);
}

void Client::take_request(std::string_view part, bool last) {
  if (request_.size() + part.size() > inside::kRequestMax)
    return fail({"arguments-too-long", "a request has at most 512 KiB"});
  request_ += part;
  if (!last) return;
  requested_ = true;
  Request request;
  auto problem = inside::decode(request_, request);
  request_ = {};
  if (!problem) problem = helper_.serve(request, *this, purpose_);
  if (problem) fail(*problem);
}

void Client::flush() {
  std::size_t sent = 0;
  while (sent < unsent_.size()) {
    const ssize_t wrote =
        ::send(socket_.get(), unsent_.data() + sent, unsent_.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno != EAGAIN) return close();
    if (wrote < 0) break;
    sent += static_cast<std::size_t>(wrote);
  }
  unsent_.erase(0, sent);
  if (!unsent_.empty()) return watch();
  unsent_ = {};
  if (ending_) close();
}

void Client::close() {
  if (std::exchange(over_, true)) return;
  ending_ = true;
  unsent_ = {};
  helper_.loop().forget(socket_.get());
}

void Client::watch() {
  if (over_) return;
  const std::uint32_t reads = events_if(!held_ && !ending_, EPOLLIN);
  const std::uint32_t writes = events_if(!unsent_.empty(), EPOLLOUT);
  helper_.loop().watch(socket_.get(), EPOLLRDHUP | reads | writes, *this);
}

}  // namespace berth::init
