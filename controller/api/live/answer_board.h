// AnswerBoard: the waiters for the journal's answers to requests and for its positions. No thread waits: each
// waiter is a callback with a deadline.
//
// The board is shared, since the log may report an append after the API is gone. It is fed with every applied
// record and position; each waiter's callback runs once, on a worker thread.
#pragma once

#include <chrono>
#include <cstdint>
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
struct AnswerRecord {
  Offset offset = 0;
  bool internal_error = false;  // the answer is InternalErrorRecorded: there is no row
};

// Thread-safe.
class AnswerBoard {
 public:
  using AnswerDone = std::function<void(std::optional<AnswerRecord>)>;  // nullopt: the deadline passed
  using PositionDone = std::function<void(bool reached)>;
  using Ticket = std::uint64_t;

  // `workers` must outlive the board; after close() only cancel() may be called without them.
  explicit AnswerBoard(Workers& workers) : workers_(workers) {}

  Ticket wait_answer(const std::string& actor, const Uuid& request, std::chrono::milliseconds timeout,
                     AnswerDone done);
  // Removes the waiter uncalled; false if the waiter was called or is about to be.
  bool cancel(Ticket ticket);
  // Calls `done` at once if the position was read already.
  void wait_position(Offset position, std::chrono::milliseconds timeout, PositionDone done);

  // Drops every waiter: no waiter is called any more, and cancel() returns false.
  void close();

  void on_applied(const JournalRecord& record);
  void on_position(Offset position);
  // Sets the fold's position as the only one that counts as read: the starting point.
  void start_at(std::optional<Offset> position);
  // Sets the position back: the journal is read again from behind it.
  void rewind(std::optional<Offset> position);
  std::optional<Offset> position() const;

 private:
  struct AnswerWaiter {
    std::string key;
    AnswerDone done;
  };
  AnswerDone take(std::map<Ticket, AnswerWaiter>::iterator waiter);
  void finish(Ticket ticket, std::optional<AnswerRecord> record);
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
