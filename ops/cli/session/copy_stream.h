// CopyStream: files of this machine into a kernel, or files of a kernel here, as a tar stream. A kernel may
// send anything: here come only files, folders and links that stay inside, under the name that was asked for
// (events/copy/files/unpack.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/copy/files/pack.h"
#include "events/copy/files/unpack.h"
#include "ops/cli/http/web_socket.h"
#include "ops/cli/output/terminal_text.h"
#include "ops/cli/session/interrupts.h"
#include "ops/cli/session/local_output.h"
#include "ops/cli/shell.h"

namespace berth::cli {

struct CopyAim {
  inside::Request request;  // kPack: from the kernel; kUnpack: to it
  std::string target;       // of the API
  std::string local;        // a path here; "-": the stream itself comes from stdin or goes to stdout
};

class CopyStream {
 public:
  CopyStream(Shell& shell, WebSocket& socket, RequestSigner sign, CopyAim aim);

  // 0: all was copied; 141 (kReaderGone): nobody reads stdout any more. Failures: those of the API, of pack()
  // and of Unpacker, connection-lost, not-berth, output-failed, interrupted, left-out (what could not be
  // copied was named).
  Outcome<int> run();

 private:
  Outcome<int> send_path();
  Outcome<int> send_stream();
  Outcome<int> take_path();
  Outcome<int> take_stream();

  // False: it is over.
  bool begin();
  // Sends a piece, once what is before it has left. False: it is over.
  bool send(std::string_view bytes);
  void end_input();
  // Waits for what the server says, at most until the deadline, and takes it. True: the first of the watched
  // descriptors is ready.
  bool hear(std::vector<Watch> watches, WebSocket::Deadline deadline, bool messages = true);
  void take(SocketMessage message);
  void take_end(const SocketEnd& end);
  void fail(Failure failure);
  void fail(const inside::Problem& problem);
  void tell(std::string_view lines);
  void show_progress(std::size_t bytes);
  bool over() const { return failure_ || ended_; }
  // How it ended. Failure: left-out, or what went wrong.
  Outcome<int> parting();

  Shell& shell_;
  WebSocket& socket_;
  const RequestSigner sign_;
  const CopyAim aim_;
  const Interrupts interrupts_;
  copy::Notes notes_;
  TerminalText said_;  // by the kernel, for people
  copy::Unpacker* unpacker_ = nullptr;
  LocalOutput* output_ = nullptr;
  bool begun_ = false;
  std::optional<inside::Ended> ended_;
  std::optional<Failure> failure_;
  const std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point shown_;
  std::uint64_t bytes_ = 0;  // of the stream
};

}  // namespace berth::cli
