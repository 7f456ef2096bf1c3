// The folder where programs of this user keep their settings.
#pragma once

#include <string>

namespace berth {

// $HOME; without it, as in services of systemd's, what the machine's list of users says. Empty: neither is
// known.
std::string home_folder();

}  // namespace berth
