// What happens to the log in a hostile run besides lost, doubled and late appends: streams that are out of
// reach for a while, and void records that fill the journal up to the next chain point.
#pragma once

#include <cstdint>
#include <vector>

#include "events/base/random.h"
#include "tests/simulation/sim_controller.h"

namespace berth::simulation {

class HostileLog {
 public:
  HostileLog(const SimCluster& cluster, const Hostility& hostility, std::uint64_t seed);

  // May begin a fault.
  void chaos(const Instant& now);
  // Each turn: ends what is over.
  void turn(const Instant& now);
  void heal();

 private:
  void begin_outage(const Instant& now);
  void fill_journal();
  void leave_gap();

  const SimCluster& cluster_;
  const Hostility& h_;
  Rng rng_;
  int fillings_left_ = 3;
  std::vector<Stream> away_;
  Timestamp back_at_ = 0;  // boottime
};

}  // namespace berth::simulation
