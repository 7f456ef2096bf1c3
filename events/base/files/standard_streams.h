// Descriptors 0, 1 and 2. For edges only; the lint keeps pure folders from including this header.
#pragma once

namespace berth {

// Those that came closed are /dev/null from here on. Else the next file that is opened, a lock or a socket,
// would take the number, and what is printed would go there. REQUIRES: no other thread; nothing is open yet.
void open_standard_streams();

}  // namespace berth
