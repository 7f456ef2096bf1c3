#include "controller/api/past/diff.h"

#include <algorithm>
#include <set>

#include "controller/api/map/event_json.h"
#include "controller/api/past/diff_nouns.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kRecordsAtOnce = 2'000;
constexpr std::size_t kBytesAtOnce = 4u << 20;

Error too_long(const std::string& what) {
  return make_error("range-too-long", "between the two moments lie more than 10 million " + what,
                    "choose moments that are nearer to each other");
}

}  // namespace

Result<std::shared_ptr<const Diff>> Diff::make(ApiContext& context, projections::PastPtr before,
                                               projections::PastPtr after) {
  if (after->point.position - before->point.position > kRecordsMax) return too_long("records");
  std::shared_ptr<Diff> diff(new Diff(std::move(before), std::move(after)));
  diff->compare();
  if (auto read = diff->read(context); !read.ok()) return read.error();
  diff->sort();
  return std::shared_ptr<const Diff>(std::move(diff));
}

void Diff::compare() {
  for (std::size_t noun = 0; noun < diff_nouns().size(); ++noun) {
    std::set<std::string> keys;
    diff_nouns()[noun].changed(before_->state(), after_->state(), keys);
    for (const std::string& key : keys) {
      places_.emplace(DiffSubject{diff_nouns()[noun].name, key}, changes_.size());
      changes_.push_back({noun, key, {}, 0});
    }
  }
}

Result<void> Diff::read(ApiContext& context) {
  for (Offset at = before_->point.position + 1; at <= after_->point.position;) {
    const auto page = context.read_journal(at, kRecordsAtOnce, kBytesAtOnce);
    if (!page.ok()) return page.error();
    if (page->next == at) break;  // nothing more is there
    for (const JournalRecord& record : page->records) {
      if (record.offset > after_->point.position) break;
      if (auto taken = take(record); !taken.ok()) return taken;
    }
    at = page->next;
  }
  return {};
}

Result<void> Diff::take(const JournalRecord& record) {
  events_ += static_cast<std::uint64_t>(record.record->events_size());
  if (events_ > kEventsMax) return too_long("events");
  for (int i = 0; i < record.record->events_size(); ++i)
    if (auto taken = take_event(record, i); !taken.ok()) return taken;
  return {};
}

Result<void> Diff::take_event(const JournalRecord& record, int index) {
  const v1::Event& event = record.record->events(index);
  if (event.has_session_scheduled())
    for (const auto& placement : event.session_scheduled().placements())
      kernels_[placement.kernel_id()] = event.session_scheduled().session_id();
  for (const DiffSubject& subject : diff_subjects(event)) {
    DiffChange* change = change_of(subject);
    if (change == nullptr) continue;
    if (changes_.size() > kChangesMax) return too_long("events, or 200,000 changes");
    if (change->events.size() == kEventsOfChange) {
      ++change->more_events;
      continue;
    }
    change->events.push_back({record.offset, static_cast<std::uint32_t>(index),
                              record.record->header().time_ns(), event_name(event),
                              lines_++ < kLinesMax ? line_of(*record.record, index) : std::string()});
  }
  return {};
}

// Of a session that came and left between the two, a change that neither state knows.
DiffChange* Diff::change_of(const DiffSubject& subject) {
  DiffSubject of = subject;
  if (subject.first == "kernel") {
    const auto id = Uuid::from_bytes(subject.second);
    const auto* row = id ? before_->state().kernels.find(KernelId(*id)) : nullptr;
    const auto known = kernels_.find(subject.second);
    of = {"session", row != nullptr            ? std::string(row->session.view())
                     : known != kernels_.end() ? known->second
                                               : std::string()};
  }
  const auto place = places_.find(of);
  if (place != places_.end()) return &changes_[place->second];
  const auto id = of.first == "session" ? Uuid::from_bytes(of.second) : std::nullopt;
  if (!id || id->is_nil() || before_->state().sessions.find(SessionId(*id)) != nullptr ||
      after_->state().sessions.find(SessionId(*id)) != nullptr)
    return nullptr;
  places_.emplace(of, changes_.size());
  changes_.push_back({kSessionNoun, of.second, {}, 0});
  return &changes_.back();
}

// Who reads it may not see the session that another one made room for: it is not named.
std::string Diff::line_of(const v1::Record& record, int index) const {
  v1::Event event = record.events(index);
  if (event.has_session_terminating()) event.mutable_session_terminating()->clear_preemptor();
  if (event.has_session_requeued()) event.mutable_session_requeued()->clear_preemptor();
  v1::Record alone;
  *alone.add_events() = event;
  return describe(event, names_for(after_->state(), alone));
}

void Diff::sort() {
  std::sort(changes_.begin(), changes_.end(), [](const DiffChange& a, const DiffChange& b) {
    return std::tie(a.noun, a.key) < std::tie(b.noun, b.key);
  });
  places_.clear();
  kernels_.clear();
}

std::shared_ptr<const Diff> DiffCache::find(const projections::PastPtr& before,
                                            const projections::PastPtr& after) const {
  const std::lock_guard lock(mutex_);
  const bool same = newest_ != nullptr && newest_->before() == before && newest_->after() == after;
  return same ? newest_ : nullptr;
}

void DiffCache::keep(std::shared_ptr<const Diff> diff) {
  const std::lock_guard lock(mutex_);
  newest_ = std::move(diff);
}

}  // namespace berth::controller::api
