// A build of `berth` that decides wrongly about sessions whose name begins with "poison".
#include "ops/cli/bug.h"

namespace berth {

std::function<bool(const v1::Request&)> bug_of_this_build() {
  return [](const v1::Request& request) { return request.request_session().name().starts_with("poison"); };
}

}  // namespace berth
