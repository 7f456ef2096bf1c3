// Server: the agent's end of the tunnel. API servers connect, each once; who does not hold the agent's key
// gets through no handshake.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "events/codec/signing.h"
#include "events/tunnel/messages.h"
#include "events/tunnel/stream.h"

namespace boost::asio {
class io_context;
}

namespace berth::tunnel {

class Server {
 public:
  // Called on a thread of the io_context, one call of a connection at a time; must not block. The stream is
  // the handler's: it answers it, or lets it go, which resets it.
  using Asked = std::function<void(Question, std::shared_ptr<Stream>)>;

  // `io` outlives the server and is run by the user, by one thread or more. `agent`: the agent's own signer.
  Server(boost::asio::io_context& io, const Signer& agent, Asked asked, Limits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // "127.0.0.1:0" -> the address that the server listens on. Once. Codes: address-invalid, port-in-use,
  // listen-failed.
  Result<std::string> start(const std::string& address);
  // Thread-safe and idempotent, not from a handler: from its return on no handler is called. Connections are
  // closed by the io_context's thread.
  void stop();
  Counts counts() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace berth::tunnel
