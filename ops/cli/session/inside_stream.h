// InsideStream: stdin, stdout, stderr and terminal of this process as those of a program or a shell in a
// kernel. A shell's connection that was cut is made again; what a terminal shows goes on where it stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "ops/cli/http/web_socket.h"
#include "ops/cli/session/escapes.h"
#include "ops/cli/session/inside_talk.h"
#include "ops/cli/session/interrupts.h"
#include "ops/cli/session/local_output.h"
#include "ops/cli/session/raw_terminal.h"
#include "ops/cli/session/screen_modes.h"
#include "ops/cli/shell.h"

namespace berth::cli {

struct InsideAim {
  inside::Request request;  // kExec or kShell; `size` and a shell's `terminal` are the stream's to set
  std::string target;       // of the API
  std::string name;         // for people: "shell 'main' of demo"
  std::string again;        // the command that comes back to a shell
  const Interrupts* interrupts = nullptr;  // end the stream instead of the process
};

class InsideStream {
 public:
  InsideStream(Shell& shell, WebSocket& socket, RequestSigner sign, InsideAim aim);

  // Until the program or shell has ended: its exit code. 0: detached from a shell; 141 (kReaderGone): nobody
  // reads stdout any more. Failures: those of the API, connection-lost, not-berth, output-failed,
  // interrupted.
  Outcome<int> run();

 private:
  enum class Way { kGoesOn, kEnded, kDetached, kOutputGone, kCut, kFailed };
  using Deadline = WebSocket::Deadline;

  Way come_back();
  Way talk();
  Way take(SocketMessage message);
  Way take(const inside::Begun& begun);
  Way take(inside::Out out);
  Way take(inside::Err err);
  Way take(const inside::Lost& lost);
  Way take(const inside::Ended& ended);
  Way take(Failure problem);
  Way take_end(const SocketEnd& end);
  Way take_ready(const std::vector<Watch>& watches);
  Way read_input();
  Way end_input();
  Way pause(std::chrono::milliseconds duration);
  Way fail(Failure failure);

  std::vector<Watch> watches() const;
  void tell_size();
  void tell_begin(const inside::Begun& begun);
  void note(const std::string& text);
  Outcome<int> parting(Way way);

  Shell& shell_;
  WebSocket& socket_;
  const RequestSigner sign_;
  InsideAim aim_;
  const bool is_shell_;
  const bool typed_raw_;  // on a terminal, each key as it is typed

  LocalOutput output_;
  std::optional<RawTerminal> terminal_;  // while it is raw
  Escapes escapes_;
  ScreenModes modes_;
  bool input_ended_ = false;
  bool begun_ = false;       // on this connection
  bool ever_begun_ = false;  // on one of them
  std::uint64_t place_ = 0;  // bytes that the shell printed before what comes next
  std::uint64_t seen_ = 0;   // the place up to which all was shown or told as lost
  char last_shown_ = '\n';
  std::optional<Deadline> back_until_;  // the connection is cut, and made again until then
  int back_attempts_ = 0;
  int exit_ = 0;
  Failure failure_;
};

}  // namespace berth::cli
