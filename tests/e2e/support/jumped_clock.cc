// Preloaded into a program, this makes its wall clock run ahead by what the file $JUMPED_CLOCK says: eight
// bytes, seconds, little endian. The file may change while the program runs; a machine's clock that was set
// does the same. Other clocks are as they are. (libfaketime does so for most programs, but not beside
// jemalloc: each waits for the other at the start.)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

const std::atomic<std::int64_t> kNoJump{0};

const std::atomic<std::int64_t>* map_jump() {
  const char* path = std::getenv("JUMPED_CLOCK");
  const int file = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return &kNoJump;
  void* memory = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  return memory == MAP_FAILED ? &kNoJump : static_cast<const std::atomic<std::int64_t>*>(memory);
}

std::atomic<const std::atomic<std::int64_t>*> jump{nullptr};

std::int64_t jump_seconds() {
  const auto* known = jump.load();
  if (known == nullptr) jump.store(known = map_jump());
  return known->load();
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long done = ::syscall(SYS_clock_gettime, clock, time);
  if (done == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += jump_seconds();
  return static_cast<int>(done);
}

int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  *time = {now.tv_sec, now.tv_nsec / 1'000};
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
