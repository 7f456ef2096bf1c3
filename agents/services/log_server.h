// LogServer: serves kernels' output to API servers over TCP.
//
// One thread, many connections, the questions of a connection in turn. A question that is not signed under
// this agent's key, too long or too old closes the connection without an answer and is counted; so does
// silence, uncounted. Frames: events/codec/framing.h, messages: events/schema/v1/service.proto.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "agents/kernel/backend.h"
#include "events/base/clock.h"
#include "events/base/result.h"
#include "events/codec/signing.h"

namespace berth::agents {

class LogServer {
 public:
  // Called on the server's thread, may block.
  using ReadLog =
      std::function<Result<LogPage>(const KernelKey&, std::int64_t offset, std::size_t max_bytes)>;

  LogServer(Signer signer, const Clock& clock, ReadLog read_log);
  ~LogServer();

  // "127.0.0.1:0" -> the address that the server listens on. Codes: address-invalid, port-in-use,
  // listen-failed.
  Result<std::string> start(const std::string& address);
  void stop();
  std::uint64_t refused() const;  // questions, as above

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::agents
