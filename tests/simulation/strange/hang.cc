#include "tests/simulation/strange/hang.h"

namespace berth::simulation {

Hang Hang::draw(Rng& rng, Timestamp boottime) {
  Hang hang;
  bool* const kinds[] = {&hang.journal, &hang.inputs,   &hang.liveness,
                         &hang.appends, &hang.outcomes, &hang.ends};
  if (rng.chance(1, 4)) {
    hang.journal = hang.inputs = hang.liveness = hang.appends = true;
  } else {
    for (std::uint64_t left = 1 + rng.below(2); left > 0; --left) *kinds[rng.below(std::size(kinds))] = true;
  }
  hang.until = boottime + static_cast<Duration>(1000 + rng.below(19'000)) * kMillisecond;
  return hang;
}

void HangingLog::hold(bool appends, bool outcomes) {
  holds_appends_ = appends;
  holds_outcomes_ = outcomes;
  while (!holds_outcomes_ && !outcomes_.empty()) {
    const auto outcome = std::move(outcomes_.front());
    outcomes_.pop_front();
    outcome();
  }
  while (!holds_appends_ && !appends_.empty()) {
    Append oldest = std::move(appends_.front());
    appends_.pop_front();
    pass_on(std::move(oldest));
  }
}

void HangingLog::append(Partition partition, std::string_view key, std::string payload, AppendDone done) {
  Append append{partition, std::string(key), std::move(payload), std::move(done)};
  if (holds_appends_)
    appends_.push_back(std::move(append));
  else
    pass_on(std::move(append));
}

void HangingLog::pass_on(Append append) {
  AppendDone done;
  if (append.done)
    done = [this, told = std::move(append.done)](const AppendResult& result) {
      if (holds_outcomes_)
        outcomes_.emplace_back([told, result] { told(result); });
      else
        told(result);
    };
  inner_->append(append.partition, append.key, std::move(append.payload), std::move(done));
}

}  // namespace berth::simulation
