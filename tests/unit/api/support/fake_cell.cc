#include "tests/unit/api/support/fake_cell.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "controller/decide/decide.h"

namespace berth::testing {

FakeCell::FakeCell(const Events& history)
    : projection_(test_cluster(), projections::Projection::Tracking::kRows) {
  take(journal_.elect());
  for (const v1::Event& event : history) append({event});
}

void FakeCell::append(const Events& events) {
  const std::lock_guard lock(writer_);
  take(journal_.append(events));
}

void FakeCell::append_void() {
  const std::lock_guard lock(writer_);
  v1::Record record = journal_.next_record({clock_confirmed()});
  record.mutable_header()->set_sequence(record.header().sequence() + 5);
  take(journal_.append_void(record));
}

void FakeCell::take(const std::string& payload) {
  controller::JournalRecord record;
  Offset offset;
  {
    const std::unique_lock lock(mutex_);
    offset = projection_.chain().next();
    const auto outcome = projection_.apply(offset, payload);
    if (outcome.applied()) {
      record = {offset, std::make_shared<const v1::Record>(projection_.record())};
      records_.push_back(record);
    }
    position_ = offset;
  }
  const std::lock_guard lock(listener_mutex_);
  if (listener_ == nullptr) return;
  if (record.record) listener_->on_applied(record);
  listener_->on_position(offset);
}

void FakeCell::with_state(const std::function<void(const controller::StateView&)>& read) {
  const std::shared_lock lock(mutex_);
  const Offset next = projection_.chain().next();
  read({projection_.state(), next == 0 ? 0 : next - 1, next != 0});
}

Result<void> FakeCell::submit(const v1::Request& request, controller::SubmitDone done) {
  ++submitted;
  on_submit(request);
  switch (log.load()) {
    case Log::kFull: return make_error("controller-full", "too many requests wait for the log", "try again");
    case Log::kFails:
      done({AppendState::kFailed, 0, make_error("log-unavailable", "the broker is away")});
      return {};
    case Log::kUnknown:
      done({AppendState::kUnknown, 0, make_error("log-unavailable", "no answer")});
      return {};
    case Log::kSilent: done({AppendState::kDurable, 0, {}}); return {};
    case Log::kAnswers: break;
  }
  done({AppendState::kDurable, 0, {}});
  const std::lock_guard lock(writer_);
  Events events;
  {
    const std::shared_lock state_lock(mutex_);
    const controller::InHistory in_history =
        [this](const SessionId& id) -> std::optional<controller::PastSession> {
      const auto found = past_sessions.find_history(id);
      if (!found || !found->has_value()) return std::nullopt;
      const auto& session = (*found)->session;
      return controller::PastSession{session.owner->owner.user(), session.name, session.spec->spec.type(),
                                     session.result};
    };
    const controller::EventList decided = controller::decide_request(
        {projection_.state(), {1, journal_.payloads().size(), 0}, journal_.time(), in_history}, request);
    events.assign(decided.begin(), decided.end());
  }
  take(journal_.append(events));
  return {};
}

void FakeCell::lose_journal() {
  {
    const std::unique_lock state_lock(mutex_);
    if (row_listener_ != nullptr) row_listener_->on_replaced();
  }
  const std::lock_guard lock(listener_mutex_);
  position_ = 0;
  if (listener_ != nullptr) listener_->on_rebuilt(0);
}

void FakeCell::set_row_listener(controller::RowListener* listener) {
  const std::unique_lock lock(mutex_);
  row_listener_ = listener;
  if (listener != nullptr)
    projection_.set_listener(listener);
  else
    projection_.set_listener(nullptr);
}

void FakeCell::set_journal_listener(controller::JournalListener* listener) {
  const std::lock_guard lock(listener_mutex_);
  listener_ = listener;
}

Result<controller::JournalPage> FakeCell::read_journal(Offset from, std::size_t max_records, std::size_t) {
  ++pages_read;
  on_read();
  const std::shared_lock lock(mutex_);
  controller::JournalPage page;
  const Offset end = projection_.chain().next();
  page.next = std::max(from, end);
  for (const auto& record : records_) {
    if (record.offset < from) continue;
    if (page.records.size() == max_records) {
      page.next = record.offset;
      break;
    }
    page.records.push_back(record);
  }
  return page;
}

// As a node that has just written all.
Result<projections::UsageReport> FakeCell::usage(const projections::UsageQuestion& question) {
  const std::lock_guard lock(writer_);
  projections::MemoryStore store;
  projections::Projector projector(test_cluster(), store, {}, nullptr);
  if (auto opened = projector.open(); !opened) return opened.error();
  projector.apply(journal_.entries(), 1);
  if (auto flushed = projector.flush(); !flushed) return flushed.error();
  return projections::usage_report(store, question);
}

Result<std::optional<projections::HistoryEntry>> FakeCell::find_history(const SessionId& id) {
  return past_sessions.find_history(id);
}

void FakeCell::past_state(const projections::PastMoment& moment, projections::PastDone done) {
  if (const auto error = on_past()) return done(*error);
  auto then =
      std::make_shared<projections::Projection>(test_cluster(), projections::Projection::Tracking::kNone);
  {
    const std::lock_guard lock(writer_);
    const auto entries = journal_.entries();
    if (moment.position.value_or(0) >= entries.size() ||
        (!moment.position && moment.time > test_clock.wall + kHour))
      return done(make_error("future-moment", "that is in the future"));
    if (!moment.position && moment.time < kTestStart)
      return done(make_error("before-the-log", "the journal begins later"));
    for (const LogEntry& entry : entries) {
      projections::Projection next(*then);
      next.apply(entry);
      const bool is_later =
          moment.position ? entry.offset > *moment.position : next.state().epoch().time > moment.time;
      if (is_later) break;
      then->apply(entry);
    }
  }
  auto state = std::make_shared<projections::PastState>();
  state->point = {then->chain().next() - 1, then->state().epoch().time};
  state->projection = std::move(then);
  done(projections::PastPtr(std::move(state)));
}

Result<projections::PastBounds> FakeCell::past_bounds() {
  const std::shared_lock lock(mutex_);
  return projections::PastBounds{{0, kTestStart},
                                 {projection_.chain().next() - 1, projection_.state().epoch().time}};
}

void FakeCell::keep(const projections::HistoryEntry& entry) {
  projections::StoreBatch batch;
  batch.history.push_back(entry);
  EXPECT_TRUE(past_sessions.write(batch));
}

void FakeCell::kernel_log(const controller::LogRequest& request, controller::LogDone done) {
  last_log_request = request;
  if (log_error) return done(*log_error);
  done(log_page);
}

controller::ClusterFacts FakeCell::facts() {
  controller::ClusterFacts facts;
  facts.cluster_id = test_cluster();
  facts.version = "test";
  facts.log = log_url;
  facts.controller = "c1";
  facts.point.next = position() + 1;
  facts.truncation = truncation;
  return facts;
}

Result<projections::ChainPoint> FakeCell::chain_point_now() {
  projections::ChainPoint point;
  point.next = position() + 1;
  point.state_hash = blake2b_128("newest");
  return point;
}

Uuid FakeCell::new_id() { return id_of("request-" + std::to_string(ids_++)); }

}  // namespace berth::testing
