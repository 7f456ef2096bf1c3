// LocalConnection: one connection of a program on this machine, passed on to an app or port of a session.
// What one side reads too slowly waits at the other; a side that has said all may go on hearing.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ops/cli/shell.h"

namespace berth::cli {

class LocalConnection {
 public:
  static constexpr std::size_t kPieceMax = 64 << 10;    // bytes of a message
  static constexpr std::size_t kAheadMax = 256 << 10;   // read here and not sent
  static constexpr std::size_t kBehindMax = 256 << 10;  // heard and not taken here
  static constexpr std::chrono::seconds kPatience{10};  // for a server or agent that starts again

  // Takes over `local`, a stream socket that does not block. `stop`: readable once all is to end.
  LocalConnection(int local, SignedSocket socket, std::string target, int stop);
  ~LocalConnection();
  LocalConnection(const LocalConnection&) = delete;
  LocalConnection& operator=(const LocalConnection&) = delete;

  // Until both sides have said all, one of them has gone, or `stop`. Blocks; may be called on any thread,
  // once. `heard`: called at the first bytes of the app. What breaks is reset here, so that no program takes
  // half an answer for a whole one. Failures: those of the API, connection-lost, not-berth.
  Outcome<bool> run(const std::function<void()>& heard);

 private:
  enum class Way { kGoesOn, kWhole, kGone, kStopped, kFailed };

  Way open();
  Way pass(const std::function<void()>& heard);
  Way read_local();
  Way write_local();
  Way take(SocketMessage message);
  Way take_end(const SocketEnd& end);
  Way finish();
  bool is_stopped() const;
  bool is_local_gone() const;
  Way fail(Failure failure);
  void reset_local();

  const int local_;
  SignedSocket socket_;
  const std::string target_;
  const int stop_;
  std::string unwritten_;
  bool local_said_all_ = false;
  bool app_said_all_ = false;
  Failure failure_;
};

}  // namespace berth::cli
