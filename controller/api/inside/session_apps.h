// The apps that people may open in a session: what the image of its main1 declares. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/api/api_context.h"
#include "events/base/result.h"
#include "events/codec/image_labels.h"

namespace berth::controller::api {

// None where the image is not there any more, or its labels are broken.
std::vector<ImageApp> apps_of(const projections::State& state, const SessionId& session);

// Codes: unknown-app, whose hint names those that there are.
Result<ImageApp> find_app(const std::vector<ImageApp>& apps, const std::string& name);

// Where connections to an app go, as ApiContext::open_app() takes it. `app`: its name, or the number of a
// port. Codes: unknown-app, invalid-name, port-refused, app-in-terminal (nothing listens).
Result<std::string> address_of_app(const std::vector<ImageApp>& apps, const std::string& app);

}  // namespace berth::controller::api
