#include "controller/runtime/input_feed.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

#include "events/base/hash.h"
#include "events/log/log_errors.h"

namespace berth::controller {
namespace {

constexpr std::size_t kQueuedMax = 8'192;  // inputs on the strand's queue before inputs wait
constexpr std::size_t kPollEntries = 2'048;
constexpr std::size_t kPollBytes = 4u << 20;
constexpr Duration kPollWait = 200 * kMillisecond;
constexpr Duration kCheckPoll = 20 * kMillisecond;
constexpr Duration kCheckWait = 10 * kSecond;                // of a glance
constexpr auto kOpenAgain = std::chrono::milliseconds(200);  // after a reader that did not open

template <class MakeInput>
void push_entries(CoreQueue& queue, std::vector<LogEntry>& entries, MakeInput make) {
  std::vector<Input> inputs;
  inputs.reserve(entries.size());
  for (auto& entry : entries) inputs.push_back(make(std::move(entry)));
  entries.clear();
  queue.push(inputs);
}

}  // namespace

Result<void> InputFeed::start() {
  std::vector<ReadFrom> from;
  for (const Stream stream : {Stream::kHealth, Stream::kControl}) {
    const auto extent = log_.extent({stream, 0});
    if (!extent) return extent.error();
    from.push_back({{stream, 0}, extent->end});
  }
  auto reader = log_.open_reader(std::move(from));
  if (!reader) return reader.error();
  liveness_ = std::move(*reader);
  inputs_thread_ = std::thread([this] { run_inputs(); });
  liveness_thread_ = std::thread([this] { run_liveness(); });
  return {};
}

void InputFeed::stop() {
  if (stopping_.exchange(true)) return;
  {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  if (liveness_) liveness_->wake();
  if (inputs_thread_.joinable()) inputs_thread_.join();
  if (liveness_thread_.joinable()) liveness_thread_.join();
}

void InputFeed::check(std::vector<CheckInput> checks) {
  const std::lock_guard lock(mutex_);
  task_.checks = std::move(checks);
  task_.stop = true;  // what was read for an earlier leadership is over
  task_.seeks.clear();
  task_.glances.clear();
  changed_.notify_all();
}

void InputFeed::glance(std::vector<CheckInput> checks) {
  const std::lock_guard lock(mutex_);
  task_.glances = std::move(checks);
  changed_.notify_all();
}

void InputFeed::seek(const std::vector<SeekInput>& seeks) {
  const std::lock_guard lock(mutex_);
  for (const auto& s : seeks) task_.seeks.push_back({s.partition, s.offset});
  changed_.notify_all();
}

void InputFeed::stop_inputs() {
  const std::lock_guard lock(mutex_);
  task_ = Task{};
  task_.stop = true;
  changed_.notify_all();
}

// Waits for a task while there is nothing to read.
bool InputFeed::take_task(Task& task) {
  std::unique_lock lock(mutex_);
  const auto has_task = [this] {
    return task_.stop || !task_.checks.empty() || !task_.glances.empty() || !task_.seeks.empty() || stopping_;
  };
  if (inputs_ == nullptr && may_open())
    changed_.wait_for(lock, kOpenAgain, has_task);
  else if (inputs_ == nullptr)
    changed_.wait(lock, has_task);
  if (!has_task()) return false;
  task = std::move(task_);
  task_ = Task{};
  return true;
}

void InputFeed::run_inputs() {
  pthread_setname_np(pthread_self(), "cell-inputs");
  while (!stopping_) {
    Task task;
    if (take_task(task)) {
      if (task.stop) {
        inputs_.reset();
        positions_.clear();
      }
      if (!task.checks.empty()) do_checks(task.checks, false);
      if (!task.glances.empty()) do_checks(task.glances, true);
      positions_.insert(positions_.end(), task.seeks.begin(), task.seeks.end());
    }
    if (inputs_ == nullptr && may_open()) open_inputs();
    if (inputs_ != nullptr) poll_inputs();
  }
}

void InputFeed::do_checks(const std::vector<CheckInput>& checks, bool glance) {
  std::vector<LastInput> to_read;
  for (const auto& c : checks) {
    auto extent = log_.extent(c.partition);
    while (!extent && !stopping_) {
      spdlog::warn("{}: {}", to_string(c.partition), to_string(extent.error()));
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      extent = log_.extent(c.partition);
    }
    if (stopping_) return;
    LastInput last{c, *extent, c.next - 1, std::nullopt};
    if (glance) last.check.marks.clear();
    // Nothing taken yet, or the last one is gone by retention: nothing to compare.
    if (c.next == 0 || c.next <= extent->begin)
      queue_.push(Input(InputChecked{c.partition, true, extent->begin}));
    else if ((c.next <= extent->end && c.last_crc != 0) || go_back(last))
      to_read.push_back(std::move(last));
    else  // also: rewound to the beginning, which lies lower by now
      queue_.push(Input(InputChecked{c.partition, false, extent->begin}));
  }
  if (!to_read.empty()) read_last(std::move(to_read), glance);
}

// A glance is given up in time; a check when the leadership that it is for is over.
bool InputFeed::is_over(bool glance, Duration waited) {
  const std::lock_guard lock(mutex_);
  return stopping_ || (glance ? waited >= kCheckWait : task_.stop);
}

// Compares the last input that exists below each check's `next`. A log that does not answer has not said that
// the input is another one.
void InputFeed::read_last(std::vector<LastInput> last, bool glance) {
  std::vector<ReadFrom> from;
  for (const auto& one : last) from.push_back({one.check.partition, one.from});
  auto reader = log_.open_reader(from);
  std::vector<LogEntry> entries;
  for (Duration waited = 0; !last.empty(); waited += kCheckPoll) {
    if (is_over(glance, waited)) return;
    entries.clear();
    const auto polled = reader ? (*reader)->poll(kCheckPoll, 1'000, kPollBytes, entries) : reader.error();
    if (polled) {
      take_last(last, entries, **reader);
    } else if (!reader || is_log_unavailable(polled.error())) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(kCheckPoll));
      if (!reader) reader = log_.open_reader(from);
    } else {
      break;
    }
  }
  if (glance) return;
  for (const auto& one : last) queue_.push(Input(InputChecked{one.check.partition, false, one.extent.begin}));
}

// To the newest mark that the stream still reaches. False: there is none.
bool InputFeed::go_back(LastInput& last) {
  std::vector<projections::InputMark>& marks = last.check.marks;
  std::erase_if(marks, [&](const projections::InputMark& mark) {
    return mark.next >= last.check.next || mark.next > last.extent.end || mark.next <= last.extent.begin ||
           mark.last_crc == 0;
  });
  last.at_mark = true;
  if (marks.empty()) return false;
  last.check.next = marks.back().next;
  last.check.last_crc = marks.back().last_crc;
  last.from = last.check.next - 1;
  last.crc.reset();
  return true;
}

void InputFeed::take_last(std::vector<LastInput>& last, const std::vector<LogEntry>& entries,
                          LogReader& reader) {
  for (const auto& entry : entries) {
    const auto one = std::find_if(last.begin(), last.end(), [&](const LastInput& l) {
      return l.check.partition == entry.partition && entry.offset < l.check.next;
    });
    if (one == last.end()) continue;
    if (!entry.gap) one->crc = crc32c(entry.payload);
    if (entry.offset + 1 == one->check.next && found_last(*one, reader)) last.erase(one);
  }
}

// All offsets [from, next) were read. Where gaps are just below `next` (P30), the search goes back in steps
// that double; where another input stands there, to an earlier mark. False: the reader goes further back.
bool InputFeed::found_last(LastInput& last, LogReader& reader) {
  const CheckInput& check = last.check;
  const bool same = last.crc == check.last_crc;
  if (!same && !last.crc && last.from > last.extent.begin) {
    last.from -= std::min(last.from - last.extent.begin, check.next - last.from);
    reader.seek(check.partition, last.from);
    return false;
  }
  if (!same && go_back(last)) {
    reader.seek(check.partition, last.from);
    return false;
  }
  if (same && last.at_mark)
    queue_.push(Input(InputChecked{check.partition, false, check.next}));
  else
    queue_.push(Input(InputChecked{check.partition, same, same ? 0 : last.extent.begin}));
  return true;
}

bool InputFeed::may_open() const {
  const auto& layout = log_.layout();
  return positions_.size() >= layout.requests + layout.reports;
}

void InputFeed::open_inputs() {
  auto reader = log_.open_reader(positions_);
  if (!reader) return spdlog::error("cannot read inputs, trying again: {}", to_string(reader.error()));
  inputs_ = std::move(*reader);
}

void InputFeed::poll_inputs() {
  if (full_ || !queue_.wait_below(kQueuedMax, kPollWait)) {
    std::this_thread::sleep_for(
        std::chrono::microseconds(200));  // the in-flight bound drains in fractions of a millisecond
    return;
  }
  std::vector<LogEntry> entries;
  const auto polled = inputs_->poll(kPollWait, kPollEntries, kPollBytes, entries);
  if (!polled) {
    spdlog::warn("reading inputs: {}", to_string(polled.error()));
    if (is_out_of_range(polled.error())) queue_.push(Input(InputsLost{}));
    if (!is_log_unavailable(polled.error())) std::this_thread::sleep_for(std::chrono::seconds(1));
    return;
  }
  push_entries(queue_, entries, [](LogEntry&& entry) { return Input(InputRead{std::move(entry)}); });
}

void InputFeed::run_liveness() {
  pthread_setname_np(pthread_self(), "cell-liveness");
  std::vector<LogEntry> entries;
  while (!stopping_) {
    entries.clear();
    const auto polled = liveness_->poll(kPollWait, kPollEntries, kPollBytes, entries);
    if (!polled) {
      // Liveness only: what was missed is missed. Go on at the end.
      for (const Stream stream : {Stream::kHealth, Stream::kControl})
        if (const auto extent = log_.extent({stream, 0})) liveness_->seek({stream, 0}, extent->end);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    std::erase_if(entries, [](const LogEntry& entry) { return entry.gap; });
    push_entries(queue_, entries, [](LogEntry&& entry) {
      if (entry.partition.stream == Stream::kHealth) return Input(HealthRead{std::move(entry.payload)});
      return Input(ControlRead{std::move(entry.payload)});
    });
  }
}

}  // namespace berth::controller
