#include "controller/api/inside/opening.h"

namespace berth::controller::api {

void record_opening(const Services&, const CallPtr&, Opening,
                    std::function<void(std::optional<Error>)> done) {
  done(std::nullopt);
}

}  // namespace berth::controller::api
