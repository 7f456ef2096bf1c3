#include "agents/init/copy.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "events/copy/files/pack.h"
#include "events/copy/files/unpack.h"

namespace berth::init {
namespace {

using inside::Frame;
using inside::FrameReader;
using inside::FrameType;
using inside::Problem;
using inside::Request;

// The copy's end of the channel. It waits for the other side.
class Line {
 public:
  Line(int socket, FrameReader& frames) : socket_(socket), frames_(frames) {}

  // False: the other side has gone.
  bool send(FrameType type, std::string_view payload) {
    std::string frame;
    inside::append_frame(frame, type, payload);
    std::string_view rest = frame;
    while (!rest.empty()) {
      const ssize_t wrote = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return false;
      rest.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return true;
  }

  // Its payload lives until the next call. nullopt: the other side has gone, or its frames are broken.
  std::optional<Frame> next() {
    auto frame = frames_.next();
    while (!frame && !frames_.broken()) {
      char bytes[64 << 10];
      const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      frames_.append({bytes, static_cast<std::size_t>(got)});
      frame = frames_.next();
    }
    return frame;
  }
  bool broken() const { return frames_.broken(); }

 private:
  int socket_;
  FrameReader& frames_;
};

std::optional<Problem> unpack_all(Line& line, const std::string& path, copy::Notes& notes, bool& gone) {
  copy::Unpacker unpacker({.path = path, .links_out = true}, notes);
  if (auto problem = unpacker.open()) return problem;
  while (const auto frame = line.next()) {
    if (frame->type == FrameType::kInEnd) return unpacker.finish();
    if (frame->type != FrameType::kIn) return Problem{"unknown-frame", "only bytes of a tar stream may come"};
    if (auto problem = unpacker.take(frame->payload)) return problem;
  }
  gone = !line.broken();
  return Problem{"frame-too-long", "a frame has at most 64 KiB"};
}

void copy_all(const Request& request, Line& line, std::uint32_t restarts) {
  copy::Notes notes([&line](const std::string& text) { line.send(FrameType::kErr, text + "\n"); });
  if (!line.send(FrameType::kBegun, encode(inside::Begun{.restarts = restarts}))) return;
  bool gone = false;
  const auto send_on = [&](std::string_view bytes) { return !(gone = !line.send(FrameType::kOut, bytes)); };
  const auto problem = request.what == Request::What::kPack ? copy::pack(request.path, send_on, notes)
                                                            : unpack_all(line, request.path, notes, gone);
  if (gone) return;
  if (problem)
    line.send(FrameType::kError, encode(*problem));
  else
    line.send(FrameType::kEnded, encode(inside::Ended{.code = notes.count() > 0 ? 1 : 0}));
}

// Nothing of the helper's but the socket, which is 3 then: no terminal and no channel may stay open for it.
void keep_only(int socket) {
  dup2(socket, 3);
  if (syscall(SYS_close_range, 4, ~0U, 0) == 0) return;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const int end = static_cast<int>(std::min<rlim_t>(files.rlim_max, 1 << 20));
  for (int fd = 4; fd < end; ++fd) close(fd);
}

// A deep tree takes a descriptor a level.
void allow_files() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

[[noreturn]] void be_copy(const Request& request, const Taken& taken, std::uint32_t restarts) {
  keep_only(taken.socket);
  allow_files();
  setsid();
  prctl(PR_SET_NAME, "berth-copy");
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  fcntl(3, F_SETFL, fcntl(3, F_GETFL) & ~O_NONBLOCK);
  // Where it cannot be entered, paths are of the folder in which the kernel works.
  if (const char* const home = std::getenv("HOME"); home != nullptr) [[maybe_unused]]
    const int entered = chdir(home);
  Line line(3, taken.frames);
  copy_all(request, line, restarts);
  _exit(0);
}

}  // namespace

pid_t start_copy(const Request& request, const Taken& taken, std::uint32_t restarts) {
  const pid_t pid = fork();
  if (pid == 0) be_copy(request, taken, restarts);
  return pid;
}

}  // namespace berth::init
