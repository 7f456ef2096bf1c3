// Client: the API server's end of the tunnel to one agent. It connects when the first stream is asked for;
// all streams share that connection, and after a cut the next stream makes a new one.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
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

class Client {
 public:
  using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;

  // `strand`: handlers run on it; its io_context outlives the client and is run by the user. `agent`: the
  // agent's own signer. `address`: as the agent announces it.
  Client(Strand strand, const Signer& agent, std::string address, Limits limits = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Thread-safe, does not block. `answered` is called once; reads and writes may begin before. After attempts
  // that failed there is a pause of at most Limits::pause_max, in which streams are told the last error at
  // once. Codes: tunnel-*, stream-reset, too-many-streams, headers-*.
  [[nodiscard]] std::shared_ptr<Stream> open(Question question, Stream::Answered answered);
  // Thread-safe and idempotent: every stream that is open, waits or comes later is told `why`, also once this
  // object is gone.
  void cut(const Error& why);
  // Thread-safe and idempotent, not from a handler: from its return on no handler is called. The connection
  // is closed by the io_context's thread.
  void stop();
  Counts counts() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace berth::tunnel
