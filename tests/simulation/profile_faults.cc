#include "tests/simulation/profile_faults.h"

namespace berth::simulation {
namespace {

constexpr std::size_t kUnsavedRowsMax = 40;  // few, so that a disk that fails stops the reading

}  // namespace

ProfileFaults draw_faults(const WorldOptions& options) {
  ProfileFaults faults{rare_faults(options.seed), {}, {}};
  if (options.profile == Profile::kPlain) return faults;
  if (options.profile == Profile::kStrange) faults.strangeness = draw_strangeness(options.seed);
  // A journal that lost its tail is read afresh, which needs its beginning: it loses one of them.
  faults.rare.journal = faults.rare.journal && !faults.strangeness.beginning;
  // An operator who confirms a clock believes what that controller's own has jumped to, too.
  faults.rare.clocks = faults.rare.clocks && !faults.strangeness.clocks;
  Hostility& h = faults.hostility = draw_hostility(options.seed);
  if (faults.strangeness.disks) h.unsaved_rows_max = kUnsavedRowsMax;
  // A journal that loses its tail may lose what an operator or a key's first body did: the words of both
  // would then mean something else.
  h.operators = h.operators && !faults.rare.journal;
  h.conflicts = h.conflicts && !faults.rare.journal;
  h.steps = h.steps && faults.rare.clocks;
  h.between = h.between && faults.rare.clocks;
  return faults;
}

}  // namespace berth::simulation
