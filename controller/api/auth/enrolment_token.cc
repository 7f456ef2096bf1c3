#include "controller/api/auth/enrolment_token.h"

#include "controller/api/map/time_text.h"

namespace berth::controller::api {

Error token_not_valid(const std::string& whose, std::optional<Timestamp> expired, Timestamp now,
                      const std::string& renew) {
  if (!expired)
    return make_error("token-not-valid", "no such token is open for this " + whose,
                      "it works once, until it expires: " + renew);
  return make_error("token-not-valid",
                    "this token was good until " + format_second(*expired) + ", and " + cluster_says(now),
                    renew + " makes a new one");
}

}  // namespace berth::controller::api
