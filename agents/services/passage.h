// Passage: joins a stream of the tunnel with a channel into a kernel. What the asker says goes to the helper,
// what the helper says goes to the asker, frame by frame (events/inside), each checked here.
//
//   asker --request--> kRequest --door is found--> kOpening --200--> kOpen --last answer--> kEnding
//                          \___________________________\___ refused: status and code
//
// Neither side may make it grow: it reads the stream when all that came before is with the helper, and the
// channel when what the helper said before is on its way. So it holds, beside the stream's own window, at
// most a frame of the asker, and at most 256 KiB of answers.
//
// It belongs to its stream and ends when that is over, or when it has said the last answer: then the channel
// is closed, which ends an Exec (SIGHUP) and detaches from a shell. Threads: the one that runs the
// io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agents/kernel/inside/channel.h"
#include "agents/services/descriptor_watch.h"
#include "agents/services/inside_route.h"

namespace berth::agents {

class Passage : public std::enable_shared_from_this<Passage> {
 public:
  // `place`: let go when the channel is closed. `begin_max`: for the helper's first answer.
  Passage(boost::asio::io_context& io, const KernelKey& kernel, FindDoor find_door,
          std::shared_ptr<tunnel::Stream> stream, std::shared_ptr<void> place, Duration begin_max);
  // `has_networks`: of the kernels; without them apps are refused.
  void begin(bool has_networks);

 private:
  enum class Phase : std::uint8_t { kRequest, kOpening, kOpen, kEnding };
  using Step = void (Passage::*)();

  void read();
  void came(const Result<std::string>& bytes);
  void came_to_its_end();
  bool takes_frames() const;
  void take_frames();
  void take(const inside::Frame& frame);
  void take_request(const inside::Frame& frame);
  Result<void> check_request() const;
  void take_input(const inside::Frame& frame);
  void open(const Result<std::string>& door);
  void await_first_answer();
  void flush();
  void give();
  void write(std::string answers);
  void wait(DescriptorWatch::Wait what, bool& waits, Step then);
  void fail(const Error& error);
  void end(std::string last);
  void leave(std::string last);
  void close();

  boost::asio::io_context& io_;
  const KernelKey kernel_;
  const FindDoor find_door_;
  const Duration begin_max_;
  std::shared_ptr<tunnel::Stream> stream_;  // null: all is said
  std::shared_ptr<void> place_;
  Phase phase_ = Phase::kRequest;

  // Of the asker.
  inside::FrameReader frames_;
  std::string request_bytes_;
  std::unique_ptr<inside::Request> request_;  // until the channel is open
  bool has_networks_ = false;
  bool has_input_ = false;
  bool input_ended_ = false;
  bool reading_ = false;

  // Of the helper.
  std::optional<Channel> channel_;
  std::optional<DescriptorWatch> watch_;
  bool deaf_ = false;  // it takes nothing more; what it said last may still come
  bool waits_to_send_ = false;
  bool waits_for_answer_ = false;
  bool writing_ = false;
  boost::asio::steady_timer first_answer_;  // cancelled when that has come
  std::string last_;                        // is said when what is being written has left
};

}  // namespace berth::agents
