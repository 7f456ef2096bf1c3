// Refusal: the reason why a request is not carried out. Unlike an Error, nothing failed: the client can
// change the request.
#pragma once

#include <string>

#include "events/base/codes/code.h"

namespace berth {

struct Refusal {
  Code code;            // "unknown-group"
  std::string message;  // one sentence for people
  std::string hint;     // advice for the client; may be empty
};

}  // namespace berth
