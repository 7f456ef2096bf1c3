// `berth up` without a Berth: tests look at the options that reached it.
#include "tests/unit/cli/fake_up.h"

namespace berth {

UpOptions last_up;

int run_up(const UpOptions& options) {
  last_up = options;
  return 0;
}

}  // namespace berth
