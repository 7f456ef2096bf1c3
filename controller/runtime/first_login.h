// The first login: for as long as no superadmin has a password, a link lets whoever has it set one.
#pragma once

#include <string>

#include "controller/api/api_context.h"

namespace berth::controller {

// DATA/login-link, mode 0600: where a link lies that no terminal shows.
std::string login_link_path(const std::string& data);

// "http://127.0.0.1:7410/#/link/TOKEN" of the first superadmin; empty if one has a password, or if there is
// none. The one that lies in the data folder is given again while it is good. Codes: those of ask().
Result<std::string> first_login_link(ApiContext& api, const std::string& origin, const std::string& data,
                                     Duration wait);

// Leaves the link in the data folder; removes what lies there if it is empty. Codes: those of
// write_private_file().
Result<void> keep_login_link(const std::string& data, const std::string& link);

}  // namespace berth::controller
