// record_opening: the journal is told of each way into a kernel before it is opened, and says whether the
// caller may. So it is in the log whoever was in a kernel, and when; what is done there is not.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "controller/api/routes/call.h"
#include "events/base/result.h"
#include "events/base/uuid.h"

namespace berth::controller::api {

struct Opening {
  SessionId session;
  KernelId kernel;
  v1::WayKind kind = v1::WAY_KIND_UNSPECIFIED;
  std::string name;  // of the shell or app; else empty
};

// Asks the journal, each time anew: the same call may open several. `done` is called once, on a worker thread
// or before this returns: without an error once the record was read back as applied. Codes: those of a
// decision (unknown-session, unknown-kernel, session-not-running, denied, invalid-value, invalid-name,
// key-read-only, key-inactive, key-expired, signed-out, user-disabled), and those of an Asker whom the
// journal does not answer (outcome-unknown, log-unavailable, controller-full, stopping).
void record_opening(const Services& services, const CallPtr& call, Opening opening,
                    std::function<void(std::optional<Error>)> done);

}  // namespace berth::controller::api
