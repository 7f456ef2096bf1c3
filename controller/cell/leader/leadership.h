// Leadership: what a leader's call returns. A leader that has lost says why and does no more; the controller
// drops it after the call, so that no leader destroys itself.
#pragma once

#include <string>
#include <variant>

namespace berth::controller {

struct Leading {};
struct Lost {
  std::string why;
};
using Leadership = std::variant<Leading, Lost>;

}  // namespace berth::controller
