// PortListener: a port of 127.0.0.1 whose connections go on to an app or port of a session, each by a
// WebSocket and a thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ops/cli/shell.h"

namespace berth::cli {

struct ListenAim {
  std::string target;  // of the API: ".../connect"
  std::function<Outcome<SignedSocket>()> make_socket;
  std::function<void(const std::string&)> note;  // a line for people
};

// All but the connections happens on the thread that calls run().
class PortListener {
 public:
  static constexpr std::size_t kConnectionsMax = 64;

  explicit PortListener(ListenAim aim);
  ~PortListener();
  PortListener(const PortListener&) = delete;
  PortListener& operator=(const PortListener&) = delete;

  // The port that it got; `port` 0: any. Nobody beyond this machine reaches it. Failures: port-in-use,
  // port-not-allowed, listen-failed.
  Outcome<std::uint16_t> bind(std::uint16_t port);

  // Until `stop` is readable (ok), or a failure that no later connection can escape: the session has ended,
  // the right is gone. What breaks a single connection is noted. REQUIRES: bind() succeeded.
  Outcome<bool> run(int stop);

 private:
  struct Connection {
    std::thread thread;
  };
  // What a connection's thread has to tell.
  struct News {
    const Connection* of = nullptr;
    bool heard = false;  // the app says something; else it has ended
    std::optional<Failure> failure;
  };

  void accept_one();
  void begin(int local);
  void tell(News news);
  // The failure that ends all, if one did.
  std::optional<Failure> take_news();
  void note_once(const std::string& text);
  void end_all();

  const ListenAim aim_;
  int listens_ = -1;
  int ends_ = -1;  // readable once the connections are to end
  int news_waits_ = -1;
  std::list<Connection> connections_;
  std::string noted_;   // not to be repeated until a connection succeeds
  bool rests_ = false;  // this process has no descriptors left
  std::mutex mutex_;
  std::vector<News> news_;  // under mutex_
};

}  // namespace berth::cli
