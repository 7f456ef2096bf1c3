#include "tests/simulation/strange/strangeness.h"

#include "events/base/random.h"

namespace berth::simulation {
namespace {

Strangeness kinds_of(std::uint64_t seed) {
  switch (seed / 8 % 8) {
    case 0: return {.clocks = true};
    case 1: return {.hangs = true};
    case 2: return {.beginning = true};
    case 3: return {.disks = true};
    case 4: return {.servers = true};
    case 5: return {.hangs = true, .disks = true};
    default: return {.clocks = true, .hangs = true, .beginning = true, .disks = true, .servers = true};
  }
}

}  // namespace

Strangeness draw_strangeness(std::uint64_t seed) {
  Rng rng(seed ^ 0x57A46E);
  Strangeness s = kinds_of(seed);
  if (!s.clocks) return s;
  constexpr Strangeness::Belief kBeliefs[] = {Strangeness::Belief::kSilentStart,
                                              Strangeness::Belief::kConfirmed, Strangeness::Belief::kAgreed};
  s.belief = kBeliefs[rng.below(3)];
  s.whole_site = s.belief == Strangeness::Belief::kAgreed || rng.chance(1, 2);
  s.ahead = static_cast<Duration>(30 + rng.below(300)) * kMinute;
  return s;
}

std::string Strangeness::text() const {
  std::string text;
  const auto name = [&text](bool on, const char* what) {
    if (on) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  constexpr const char* kBeliefs[] = {"a clock set right (silent start)", "a clock set right (confirmed)",
                                      "a clock set right (agreed)"};
  name(clocks, kBeliefs[static_cast<int>(belief)]);
  name(hangs, "hanging calls");
  name(beginning, "a lost beginning");
  name(disks, "disk errors that pass");
  name(servers, "an API server that stands still");
  return text;
}

}  // namespace berth::simulation
