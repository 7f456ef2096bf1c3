// Terminal: a shell in a kernel as a client of the API sees it, over a WebSocket that a key pair has signed.
#pragma once

#include <memory>
#include <string>

#include "bench/api/http_load.h"
#include "bench/app/berth_up.h"
#include "controller/api/auth/key_file.h"

namespace berth::bench {

class Terminal {
 public:
  // A shell of that name in the session, new, which runs `command`, a JSON array. Its output is read by
  // read().
  Terminal(const BerthUp& up, const controller::api::KeyPair& by, const std::string& session,
           const std::string& name, const std::string& command);
  int fd() const { return client_.fd(); }
  // Takes what has come, waiting for the first byte. Gives up (tools.h) at a problem or the shell's end.
  void read();
  // Whether this text was printed since it was last asked for; it does not lie across two messages.
  bool has_printed(const std::string& text) const { return printed_.find(text) != std::string::npos; }

 private:
  void send(char opcode, const std::string& payload);
  bool take_frame();

  Client client_;
  std::string printed_;  // the last message
};

}  // namespace berth::bench
