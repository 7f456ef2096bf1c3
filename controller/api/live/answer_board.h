// AnswerBoard: who waits for what of the journal. No thread waits: each waiter is a callback with a deadline.
//
// Shared, since the log may still tell of an append when the API is gone. Fed with every applied record and
// position read back; each waiter's callback runs once, on a worker thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "controller/api/api_context.h"
#include "controller/api/http/workers.h"

namespace berth::controller::api {

// The record that answered a request.
struct Answered {
  Offset offset = 0;
  bool internal_error = false;  // the answer is InternalErrorRecorded: there is no row
};

// Thread-safe.
class AnswerBoard {
 public:
  using AnswerDone = std::function<void(std::optional<Answered>)>;  // nothing: the deadline passed
  using PositionDone = std::function<void(bool reached)>;
  using Ticket = std::uint64_t;

  // `workers` must outlive it, but for cancel() after close().
  explicit AnswerBoard(Workers& workers) : workers_(workers) {}

  Ticket wait_answer(const std::string& actor, const Uuid& request, std::chrono::milliseconds timeout,
                     AnswerDone done);
  // The waiter is gone and will not be called; false if it was called or is about to be.
  bool cancel(Ticket ticket);
  // At once if the position was read already.
  void wait_position(Offset position, std::chrono::milliseconds timeout, PositionDone done);

  // Drops every waiter; nothing is called any more, cancel() says false.
  void close();

  void on_applied(const JournalRecord& record);
  void on_position(Offset position);
  // Nothing but the fold's own position counts as read: the starting point.
  void start_at(std::optional<Offset> position);
  std::optional<Offset> position() const;

 private:
  struct AnswerWaiter {
    std::string key;
    AnswerDone done;
  };
  AnswerDone take(std::map<Ticket, AnswerWaiter>::iterator waiter);
  void finish(Ticket ticket, std::optional<Answered> answer);
  void finish_position(Ticket ticket);

  Workers& workers_;
  mutable std::mutex mutex_;
  std::map<Ticket, AnswerWaiter> waiters_;
  std::multimap<std::string, Ticket> by_key_;
  std::map<std::pair<Offset, Ticket>, PositionDone> positions_;
  std::map<Ticket, Offset> position_of_;
  Ticket next_ = 1;
  bool closed_ = false;
  bool any_ = false;
  Offset position_ = 0;
};

}  // namespace berth::controller::api
