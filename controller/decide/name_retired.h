// The refusal of a name that was removed: whoever got the name next would inherit the rights and limits that
// were meant for the first.
#pragma once

#include <string>

#include "events/base/refusal.h"
#include "events/base/text.h"

namespace berth::controller {

inline Refusal name_retired(const std::string& kind, const std::string& name) {
  return {"name-retired", kind + " '" + clipped(name) + "' was removed, and its name is never given again",
          "choose another name"};
}

}  // namespace berth::controller
