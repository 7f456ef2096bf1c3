// SessionLines: a session's start, end and refusal as short lines for people, as the journal has them:
//
//   demo-1 (0192f3c5) of alice: started on a1 after 0.8 s
//   demo-1 (0192f3c5) of alice: completed, exit 0
//   user:bob was refused: limit-exceeded: ...
//
// At most so many a second; what is left out is summed up in a line of its own. The lines are taken on a
// thread of their own: a slow terminal never makes the fold wait.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "controller/runtime/sessions/session_watch.h"
#include "events/base/clock.h"

namespace berth::controller {

struct SessionLine {
  Timestamp time = 0;   // of the record's header
  std::string text;     // as above; may hold any bytes
  std::string session;  // its id; empty: of no session
  std::string request;  // that led to it, as an id; may be empty
  std::string trace;    // its id, 32 hex digits; may be empty
};

class SessionLines final : public SessionWatch {
 public:
  struct Limits {
    std::size_t per_second = 10;
    std::chrono::milliseconds second{1'000};  // tests have shorter ones
  };
  using Take = std::function<void(const SessionLine&)>;
  // What happened before `since` (header time) is not told again. `tells`: asked each time; false: another
  // node tells it.
  SessionLines(Timestamp since, std::function<bool()> tells, Take take, Limits limits);
  SessionLines(Timestamp since, std::function<bool()> tells, Take take)
      : SessionLines(since, std::move(tells), std::move(take), Limits()) {}
  ~SessionLines() override { stop(); }

  void start();
  void begin(Timestamp since) { since_ = since; }
  // Takes no more; what came until now is told.
  void stop();

  void on_session(const projections::State& state, const projections::SessionRow* before,
                  const projections::SessionRow* after) override;
  void on_record(const v1::Record& record) override;

 private:
  void add(SessionLine line);
  void run();

  std::atomic<Timestamp> since_;
  const std::function<bool()> tells_;
  const Take take_;
  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<SessionLine> waiting_;  // at most per_second
  std::size_t room_ = 0;              // of this second
  std::size_t left_out_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace berth::controller
