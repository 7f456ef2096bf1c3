#include "agents/kernel/shim/door.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace berth::agents::shim {
namespace {

constexpr int kWaitingMax = 1024;  // at one door

// The address of a socket holds 107 bytes of path, which a folder's may exceed: so its folder is opened, and
// named by that descriptor.
class Address {
 public:
  explicit Address(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return;
    folder_ = Descriptor(open(path.substr(0, slash).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    where_.sun_family = AF_UNIX;
    snprintf(where_.sun_path, sizeof where_.sun_path, "/proc/self/fd/%d/%s", folder_.get(),
             path.c_str() + slash + 1);
  }
  explicit operator bool() const { return static_cast<bool>(folder_); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&where_); }
  static constexpr socklen_t size() { return sizeof(sockaddr_un); }

 private:
  Descriptor folder_;
  sockaddr_un where_{};
};

Descriptor make_socket() {
  return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

}  // namespace

Descriptor make_door(const std::string& path) {
  const Address address(path);
  Descriptor door = make_socket();
  if (!address || !door) return {};
  if (bind(door.get(), address.get(), Address::size()) != 0) {
    if (errno != EADDRINUSE || knock(path) || errno != ECONNREFUSED || unlink(path.c_str()) != 0 ||
        bind(door.get(), address.get(), Address::size()) != 0)
      return {};
  }
  // Before it listens nobody can come in.
  if (chmod(path.c_str(), 0600) != 0 || listen(door.get(), kWaitingMax) != 0) return {};
  return door;
}

Descriptor knock(const std::string& path) {
  const Address address(path);
  if (!address) return {};
  Descriptor stream = make_socket();
  if (!stream || connect(stream.get(), address.get(), Address::size()) != 0) {
    const int why = errno;
    stream = Descriptor();
    errno = why;
  }
  return stream;
}

void shut_door(const std::string& path, const Descriptor& door) {
  unlink(path.c_str());
  if (!door) return;
  shutdown(door.get(), SHUT_RD);
  while (const Descriptor waiting{accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC)}) {}
}

}  // namespace berth::agents::shim
