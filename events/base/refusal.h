// Refusal: why a request is not carried out. A value, as an Error is, but the asker's to mend: nothing
// failed.
#pragma once

#include <string>

namespace berth {

struct Refusal {
  std::string code;     // stable, kebab-case: "unknown-group"
  std::string message;  // one sentence for people
  std::string hint;     // what to do about it; may be empty
};

}  // namespace berth
