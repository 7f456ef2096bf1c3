#include "controller/policy_host/policy_process.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "controller/placement/select/custom/berth_policy.h"
#include "controller/policy_host/wire.h"
#include "events/base/result.h"

namespace berth::controller::policy {
namespace {

std::int64_t clock_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Errors: policy-timeout.
Result<void> wait_for(int fd, short what, std::int64_t deadline_ms) {
  for (;;) {
    const std::int64_t left = deadline_ms - clock_ms();
    pollfd one{fd, what, 0};
    const int ready = left <= 0 ? 0 : ::poll(&one, 1, static_cast<int>(left));
    if (ready > 0) return {};
    if (ready < 0 && errno == EINTR) continue;
    return make_error("policy-timeout", "it took too long");
  }
}

std::string pack(const placement::CustomQuestion& question) {
  Packer out;
  out.number(static_cast<std::uint32_t>(question.slots.size()));
  out.number(question.kernels);
  out.number(static_cast<std::uint32_t>(question.agents.size()));
  for (const auto& slot : question.slots) {
    out.number(static_cast<std::uint32_t>(slot.kind));
    out.number(std::int64_t{slot.asked});
    out.text(slot.name);
  }
  for (const auto& agent : question.agents) {
    out.text(agent.id);
    out.number(agent.containers);
    out.number(static_cast<std::uint32_t>(agent.devices.size()));
    for (const auto& device : agent.devices) {
      out.number(device.numa);
      out.text(device.id);
    }
    out.number(static_cast<std::uint32_t>(agent.amounts.size()));
    for (const auto& amount : agent.amounts) {
      out.number(amount.slot);
      out.number(std::uint32_t{amount.device});
      out.number(std::int64_t{amount.capacity});
      out.number(std::int64_t{amount.free});
    }
  }
  return out.take();
}

}  // namespace

void PolicyProcess::begin_pass() {
  if (asked_ && !failed_) failures_ = 0;
  asked_ = failed_ = false;
  left_ms_ = options_.pass_ms;
}

void PolicyProcess::switch_on() {
  failures_ = 0;
  counters_.off = false;
}

bool PolicyProcess::score(const placement::CustomQuestion& question, std::span<std::int64_t> scores) {
  if (failed_ || counters_.off) return false;
  asked_ = true;
  ++counters_.asked;
  if (const auto started = start(); !started) return fail(started.error());
  const std::int64_t began = clock_ms();
  const auto asked = ask(pack(question), scores);
  left_ms_ -= clock_ms() - began;
  return asked.ok() || fail(asked.error());
}

Result<void> PolicyProcess::ask(const std::string& frame, std::span<std::int64_t> scores) {
  if (frame.size() > kFrameMax)
    return make_error("policy-question-too-long", "there are too many agents to ask about");
  const std::int64_t deadline = clock_ms() + left_ms_;
  if (auto written = write_frame(frame, deadline); !written) return written;
  const auto answer = read_frame(deadline);
  if (!answer) return answer.error();
  Unpacker in(*answer);
  const auto status = in.number<Answer>();
  if (status == Answer::kFailed) return make_error("policy-failed", std::string(in.text()));
  for (std::int64_t& score : scores) {
    score = in.number<std::int64_t>();
    if (in.ok() && (score > BERTH_POLICY_SCORE_MAX || score < -BERTH_POLICY_SCORE_MAX))
      return make_error("policy-bad-score", "it gave no score, or one out of range");
  }
  if (status != Answer::kScores || !in.ok()) return make_error("policy-failed", "its host answered nonsense");
  return {};
}

bool PolicyProcess::fail(const Error& error) {
  stop();
  failed_ = true;
  ++counters_.failed;
  if (++failures_ >= kFailuresInRow) counters_.off = true;
  if (options_.say)
    options_.say("selection policy " + name_ + " failed (" + error.code + ": " + error.message +
                 "); its group concentrates " +
                 (counters_.off ? "from now on, until it is defined anew" : "for the rest of the pass"));
  return false;
}

Result<void> PolicyProcess::start() {
  if (pid_ > 0) return {};
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return make_error("policy-start", "no socket pair");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, pair[1], 0);
  ::posix_spawn_file_actions_adddup2(&actions, pair[1], 1);
  std::string program = options_.host, library = options_.library;
  char* const arguments[] = {program.data(), library.data(), nullptr};
  char* const nothing[] = {nullptr};
  const int error = ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, nothing);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pair[1]);
  socket_ = pair[0];
  if (error != 0) {
    pid_ = -1;
    stop();
    return make_error("policy-start", "cannot start " + options_.host);
  }
  const auto hello = read_frame(clock_ms() + options_.start_ms);
  if (!hello) return stop(), hello.error();
  Unpacker in(*hello);
  if (in.number<Answer>() == Answer::kReady) return {};
  const Error why = make_error("policy-start", std::string(in.text()));
  return stop(), why;
}

// A host that is gone closes its ends: that is seen at once, not at the deadline.
Result<void> PolicyProcess::write_frame(const std::string& frame, std::int64_t deadline_ms) {
  for (std::size_t put = 0; put < frame.size();) {
    if (auto ready = wait_for(socket_, POLLOUT, deadline_ms); !ready) return ready;
    const ssize_t n = ::send(socket_, frame.data() + put, frame.size() - put, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return make_error("policy-died", "its process ended");
    put += static_cast<std::size_t>(n);
  }
  return {};
}

Result<std::string> PolicyProcess::read_frame(std::int64_t deadline_ms) {
  std::uint32_t size = 0;
  std::string bytes(sizeof size, '\0');
  for (std::size_t got = 0; got < bytes.size();) {
    if (auto ready = wait_for(socket_, POLLIN, deadline_ms); !ready) return ready.error();
    const ssize_t n = ::read(socket_, bytes.data() + got, bytes.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return make_error("policy-died", "its process ended");
    got += static_cast<std::size_t>(n);
    if (got != bytes.size() || size != 0) continue;
    std::memcpy(&size, bytes.data(), sizeof size);
    if (size == 0 || size > kFrameMax) return make_error("policy-failed", "its host answered nonsense");
    bytes.assign(size, '\0');
    got = 0;
  }
  return bytes;
}

void PolicyProcess::stop() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
  pid_ = -1;
}

}  // namespace berth::controller::policy
