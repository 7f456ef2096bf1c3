#include "agents/egress/name_lookup.h"

#include <netdb.h>
#include <netinet/in.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace berth::agents {
namespace {

constexpr std::size_t kAddressesMax = 16;  // of a name

Result<Addresses> ask(const std::string& host) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  if (const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0)
    return make_error("name-unknown", host + ": " + gai_strerror(error));
  Addresses addresses;
  for (const addrinfo* one = found; one != nullptr && addresses.size() < kAddressesMax; one = one->ai_next) {
    if (one->ai_family == AF_INET) {
      sockaddr_in v4{};
      std::memcpy(&v4, one->ai_addr, sizeof v4);
      addresses.emplace_back(boost::asio::ip::address_v4(ntohl(v4.sin_addr.s_addr)));
    } else if (one->ai_family == AF_INET6) {
      sockaddr_in6 v6{};
      std::memcpy(&v6, one->ai_addr, sizeof v6);
      boost::asio::ip::address_v6::bytes_type bytes{};
      std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
      addresses.emplace_back(boost::asio::ip::address_v6(bytes));
    }
  }
  freeaddrinfo(found);
  return addresses;
}

}  // namespace

// A thread that waits for a name when the lookup ends lives a little longer, and has this until then.
struct NameLookup::Shared {
  std::mutex mutex;
  std::condition_variable asked;
  std::deque<std::pair<std::string, LookedUp>> waiting;  // guarded, as `stopped`
  bool stopped = false;

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      asked.wait(lock, [this] { return stopped || !waiting.empty(); });
      if (stopped) return;
      const auto [host, done] = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      Result<Addresses> addresses = ask(host);
      lock.lock();
      if (!stopped) done(std::move(addresses));
    }
  }
};

NameLookup::NameLookup() : shared_(std::make_shared<Shared>()) {
  for (std::size_t i = 0; i < kThreads; ++i) std::thread([shared = shared_] { shared->work(); }).detach();
}

NameLookup::~NameLookup() {
  const std::lock_guard lock(shared_->mutex);
  shared_->stopped = true;
  shared_->waiting.clear();
  shared_->asked.notify_all();
}

void NameLookup::look_up(const std::string& host, LookedUp done) {
  const std::unique_lock lock(shared_->mutex);
  if (shared_->waiting.size() >= kWaitingMax)
    return done(make_error("lookup-busy", "too many names are being looked up"));
  shared_->waiting.emplace_back(host, std::move(done));
  shared_->asked.notify_one();
}

}  // namespace berth::agents
