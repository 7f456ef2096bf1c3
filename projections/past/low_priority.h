// What is worked out of the past gives way to what decides now.
#pragma once

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace berth::projections {

inline constexpr int kPastNice = 10;

// The calling thread's name, and its place behind all others.
inline void run_at_low_priority(const char* name) {
  pthread_setname_np(pthread_self(), name);
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kPastNice);
}

}  // namespace berth::projections
