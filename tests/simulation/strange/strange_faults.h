// The faults of a strange run but for its clocks: calls that hang, a journal without its beginning, disks
// that are lost or fail for a while (strangeness.h). With a generator of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "events/base/random.h"
#include "tests/simulation/sim_agent.h"
#include "tests/simulation/sim_controller.h"
#include "tests/simulation/strange/strangeness.h"

namespace berth::simulation {

class StrangeFaults {
 public:
  StrangeFaults(SimCluster& cluster, const Strangeness& strangeness, std::uint64_t seed)
      : cluster_(cluster), s_(strangeness), rng_(seed ^ 0x57FA17) {}
  void add(SimController* controller) { controllers_.push_back({controller, 0}); }
  void add(SimAgent* agent) { agents_.push_back(agent); }

  // May begin a fault.
  void chaos(const Instant& now);
  // Each turn: ends what is over.
  void turn(const Instant& now);
  // No fault any more, until chaos(). An operator brings those that refuse to go on a copy of the state.
  void heal(const Instant& now);

 private:
  struct Controller {
    SimController* process;
    Timestamp disk_back_at;  // boottime; 0: its disk does not fail
  };
  void hang_one(const Instant& now);
  void fail_disk(Controller& controller, const Instant& now);
  void lose_beginning();
  void lose_disk(SimController& controller);
  void bring_states(const Instant& now);
  SimController* with_whole_state(const SimController* but);

  SimCluster& cluster_;
  const Strangeness s_;
  Rng rng_;
  bool is_healed_ = false;
  std::vector<Controller> controllers_;
  std::vector<SimAgent*> agents_;
};

}  // namespace berth::simulation
