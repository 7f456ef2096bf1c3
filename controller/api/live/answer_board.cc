#include "controller/api/live/answer_board.h"

#include <vector>

namespace berth::controller::api {
namespace {

std::string key_of(const std::string& actor, std::string_view request) {
  return actor + '\0' + std::string(request);
}

}  // namespace

AnswerBoard::Ticket AnswerBoard::wait_answer(const std::string& actor, const Uuid& request,
                                             std::chrono::milliseconds timeout, AnswerDone done) {
  Ticket ticket;
  {
    const std::lock_guard lock(mutex_);
    ticket = next_++;
    if (closed_) return ticket;
    std::string key = key_of(actor, request.view());
    by_key_.emplace(key, ticket);
    waiters_.emplace(ticket, AnswerWaiter{std::move(key), std::move(done)});
  }
  workers_.post_after(timeout, [this, ticket] { finish(ticket, std::nullopt); });
  return ticket;
}

bool AnswerBoard::cancel(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = waiters_.find(ticket);
  if (found == waiters_.end()) return false;
  take(found);
  return true;
}

AnswerBoard::AnswerDone AnswerBoard::take(std::map<Ticket, AnswerWaiter>::iterator waiter) {
  auto [entry, end] = by_key_.equal_range(waiter->second.key);
  while (entry != end && entry->second != waiter->first) ++entry;
  if (entry != end) by_key_.erase(entry);
  AnswerDone done = std::move(waiter->second.done);
  waiters_.erase(waiter);
  return done;
}

void AnswerBoard::close() {
  std::map<Ticket, AnswerWaiter> waiters;
  std::map<std::pair<Offset, Ticket>, PositionDone> positions;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  by_key_.clear();
  position_of_.clear();
  waiters.swap(waiters_);
  positions.swap(positions_);
}

void AnswerBoard::finish(Ticket ticket, std::optional<AnswerRecord> record) {
  AnswerDone done;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiters_.find(ticket);
    if (found == waiters_.end()) return;
    done = take(found);
  }
  done(record);
}

void AnswerBoard::on_applied(const JournalRecord& record) {
  const std::lock_guard lock(mutex_);
  if (by_key_.empty()) return;
  for (const auto& event : record.record->events()) {
    if (event.request_id().empty()) continue;
    auto [entry, end] = by_key_.equal_range(key_of(event.actor(), event.request_id()));
    for (; entry != end; ++entry) {
      const AnswerRecord answering{record.offset, event.has_internal_error_recorded()};
      workers_.post([this, ticket = entry->second, answering] { finish(ticket, answering); });
    }
  }
}

void AnswerBoard::wait_position(Offset position, std::chrono::milliseconds timeout, PositionDone done) {
  Ticket ticket;
  {
    const std::lock_guard lock(mutex_);
    if (any_ && position_ >= position) {
      workers_.post([done = std::move(done)] { done(true); });
      return;
    }
    if (closed_) return;
    ticket = next_++;
    positions_.emplace(std::pair(position, ticket), std::move(done));
    position_of_.emplace(ticket, position);
  }
  workers_.post_after(timeout, [this, ticket] { finish_position(ticket); });
}

void AnswerBoard::finish_position(Ticket ticket) {
  PositionDone done;
  {
    const std::lock_guard lock(mutex_);
    const auto found = position_of_.find(ticket);
    if (found == position_of_.end()) return;
    const auto waiter = positions_.find({found->second, ticket});
    done = std::move(waiter->second);
    positions_.erase(waiter);
    position_of_.erase(found);
  }
  done(false);
}

void AnswerBoard::on_position(Offset position) {
  const std::lock_guard lock(mutex_);
  any_ = true;
  if (position > position_) position_ = position;
  while (!positions_.empty() && positions_.begin()->first.first <= position_) {
    position_of_.erase(positions_.begin()->first.second);
    workers_.post([done = std::move(positions_.begin()->second)] { done(true); });
    positions_.erase(positions_.begin());
  }
}

void AnswerBoard::start_at(std::optional<Offset> position) {
  if (position) on_position(*position);
}

void AnswerBoard::rewind(std::optional<Offset> position) {
  const std::lock_guard lock(mutex_);
  any_ = position.has_value();
  position_ = position.value_or(0);
}

std::optional<Offset> AnswerBoard::position() const {
  const std::lock_guard lock(mutex_);
  return any_ ? std::optional(position_) : std::nullopt;
}

}  // namespace berth::controller::api
