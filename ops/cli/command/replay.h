// Folds the journal with this program's own fold: for the past, and to check the server's present.
#pragma once

#include <memory>

#include "ops/cli/command/journal_pages.h"
#include "projections/fold/projection.h"

namespace berth::cli {

// Folds one record, gap or not, as a reader that has the log itself before it: a claim that differs is wrong.
// Failures: a journal that does not fold (the code says why).
Outcome<bool> fold_entry(projections::Projection& projection, const LogEntry& entry);

// The state after the record at `position`; with `index`, after that event of the record: good only for
// reading the state. Progress goes to the shell's status line. Failures: those of the API, a journal that
// does not fold (the code says why), position-not-reached (no record is there
// yet: kNotFound).
Outcome<std::unique_ptr<projections::Projection>> replay_to(Shell& shell, Api& api, Offset position,
                                                            std::optional<int> index = std::nullopt);

// "17" or, as events carry it, "17-0". Failures: usage.
struct PastPosition {
  Offset offset = 0;
  std::optional<int> index;
};
Outcome<PastPosition> parse_past_position(const std::string& text);

}  // namespace berth::cli
