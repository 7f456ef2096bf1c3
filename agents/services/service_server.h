// ServiceServer: what an agent serves to API servers, on the address that it announces: streams of the tunnel
// (events/tunnel) about its kernels, and about the files of folders on its volumes. Who does not hold the
// agent's key gets through no handshake, and is counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "agents/kernel/backend.h"
#include "events/codec/file_service.h"
#include "events/codec/signing.h"
#include "events/tunnel/messages.h"
#include "events/tunnel/stream.h"

namespace boost::asio {
class io_context;
}

namespace berth::agents {

// "GET /kernels/ID/ATTEMPT/log?offset=0&limit=100", taken apart. ID as UUIDs are written.
struct KernelQuestion {
  KernelKey kernel;
  std::map<std::string, std::string> options;  // of the query, as they came: nothing is decoded
  tunnel::Headers headers;
  boost::asio::io_context& io;  // the server's, which its one thread runs: for waits beside the stream
};

// What answers one kind of question. Called on the server's thread, must not block; the stream is its own.
using KernelRoute = std::function<void(const KernelQuestion&, std::shared_ptr<tunnel::Stream>)>;
// By method and last part of the path: "GET log".
using KernelRoutes = std::map<std::string, KernelRoute, std::less<>>;
// What answers questions about files (events/codec/file_service.h). As a KernelRoute is called.
using FolderRoute = std::function<void(FileServicePath, std::shared_ptr<tunnel::Stream>)>;

class ServiceServer {
 public:
  // `agent`: the agent's own signer. `files`: empty where the agent has no volumes.
  ServiceServer(const Signer& agent, KernelRoutes routes, FolderRoute files = {});
  ~ServiceServer();

  // "127.0.0.1:0" -> the address that the server listens on. Codes: address-invalid, port-in-use,
  // listen-failed.
  Result<std::string> start(const std::string& address);
  // From its return on no route is called, and all streams and what waits beside them are over. Idempotent.
  // Streams that others hold go before the server does.
  void stop();
  tunnel::Counts counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Ends the stream with an error that the asker is told as it is: status, and a v1::ServiceError as the body.
// `offset`: of offset-differs.
void refuse(const std::shared_ptr<tunnel::Stream>& stream, int status, const Error& error,
            std::uint64_t offset = 0);

// Writes all of it, as fast as the asker reads, and ends this side. REQUIRES: the stream is answered.
void finish_with(const std::shared_ptr<tunnel::Stream>& stream, std::string bytes);

}  // namespace berth::agents
