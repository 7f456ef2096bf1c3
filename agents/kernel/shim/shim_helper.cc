// The helper of a process kernel, which has no PID 1 of ours: the shim starts one when somebody knocks and
// none lives. It ends with the kernel as all its processes do.
#include <sys/wait.h>

#include "agents/kernel/shim/door.h"
#include "agents/kernel/shim/program.h"
#include "agents/kernel/shim/shim.h"
#include "agents/kernel/shim/system.h"

namespace berth::agents::shim {

bool Shim::needs_helper() const { return !spec_.oci && state_.running && !helper_ && !lease_over_; }

// An earlier shim may have started it.
void Shim::find_helper() {
  const auto bytes = read_file(files_.in("helper"));
  const auto record = bytes ? decode_state(*bytes) : std::nullopt;
  if (record) helper_ = Descriptor(open_pidfd(record->main));
  if (record && !helper_) ++restarts_;
  if (!helper_) replace_lost_door();
}

// The launcher that held it died too. What a living helper holds is left to it.
void Shim::replace_lost_door() {
  if (!door_ && !spec_.oci) door_ = make_door(files_.in("door"));
}

void Shim::start_helper() {
  StateRecord record;
  record.shim = state_.shim;
  record.boot = state_.boot;
  ProgramLaunch launch(spec_, files_, record, door_.get(), restarts_);
  const ProgramLaunch::Outcome outcome = launch.launch();
  if (outcome == ProgramLaunch::Outcome::kRecorded)
    helper_ = Descriptor(open_pidfd(launch.process()));
  else if (outcome != ProgramLaunch::Outcome::kNoProcess)
    waitpid(launch.child(), nullptr, 0);
  if (!helper_) no_helper_until_ = boottime_now() + kHelperRestMs * 1'000'000;
}

void Shim::helper_ended() {
  helper_ = Descriptor();
  no_helper_until_ = boottime_now() + kHelperRestMs * 1'000'000;
  ++restarts_;
  replace_lost_door();
}

}  // namespace berth::agents::shim
