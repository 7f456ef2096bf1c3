// Relay: joins a stream of the tunnel with a connection into a kernel. Bytes go both ways as they come, and
// either way ends by itself.
//
//   door is found --> kOpening --helper connects--> 200, kOpen --both ways have ended--> kOver
//                          \___ refused: status and code                \___ reset: idle, cut, kernel ended
//
// Neither side may make it grow: it reads the stream when all that came before is with the app, and the
// app when what it said before is on its way. So it holds at most 256 KiB of the asker's and 64 KiB of the
// app's. The kernel may hold the other end of the very descriptor: nothing here trusts its settings.
//
// It belongs to its stream and ends with it. Threads: the one that runs the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "agents/kernel/inside/channel.h"
#include "agents/services/app_route.h"
#include "agents/services/descriptor_watch.h"

namespace berth::agents {

class Relay : public std::enable_shared_from_this<Relay> {
 public:
  // `place`: let go when the connection is closed. REQUIRES: the request is a good kConnect.
  Relay(boost::asio::io_context& io, inside::Request request, const AppLimits& limits,
        std::shared_ptr<tunnel::Stream> stream, std::shared_ptr<void> place);
  void begin(const KernelKey& kernel, const FindDoor& find_door);

 private:
  enum class Phase : std::uint8_t { kOpening, kOpen, kOver };
  using Step = void (Relay::*)();
  using Clock = std::chrono::steady_clock;

  void open(const Result<std::string>& door);
  void await_socket();
  void join(Connected connected);
  void read();
  void came(Result<std::string> bytes);
  void send_on();
  void give();
  void end_of_app();
  void wait(std::optional<DescriptorWatch>& watch, DescriptorWatch::Wait what, bool& waits, Step then);
  void await_deadline();
  void look_at_time();
  void fail(const Error& error);
  void give_up();
  void close();

  boost::asio::io_context& io_;
  const inside::Request request_;
  const AppLimits limits_;
  std::shared_ptr<tunnel::Stream> stream_;
  std::shared_ptr<void> place_;
  Phase phase_ = Phase::kOpening;
  boost::asio::steady_timer timer_;
  Clock::time_point busy_;  // when a byte went last, or it began

  std::optional<Channel> channel_;  // until it has given the socket
  std::optional<DescriptorWatch> channel_watch_;
  Descriptor socket_;
  std::optional<DescriptorWatch> socket_watch_;
  std::string unsent_;    // of the asker
  std::size_t sent_ = 0;  // bytes of it
  bool asker_ended_ = false;
  bool app_ended_ = false;
  bool deaf_ = false;  // the app takes nothing more; what the asker says is dropped
  bool waits_to_send_ = false;
  bool waits_for_app_ = false;
  std::size_t piece_ = 4 << 10;  // bytes that the app is asked for at once
};

}  // namespace berth::agents
