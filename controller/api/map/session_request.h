// POST /v1/sessions: JSON -> RequestSession. Pure. What is checked here is form alone; whether such a session
// may exist is decide's to say (controller/decide/admit_session.h).
#pragma once

#include <boost/json.hpp>

#include "controller/api/map/folders/mount_request.h"
#include "controller/api/map/problem.h"
#include "controller/api/map/slot_amounts.h"
#include "events/schema/v1/request.pb.h"

namespace berth::controller::api {

// Fields that are not given stay empty in the spec; the decision fills them in. `owner` comes with domain,
// project and user of the caller; the body may name another domain or project. The result is complete only if
// `errors` stayed empty. Kernels: one "main" with `resources`; or with `cluster_size` N, main1 and sub1 to
// sub(N-1), all alike; or `roles`, each with its own fields and all others from `resources`. `find_folder`:
// see read_mounts().
v1::RequestSession read_session_request(const boost::json::object& body, const SlotKinds& kinds,
                                        v1::Owner& owner, Errors& errors,
                                        const FindMountFolder& find_folder = {});

const char* name_of(v1::SessionType type);  // "interactive"
const char* name_of(v1::ClusterMode mode);  // "single-node"

}  // namespace berth::controller::api
