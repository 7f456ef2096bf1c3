// AppStart: starts an app of a session, or looks at one that runs, until it is ready or has ended. The app
// goes on when nobody looks; a connection that was cut is made again.
#pragma once

#include <optional>
#include <string>

#include "ops/cli/apps/app_choice.h"
#include "ops/cli/apps/app_talk.h"
#include "ops/cli/http/web_socket.h"
#include "ops/cli/session/interrupts.h"
#include "ops/cli/shell.h"

namespace berth::cli {

class AppStart {
 public:
  static constexpr std::size_t kLogMax = 64 << 10;  // bytes of what it prints, the newest

  // `with_words`: arguments or variables are in `first`.
  AppStart(Shell& shell, SignedSocket socket, AppChoice app, SocketMessage first, bool with_words,
           Deadline deadline);

  // 0: it is ready; 7 (kTimeout): Ctrl-C, and it goes on. Failures: those of the API, connection-lost,
  // not-berth, app-ended and app-not-ready, after what it printed.
  Outcome<int> run();

 private:
  enum class Way { kGoesOn, kReady, kEnded, kLate, kInterrupted, kCut, kFailed };

  Way connect();
  Way talk();
  Way pause(int attempt);
  Way take(SocketMessage message);
  Way take(const AppNow& now);
  Way take(Heard heard);
  Way fail(Failure failure);
  Outcome<int> parting(Way way);
  Failure failure_of_end() const;
  void show_log();

  Shell& shell_;
  SignedSocket socket_;
  const AppChoice app_;
  const SocketMessage first_;
  const bool with_words_;
  const Deadline deadline_;
  const Interrupts interrupts_;
  bool begun_ = false;  // on one of the connections
  bool cut_told_ = false;
  std::string log_;
  std::optional<AppNow> end_;
  Failure failure_;
};

}  // namespace berth::cli
