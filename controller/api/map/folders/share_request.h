// Whom a request shares a folder or session with, as its body says it. Pure.
#pragma once

#include <string>

#include "controller/api/map/json_reader.h"

namespace berth::controller::api {

struct ShareWith {
  v1::ScopeKind scope = v1::SCOPE_KIND_UNSPECIFIED;  // USER, PROJECT
  std::string id;                                    // of a project "DOMAIN/NAME"
};

// "user" or "project", one of the two; a project without a domain is of `domain`. What is wrong is noted.
ShareWith read_share_with(ObjectReader& in, const std::string& domain);

}  // namespace berth::controller::api
