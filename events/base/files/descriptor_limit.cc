#include "events/base/files/descriptor_limit.h"

#include <sys/resource.h>

namespace berth {

DescriptorLimit raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  const rlimit raised{limit.rlim_max, limit.rlim_max};
  const bool done = ::setrlimit(RLIMIT_NOFILE, &raised) == 0;
  return {limit.rlim_cur, done ? limit.rlim_max : limit.rlim_cur};
}

}  // namespace berth
