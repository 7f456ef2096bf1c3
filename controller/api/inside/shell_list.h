// The handlers that ask a kernel's helper about its shells.
#pragma once

#include <string>

#include "controller/api/routes/call.h"

namespace berth::controller::api {

void list_shells(const Services& services, const CallPtr& call, const Reply& reply,
                 const KernelPlace& kernel);
void end_shell(const Services& services, const CallPtr& call, const Reply& reply, const KernelPlace& kernel,
               const std::string& shell);

}  // namespace berth::controller::api
