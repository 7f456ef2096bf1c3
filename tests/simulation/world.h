// World: a whole cluster in one thread on a seed: controllers and standbys, agents, users, the log, their
// crashes and pauses.
//
// Chaos first: appends are lost, duplicated, delayed, reordered; processes pause and crash; agents are cut
// off; some requests are poison (decide and the net disagree, P7). In some seeds (chaos.h) the journal or the
// input streams lose their tail, clocks jump and machines reboot. Then everything heals and the checkers
// (checkers.h) ask what must hold. Same seed, same run, on any build.
//
// Profile "plain" is that and no more: its runs are recorded (--record, --compare). Profile "hostile" has
// what hostility.h lists besides, and another end: once everything has healed, what runs is ended and what
// waits is not, until each request is answered and each session that was accepted has been placed; then each
// machine runs one session that takes all of it. Profile "strange" is a hostile run that has, besides, what
// strangeness.h lists.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "events/base/hash.h"
#include "events/base/random.h"
#include "events/log/memory_faults.h"
#include "tests/simulation/sim_agent.h"
#include "tests/simulation/sim_controller.h"
#include "tests/simulation/sim_users.h"

namespace berth::simulation {

enum class Profile : std::uint8_t { kPlain, kHostile, kStrange };

struct WorldOptions {
  std::uint64_t seed = 1;
  Profile profile = Profile::kPlain;
  int controllers = 2;
  int agents = 3;
  int sessions = 14;
  bool verbose = false;
  bool every_policy = false;     // the group's policies are drawn from all that are built in
  bool decisions = false;        // at the end, each placement in the log is worked out again
  std::ostream* dump = nullptr;  // where the run is told to (dump.h); null: nowhere
};

// Of decisions that were run again: those that came out as recorded (placements, and places that were held
// for who preempts), and those that said themselves that an input is in no log.
struct DecisionCounts {
  std::uint64_t placed = 0, held = 0, unknown = 0;
};

struct WorldReport {
  std::vector<std::string> failures;  // empty: all held
  std::uint64_t records = 0, voids = 0, elections = 0, crashes = 0, truncations = 0, input_truncations = 0,
                jumps = 0, reboots = 0, sessions = 0, preempted = 0;
  DecisionCounts decisions;
  double virtual_seconds = 0;                        // for people only
  std::string hostility;                             // what a hostile run had; for people only
  std::map<std::string, std::uint64_t> events_seen;  // by kind; for people only
  // What this run was, for a build that must not change it: all that its controllers appended to journal and
  // orders, the events that applied, however they were cut into records, and the state that they gave.
  Hash128 appended{}, events{}, state{};
};

WorldReport run_world(const WorldOptions& options);

}  // namespace berth::simulation
