#include "events/base/files/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace berth {

void open_standard_streams() {
  for (int opened = 0; opened >= 0 && opened <= STDERR_FILENO;) {
    opened = open("/dev/null", O_RDWR);
    if (opened > STDERR_FILENO) close(opened);
  }
}

}  // namespace berth
