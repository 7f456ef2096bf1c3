// record_opening(): one event per opening of a terminal, a program or a copy, before anything of it reaches
// the kernel.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "controller/api/routes/call.h"

namespace berth::controller::api {

struct Opening {
  SessionId session;
  KernelId kernel;
  std::string kind;  // "exec", "shell", "copy"
  std::string name;  // of the shell, of the app; else empty
};

// `done` is called once, on any thread or before this returns: nothing, or why nobody may open it.
void record_opening(const Services& services, const CallPtr& call, Opening opening,
                    std::function<void(std::optional<Error>)> done);

}  // namespace berth::controller::api
