#include "events/base/service/service_notice.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "events/base/files/descriptor.h"
#include "tests/support/temp_dir.h"

namespace berth {
namespace {

constexpr auto kWatchdog = std::chrono::seconds(4);

class Notices : public ::testing::Test {
 protected:
  Notices() {
    const std::string path = temp_.path().string() + "/notify";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    ::setenv("WATCHDOG_USEC", "4000000", 1);
    ::unsetenv("WATCHDOG_PID");
  }
  // The next message to the service manager; "" where no message comes within `wait`.
  std::string heard(std::chrono::milliseconds wait) {
    pollfd one{socket_.get(), POLLIN, 0};
    if (::poll(&one, 1, static_cast<int>(wait.count())) != 1) return "";
    char text[256];
    const ssize_t size = ::recv(socket_.get(), text, sizeof text, 0);
    return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

  const testing::TempDir temp_;
  Descriptor socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

// A machine out of memory stood still for a minute; one answer that came late then ended the service.
TEST_F(Notices, SomeAnswersThatDoNotComeAreNotTheEnd) {
  ServiceNotice notice;
  std::atomic<int> asked = 0;
  const auto begin = std::chrono::steady_clock::now();
  notice.ready("serves", [&asked] { return ++asked > 3; });
  EXPECT_TRUE(heard(kWatchdog).starts_with("READY=1\n"));
  EXPECT_EQ(heard(kWatchdog), "WATCHDOG=1");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kWatchdog) << "after " << asked << " questions";
}

TEST_F(Notices, OfOneThatDoesNotAnswerNothingIsSaid) {
  ServiceNotice notice;
  notice.ready("serves", [] { return false; });
  EXPECT_TRUE(heard(kWatchdog).starts_with("READY=1\n"));
  EXPECT_EQ(heard(kWatchdog / 2), "");
}

}  // namespace
}  // namespace berth
