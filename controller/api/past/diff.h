// Diff: what changed between two moments, as an index that its pages are made of.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "controller/api/api_context.h"
#include "controller/api/past/diff_subjects.h"

namespace berth::controller::api {

struct DiffEvent {
  Offset offset = 0;
  std::uint32_t index = 0;
  Timestamp time = 0;
  std::string type;
  std::string line;  // empty: too many are kept
};

struct DiffChange {
  std::size_t noun = 0;  // of diff_nouns()
  std::string key;
  std::vector<DiffEvent> events;  // the first few
  std::uint64_t more_events = 0;
};

class Diff {
 public:
  static constexpr Offset kRecordsMax = 10'000'000;
  static constexpr std::uint64_t kEventsMax = 10'000'000;
  static constexpr std::size_t kChangesMax = 200'000;
  static constexpr std::size_t kEventsOfChange = 20;
  static constexpr std::size_t kLinesMax = 50'000;

  // Reads the journal between the two. May take seconds. Codes: range-too-long, those of read_journal().
  static Result<std::shared_ptr<const Diff>> make(ApiContext& context, projections::PastPtr before,
                                                  projections::PastPtr after);

  const projections::PastPtr& before() const { return before_; }
  const projections::PastPtr& after() const { return after_; }
  const std::vector<DiffChange>& changes() const { return changes_; }

 private:
  Diff(projections::PastPtr before, projections::PastPtr after)
      : before_(std::move(before)), after_(std::move(after)) {}
  void compare();
  Result<void> read(ApiContext& context);
  Result<void> take(const JournalRecord& record);
  Result<void> take_event(const JournalRecord& record, int index);
  DiffChange* change_of(const DiffSubject& subject);
  std::string line_of(const v1::Record& record, int index) const;
  void sort();

  projections::PastPtr before_, after_;
  std::vector<DiffChange> changes_;
  std::map<DiffSubject, std::size_t> places_;             // while it is made
  std::unordered_map<std::string, std::string> kernels_;  // kernel to session, while it is made
  std::uint64_t events_ = 0;
  std::size_t lines_ = 0;
};

// The newest, so that the pages of one difference read the journal once. Of these very states: a position
// that the log lost comes again with another state. Thread-safe.
class DiffCache {
 public:
  std::shared_ptr<const Diff> find(const projections::PastPtr& before,
                                   const projections::PastPtr& after) const;
  void keep(std::shared_ptr<const Diff> diff);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Diff> newest_;
};

}  // namespace berth::controller::api
