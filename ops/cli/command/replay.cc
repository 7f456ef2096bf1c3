#include "ops/cli/command/replay.h"

#include "events/codec/envelope.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/problem_codes.h"

namespace berth::cli {
namespace {

using projections::ApplyOutcome;
using projections::Projection;

Outcome<LogEntry> decoded(const JournalEntry& entry) {
  const auto at = "offset " + std::to_string(entry.offset);
  auto payload = base64_decoded(entry.text.value_or(""));
  if (!payload) return Failure{kFailed, "journal-page-malformed", at + " is no base64", {}, {}};
  return LogEntry{{Stream::kJournal, 0}, entry.offset, std::move(*payload), !entry.text};
}

// The beginning of a record that counts, up to and with event `index`.
void fold_part(Projection& projection, const std::string& payload, int index) {
  const auto envelope = open_envelope(payload, projection.cluster());
  v1::Record record;
  if (!envelope || !record.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())))
    return;
  if (projection.own().continues(record.header()) != projections::VoidReason::kNone) return;
  projection.own().open(record.header());
  for (int i = 0; i <= index && i < record.events_size(); ++i)
    if (!projection.own().add(record.events(i)).empty()) return;
}

Failure no_record_yet(Offset position, std::int64_t end) {
  const std::string last = std::to_string(end - 1);
  return {kNotFound,
          kPositionNotReached,
          "the journal has no record " + std::to_string(position) + " yet" +
              (end > 0 ? ", its last one is " + last : ": it is empty"),
          end > 0 ? "--at " + last +
                        " is as it stands now; `berth event tail --no-follow` tells what happened at which"
                  : "",
          {}};
}

}  // namespace

// What is folded here is the log itself, so a claim that differs from it is wrong (P12).
Outcome<bool> fold_entry(Projection& projection, const LogEntry& entry) {
  ApplyOutcome outcome = projection.apply(entry);
  if (outcome.what == ApplyOutcome::What::kMismatch) outcome = projection.apply(entry, true);
  if (outcome.what != ApplyOutcome::What::kStop && outcome.what != ApplyOutcome::What::kStateDiffers)
    return true;
  return Failure{kFailed,
                 outcome.error.code,
                 "offset " + std::to_string(entry.offset) + ": " + outcome.error.message,
                 outcome.error.hint,
                 {}};
}

SettledFold::SettledFold(const Uuid& cluster, Offset end)
    : end_(end),
      projection_(std::make_unique<Projection>(cluster, Projection::Tracking::kRows)),
      audit_(cluster) {
  audit_.set_on_settled([this](Offset offset, bool is_ignored) {
    if (offset < end_) settled_.push_back(is_ignored);
    if (offset == end_) ignores_end_ = is_ignored;
  });
}

Outcome<bool> SettledFold::take(LogEntry entry) {
  const bool more = audit_.take(entry);
  if (entry.offset < end_) waiting_.push_back(std::move(entry));
  return more ? fold_settled() : finish();  // a journal of another cluster: the fold says so
}

Outcome<bool> SettledFold::finish() {
  audit_.finish();
  settled_.resize(waiting_.size());
  return fold_settled();
}

Outcome<bool> SettledFold::fold_settled() {
  for (; !settled_.empty(); settled_.pop_front(), waiting_.pop_front()) {
    if (settled_.front()) {
      projection_->pass_over(waiting_.front());
      continue;
    }
    if (auto folded = fold_entry(*projection_, waiting_.front()); !folded) return folded;
  }
  return true;
}

void SettledFold::note_ignored(Shell& shell) const {
  for (const auto& record : audit_.ignored())
    if (record.offset <= end_) shell.note(to_string(record));
}

namespace {

struct Replayed {
  std::unique_ptr<Projection> projection;
  bool is_settled = false;  // a signed head covers all of it
};

Outcome<Replayed> replay(Shell& shell, Api& api, Offset position, std::optional<int> index) {
  // Asked first, since a replay of all that is there before it may take long.
  const auto page = api.get("/v1/journal?from=0&limit=1");
  if (!page) return page.failure();
  const std::int64_t journal_end = integer_at(page->body, "end");
  if (static_cast<std::int64_t>(position) >= journal_end) return no_record_yet(position, journal_end);
  const Offset end = index ? position : position + 1;
  std::optional<SettledFold> fold;
  std::string payload;  // of the record at `position`
  const auto read = read_journal(
      api, 0, std::nullopt, [&](const Uuid& cluster, const JournalEntry& entry) -> Outcome<bool> {
        if (!fold) fold.emplace(cluster, end);
        if (entry.offset % 10'000 == 0 && entry.offset != 0)
          shell.status("replayed " + std::to_string(entry.offset) + " of " + std::to_string(position + 1));
        auto read_here = decoded(entry);
        if (!read_here) return read_here.failure();
        if (entry.offset == position) payload = read_here->payload;
        if (auto folded = fold->take(std::move(*read_here)); !folded) return folded;
        return index ? !fold->ignores_end() : !fold->is_settled();
      });
  shell.end_status();
  if (!read) return read.failure();
  if (!fold || read->next <= position) return no_record_yet(position, static_cast<std::int64_t>(read->next));
  const bool is_settled = fold->is_settled();
  if (auto folded = fold->finish(); !folded) return folded.failure();
  if (index && fold->ignores_end() != true) fold_part(*fold->projection(), payload, *index);
  fold->note_ignored(shell);
  if (!fold->projection()->verifies())
    shell.note(
        "the records' signatures were not checked: that takes the cluster's secret, which only its "
        "servers hold");
  return Replayed{std::move(fold->projection()), is_settled};
}

}  // namespace

Outcome<std::unique_ptr<Projection>> replay_to(Shell& shell, Api& api, Offset position,
                                               std::optional<int> index) {
  auto done = replay(shell, api, position, index);
  if (!done) return done.failure();
  return std::move(done->projection);
}

Outcome<std::unique_ptr<Projection>> replay_until(Shell& shell, Api& api, Offset position,
                                                  const IsRight& is_right) {
  constexpr int kLooks = 4;
  constexpr std::chrono::seconds kPause{10};
  for (int look = 1;; ++look) {
    auto done = replay(shell, api, position, std::nullopt);
    if (!done) return done.failure();
    if (is_right(*done->projection) || done->is_settled || look == kLooks) return std::move(done->projection);
    shell.note("no signed head covers the newest records yet: looking again in 10 s");
    if (!api.pause(kPause)) return interrupted_failure();
  }
}

Outcome<PastPosition> parse_past_position(const std::string& text) {
  const auto dash = text.find('-');
  const auto number = [](const std::string& digits) {
    const bool good =
        !digits.empty() && digits.size() <= 18 && digits.find_first_not_of("0123456789") == std::string::npos;
    return good ? std::optional<std::int64_t>(std::stoll(digits)) : std::nullopt;
  };
  const auto offset = number(text.substr(0, dash));
  const auto index =
      dash == std::string::npos ? std::optional<std::int64_t>() : number(text.substr(dash + 1));
  if (!offset || (dash != std::string::npos && (!index || *index > 1'000'000)))
    return usage_failure("'" + text.substr(0, 40) + "' is no position",
                         "an offset of the journal like 17, or an event's id like 17-0");
  PastPosition at{static_cast<Offset>(*offset), std::nullopt};
  if (index) at.index = static_cast<int>(*index);
  return at;
}

}  // namespace berth::cli
