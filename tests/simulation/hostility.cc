#include "tests/simulation/hostility.h"

#include "events/base/random.h"

namespace berth::simulation {

Hostility draw_hostility(std::uint64_t seed) {
  Rng rng(seed ^ 0x4057113);
  Hostility h;
  for (bool* each : {&h.gangs, &h.timeouts, &h.limits, &h.conflicts, &h.operators, &h.stubborn, &h.deaths,
                     &h.absences, &h.steps, &h.between, &h.outages, &h.forger, &h.gaps})
    *each = rng.chance(1, 2);
  h.large = rng.chance(1, 4);
  h.night = rng.chance(1, 6);
  if (rng.chance(1, 2)) h.watchdog_delay = static_cast<Duration>(rng.below(2500)) * kMillisecond;
  h.chain_heads = rng.chance(1, 3);
  h.flush_records = 1 + rng.below(80);
  h.checkpoint_records = 20 + rng.below(300);
  h.long_leases = rng.chance(1, 3);
  return h;
}

std::string Hostility::text() const {
  std::string text;
  const auto name = [&text](bool on, const char* what) {
    if (on) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  name(gangs, "gangs");
  name(timeouts, "timeouts");
  name(limits, "limits");
  name(large, "large requests");
  name(conflicts, "conflicts");
  name(operators, "operators");
  name(stubborn, "stubborn programs");
  name(deaths, "deaths");
  name(absences, "absences");
  name(watchdog_delay > 0, "slow watchdogs");
  name(long_leases, "long leases");
  name(steps, "steps of clocks");
  name(between, "jumps before flush");
  name(outages, "outages");
  name(gaps, "gaps");
  name(forger, "forger");
  name(night, "night");
  name(chain_heads, "chain heads");
  return text;
}

}  // namespace berth::simulation
