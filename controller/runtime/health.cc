#include "controller/runtime/health.h"

#include "events/log/log_errors.h"

namespace berth::controller {
namespace {

std::string seconds(Duration time) { return std::to_string(time / kSecond) + " s"; }

}  // namespace

void Health::heartbeat(Timestamp heard) {
  const std::lock_guard lock(mutex_);
  heartbeat_ = heard;
}

void Health::folded(Offset next) {
  const std::lock_guard lock(mutex_);
  next_ = next;
  if (next_ >= wanted_) wanted_ = 0;
}

void Health::own_void(Offset offset, const std::string& why, Timestamp now) {
  const std::lock_guard lock(mutex_);
  void_ = "the record at offset " + std::to_string(offset) + " is void (" + why + ")";
  void_at_ = now;
}

void Health::elected(bool another) {
  const std::lock_guard lock(mutex_);
  void_at_ = 0;
  another_leads_ = another;
  append_errors_.clear();
  append_fails_ = false;
}

void Health::journal_ends(Offset end, Timestamp now) {
  const std::lock_guard lock(mutex_);
  log_error_.reset();
  answered_ = now;
  end_ = end;
  if (end < wanted_) wanted_ = 0;  // it lost its tail
  if (wanted_ != 0 || next_ >= end) return;
  wanted_ = end;
  wanted_since_ = now;
}

bool Health::has_caught_up() const {
  const std::lock_guard lock(mutex_);
  return answered_ != 0 && next_ >= end_;
}

std::uint64_t Health::lag() const {
  const std::lock_guard lock(mutex_);
  return end_ > next_ ? end_ - next_ : 0;
}

void Health::log_fails(const Error& error) {
  const std::lock_guard lock(mutex_);
  log_error_ = error;
}

void Health::input_waits(const Partition& partition, Offset next, std::optional<Timestamp> since) {
  const std::lock_guard lock(mutex_);
  if (since)
    waits_[partition] = {next, *since};
  else
    waits_.erase(partition);
}

void Health::append_result(Stream stream, const AppendResult& result) {
  const bool fails = result.state != AppendState::kDurable;
  if (!fails && !append_fails_) return;
  const std::lock_guard lock(mutex_);
  if (fails)
    append_errors_.insert_or_assign(stream, result.error);
  else
    append_errors_.erase(stream);
  append_fails_ = !append_errors_.empty();
  if (fails && is_log_broken(result.error)) broken_ = result.error;
}

std::optional<Error> Health::broken() const {
  if (!append_fails_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return broken_;
}

void Health::store_result(const Result<void>& result) {
  const std::lock_guard lock(mutex_);
  store_error_ = result ? std::nullopt : std::optional<Error>(result.error());
}

ReadyCheck Health::log_check(Timestamp now) const {
  if (log_error_) return {"log", false, to_string(*log_error_)};
  if (!append_errors_.empty() && !another_leads_)
    return {"log", false, to_string(append_errors_.begin()->second)};
  if (answered_ == 0) return {"log", false, "it has not answered yet"};
  if (now > answered_ + limits_.log_silent)
    return {"log", false, "no answer for " + seconds(now - answered_)};
  return {"log", true, "end " + std::to_string(end_)};
}

ReadyCheck Health::projection_check(Timestamp now) const {
  const std::string at = "next " + std::to_string(next_);
  if (store_error_) return {"projection", false, to_string(*store_error_)};
  if (wanted_ == 0 || now <= wanted_since_ + limits_.leader) return {"projection", true, at};
  return {"projection", false,
          at + ": the log has had offset " + std::to_string(wanted_ - 1) + " for " +
              seconds(now - wanted_since_)};
}

ReadyCheck Health::leader_check(Timestamp now) const {
  if (heartbeat_ == 0) return {"leader", false, "none was heard yet"};
  if (now > heartbeat_ + limits_.leader)
    return {"leader", false, "not heard for " + seconds(now - heartbeat_)};
  return {"leader", true, ""};
}

ReadyCheck Health::void_check(Timestamp now) const {
  if (void_at_ == 0 || now > void_at_ + limits_.own_void) return {"leader-records", true, ""};
  return {"leader-records", false, void_ + ", " + seconds(now - void_at_) + " ago"};
}

ReadyCheck Health::decision_check(Timestamp now) const {
  for (const auto& [partition, wait] : waits_)
    if (now > wait.since + limits_.decision)
      return {"decisions", false,
              to_string(partition) + " offset " + std::to_string(wait.next) + " has waited for " +
                  seconds(now - wait.since)};
  return {"decisions", true, ""};
}

std::vector<ReadyCheck> Health::checks(Timestamp now) const {
  const std::lock_guard lock(mutex_);
  return {log_check(now), projection_check(now), leader_check(now), void_check(now), decision_check(now)};
}

}  // namespace berth::controller
