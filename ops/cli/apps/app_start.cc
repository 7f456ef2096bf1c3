#include "ops/cli/apps/app_start.h"

#include <algorithm>
#include <utility>

#include "ops/cli/output/terminal_text.h"
#include "ops/cli/session/inside_open.h"

namespace berth::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kAttemptMax{10};

std::string end_words(int exit_code, int signal) {
  return signal == 0 ? "with exit code " + std::to_string(exit_code) : "by signal " + std::to_string(signal);
}

}  // namespace

AppStart::AppStart(Shell& shell, SignedSocket socket, AppChoice app, SocketMessage first, bool with_words,
                   Deadline deadline)
    : shell_(shell),
      socket_(std::move(socket)),
      app_(std::move(app)),
      first_(std::move(first)),
      with_words_(with_words),
      deadline_(deadline) {}

Outcome<int> AppStart::run() {
  for (int attempt = 0;; ++attempt) {
    Way way = connect();
    if (way == Way::kGoesOn) {
      attempt = 0;
      way = talk();
    }
    if (way == Way::kCut) way = pause(attempt);
    if (way != Way::kGoesOn) return parting(way);
  }
}

AppStart::Way AppStart::connect() {
  const auto until = std::min(deadline_, Clock::now() + kAttemptMax);
  const auto opened = connect_inside(*socket_.socket, socket_.sign, app_.target("/start"), until);
  if (opened) {
    socket_.socket->send(first_);
    return Way::kGoesOn;
  }
  // A server that was never there is not waited for, one that is busy or starts again is.
  const bool waits = is_passing(opened.failure()) && (begun_ || !opened.failure().request_id.empty());
  failure_ = opened.failure();
  return waits ? Way::kCut : Way::kFailed;
}

AppStart::Way AppStart::talk() {
  for (;;) {
    std::vector<Watch> watches{{interrupts_.descriptor(), false, false}};
    auto woken = socket_.socket->wait(watches, true, deadline_);
    if (interrupts_.caught()) return Way::kInterrupted;
    if (woken.message)
      if (const Way way = take(std::move(*woken.message)); way != Way::kGoesOn) return way;
    if (woken.end && end_) return Way::kEnded;
    if (woken.end) {
      failure_ = {kUnreachable,
                  "connection-lost",
                  "the connection was lost while the app started: " + woken.end->reason,
                  "the app goes on: the same command looks at it again",
                  {}};
      return Way::kCut;
    }
    if (Clock::now() >= deadline_) return Way::kLate;
  }
}

AppStart::Way AppStart::pause(int attempt) {
  socket_.socket->close();
  if (!std::exchange(cut_told_, true)) shell_.note(failure_.message + "; trying again");
  const auto until = Clock::now() + pause_before_attempt(attempt);
  while (Clock::now() < until) {
    if (Clock::now() >= deadline_) return Way::kFailed;
    std::vector<Watch> watches{{interrupts_.descriptor(), false, false}};
    socket_.socket->wait(watches, false, std::min(until, deadline_));
    if (interrupts_.caught()) return Way::kInterrupted;
  }
  return Way::kGoesOn;
}

AppStart::Way AppStart::take(SocketMessage message) {
  auto heard = heard_of_app(std::move(message));
  if (!heard) return fail(heard.failure());
  if (const auto* now = std::get_if<AppNow>(&*heard)) return take(*now);
  return take(std::get<Heard>(std::move(*heard)));
}

// Of an app that has ended all that it printed comes first, then the end.
AppStart::Way AppStart::take(const AppNow& now) {
  if (now.state == AppNow::State::kReady) return Way::kReady;
  if (now.state == AppNow::State::kEnded) end_ = now;
  if (now.state == AppNow::State::kStarting) shell_.status(app_.text() + " is starting");
  return Way::kGoesOn;
}

AppStart::Way AppStart::take(Heard heard) {
  if (auto* problem = std::get_if<Failure>(&heard)) {
    failure_ = std::move(*problem);
    return is_passing(failure_) ? Way::kCut : Way::kFailed;
  }
  if (const auto* begun = std::get_if<inside::Begun>(&heard)) {
    log_.clear();
    if (begun->made && begun_) shell_.note(app_.text() + " had ended meanwhile, and was started again");
    if (!begun->made && !begun_ && with_words_)
      shell_.note(app_.text() +
                  " runs already, with the arguments and variables of its start; `berth app "
                  "stop` ends it");
    begun_ = true;
  }
  if (const auto* ended = std::get_if<inside::Ended>(&heard)) {
    if (!end_) end_ = AppNow{AppNow::State::kEnded, ended->code, ended->signal};
    return Way::kEnded;
  }
  if (const auto* out = std::get_if<inside::Out>(&heard)) log_ += out->bytes;
  if (const auto* err = std::get_if<inside::Err>(&heard)) log_ += err->bytes;
  if (log_.size() > kLogMax) log_.erase(0, log_.size() - kLogMax);
  return Way::kGoesOn;
}

AppStart::Way AppStart::fail(Failure failure) {
  failure_ = std::move(failure);
  return Way::kFailed;
}

void AppStart::show_log() {
  shell_.end_status();
  if (log_.empty()) return shell_.note("it has printed nothing");
  shell_.err() << TerminalText().shown(log_) << (log_.back() == '\n' ? "" : "\n") << std::flush;
}

Failure AppStart::failure_of_end() const {
  return {kFailed,
          "app-ended",
          app_.text() + " has ended " + end_words(end_->exit_code, end_->signal),
          log_.empty() ? "" : "what it printed stands above",
          {}};
}

Outcome<int> AppStart::parting(Way way) {
  socket_.socket->close();
  shell_.end_status();
  switch (way) {
    case Way::kReady: shell_.note(app_.text() + " is ready"); return kOk;
    case Way::kEnded: show_log(); return failure_of_end();
    case Way::kLate:
      show_log();
      return Failure{kTimeout,
                     "app-not-ready",
                     app_.text() + " is not ready in time: nothing listens where its image says",
                     "it goes on; does its server listen on 127.0.0.1, and on the port or socket of the "
                     "image's label?",
                     {}};
    case Way::kInterrupted:
      shell_.note("left; " + app_.text() + " goes on, and `berth app ls " + app_.session_name +
                  "` shows how it stands");
      return kTimeout;
    case Way::kGoesOn:
    case Way::kCut:
    case Way::kFailed: break;
  }
  return std::move(failure_);
}

}  // namespace berth::cli
