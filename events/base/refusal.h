// Refusal: the reason why a request is not carried out. Unlike an Error, nothing failed: the client can
// change the request.
#pragma once

#include <string>

namespace berth {

struct Refusal {
  std::string code;     // stable, kebab-case: "unknown-group"
  std::string message;  // one sentence for people
  std::string hint;     // advice for the client; may be empty
};

}  // namespace berth
