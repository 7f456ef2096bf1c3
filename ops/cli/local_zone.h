// The zone of whoever runs the program: TZ, else the machine's.
#pragma once

#include "events/base/clock.h"

namespace berth::cli {

// How far local clocks are ahead of UTC at `at`; 0 for a zone that the machine does not know. TZ is read
// again at each call.
Duration local_utc_offset(Timestamp at);

}  // namespace berth::cli
