#include "controller/runtime/sessions/session_lines.h"

#include <set>

#include "events/base/hash.h"
#include "events/base/trace_context.h"
#include "events/codec/words/codes.h"

namespace berth::controller {
namespace {

using projections::SessionResult;
using projections::SessionRow;
using projections::SessionStatus;

std::string seconds_text(Duration duration) {
  const auto tenths = (duration + kSecond / 20) / (kSecond / 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

std::string where(const projections::State& state, const SessionRow& row) {
  std::set<std::string> agents;
  for (const KernelId& id : row.kernel_ids)
    if (const auto* kernel = state.kernels.find(id)) agents.insert(kernel->agent);
  if (agents.size() > 3) return std::to_string(agents.size()) + " agents";
  std::string text;
  for (const std::string& agent : agents) text += (text.empty() ? "" : ", ") + agent;
  return text;
}

std::string told_of_end(const SessionRow& row) {
  const std::string why = row.reason_code + (row.message.empty() ? "" : ": " + row.message);
  if (row.status == SessionStatus::kCancelled) return "cancelled: " + why;
  if (row.status == SessionStatus::kError) return "failed: " + why;
  if (row.result == SessionResult::kNone) return "ended: " + why;
  return (row.result == SessionResult::kSuccess ? "completed, exit " : "failed, exit ") +
         std::to_string(row.exit_code) +
         (row.reason_code == projections::end_reason::kKernelEnded ? "" : " (" + row.reason_code + ")");
}

// Empty: nothing to tell.
std::string told_of(const projections::State& state, const SessionRow& before, const SessionRow& after) {
  if (before.status == after.status) return {};
  if (after.status == SessionStatus::kRunning)
    return "started on " + where(state, after) + " after " +
           seconds_text(after.running_at - after.created_at);
  if (is_end(after.status)) return told_of_end(after);
  return {};
}

Timestamp time_of(const SessionRow& row) { return is_end(row.status) ? row.ended_at : row.running_at; }

}  // namespace

SessionLines::SessionLines(Timestamp since, std::function<bool()> tells, Take take, Limits limits)
    : since_(since),
      tells_(std::move(tells)),
      take_(std::move(take)),
      limits_(limits),
      room_(limits.per_second) {}

void SessionLines::start() {
  thread_ = std::thread([this] { run(); });
}

void SessionLines::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SessionLines::on_session(const projections::State& state, const SessionRow* before,
                              const SessionRow* after) {
  if (before == nullptr || after == nullptr) return;
  const std::string told = told_of(state, *before, *after);
  if (told.empty() || time_of(*after) < since_ || !tells_()) return;
  const std::string id = to_string(after->id);
  SessionLine line;
  line.time = time_of(*after);
  line.text = after->name + " (" + id.substr(0, 8) + ") of " +
              (after->owner ? after->owner->owner.user() : after->actor) + ": " + told;
  line.session = id;
  if (!after->request.is_nil()) {
    line.request = to_string(after->request);
    line.trace = to_hex(as_view(trace_of_session(after->trace, after->request).trace));
  }
  add(std::move(line));
}

void SessionLines::on_record(const v1::Record& record) {
  for (const auto& event : record.events()) {
    if (!event.has_request_refused()) continue;
    const Timestamp time = record.header().time_ns();
    if (time < since_ || !tells_()) continue;
    const auto& refused = event.request_refused();
    const auto request = Uuid::from_bytes(event.request_id()).value_or(Uuid{});
    SessionLine line;
    line.time = time;
    line.text = event.actor() + " was refused: " + code_of(refused.code()) +
                (refused.message().empty() ? "" : ": " + refused.message());
    line.request = to_string(request);
    line.trace = to_hex(as_view(trace_of_session(event.trace(), request).trace));
    add(std::move(line));
  }
}

void SessionLines::add(SessionLine line) {
  const std::lock_guard lock(mutex_);
  if (room_ == 0) {
    ++left_out_;
    return;
  }
  --room_;
  waiting_.push_back(std::move(line));
  changed_.notify_all();
}

void SessionLines::run() {
  std::unique_lock lock(mutex_);
  auto next_second = std::chrono::steady_clock::now() + limits_.second;
  while (true) {
    changed_.wait_until(lock, next_second, [this] { return stopping_ || !waiting_.empty(); });
    const bool last = stopping_;
    std::vector<SessionLine> lines = std::exchange(waiting_, {});
    if (std::chrono::steady_clock::now() >= next_second || last) {
      next_second = std::chrono::steady_clock::now() + limits_.second;
      room_ = limits_.per_second;
      if (left_out_ > 0) {
        SessionLine sum;
        sum.text = "... and " + std::to_string(std::exchange(left_out_, 0)) +
                   " more starts, ends and refusals of sessions";
        lines.push_back(std::move(sum));
      }
    }
    lock.unlock();
    for (const SessionLine& line : lines) take_(line);
    lock.lock();
    if (last) return;
  }
}

}  // namespace berth::controller
