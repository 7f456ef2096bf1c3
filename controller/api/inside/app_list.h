// The handlers that ask a kernel's helper about its apps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/api/routes/call.h"
#include "events/codec/image_labels.h"

namespace berth::controller::api {

// Those that the session's image declares, with how each stands. `kernel`: nullopt: it does not run, and so
// none of them.
void list_apps(const Services& services, const CallPtr& call, const Reply& reply,
               const std::vector<ImageApp>& declared, const std::optional<KernelPlace>& kernel);
// 204 when it is gone.
void end_app(const Services& services, const CallPtr& call, const Reply& reply, const KernelPlace& kernel,
             const std::string& app);

}  // namespace berth::controller::api
