#pragma once

#include "ops/cli/up.h"

namespace berth {

extern UpOptions last_up;

}  // namespace berth
