// Client: the helper's end of one channel. It cuts what comes into frames, asks the helper for what the
// request wants, and hands later frames to that purpose.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "agents/init/child.h"
#include "agents/init/copy.h"
#include "agents/init/loop.h"
#include "events/inside/frames.h"

namespace berth::init {

using inside::Frame;
using inside::FrameReader;
using inside::FrameType;

class Helper;

// What a client is there for.
class Purpose {
 public:
  virtual ~Purpose() = default;
  virtual void typed(std::string_view bytes) = 0;
  virtual void typed_end() = 0;
  virtual void resized(const Size& size) = 0;
  // The channel takes more again.
  virtual void has_room() = 0;
};

class Client final : public Watcher {
 public:
  Client(Helper& helper, Descriptor socket);
  ~Client() override;

  // No more is to be sent for now: the other side does not read. What is sent nevertheless waits in memory.
  bool full() const { return unsent_.size() >= kUnsentMax; }
  void send(FrameType type, std::string_view payload);
  // Sends the frame and a descriptor with it. REQUIRES: nothing was sent before.
  void pass(FrameType type, std::string_view payload, const Descriptor& descriptor);
  // The same at any time, by an empty frame. False: nothing was sent, since there is no room now.
  bool pass_on(FrameType type, const Descriptor& descriptor);
  // The last frames. The channel closes when they have left.
  void end(const Ended& ended);
  void fail(const Problem& problem);
  // Takes no more frames, until told otherwise.
  void hold(bool held);
  bool over() const { return over_; }
  // For a process that takes the channel over; then this one lets go of it.
  Taken taken() { return {socket_.get(), frames_}; }
  void let_go() { close(); }

  void ready(int fd, std::uint32_t events) override;

 private:
  static constexpr std::size_t kUnsentMax = 64 << 10;  // bytes

  void read_some();
  void take_frames();
  void take(const Frame& frame);
  void take_request(std::string_view part, bool last);
  void flush();
  void close();
  void watch();

  Helper& helper_;
  Descriptor socket_;
  FrameReader frames_;
  std::string request_, unsent_;
  std::unique_ptr<Purpose> purpose_;
  bool requested_ = false;
  bool held_ = false;
  bool ending_ = false;  // nothing more is read or sent
  bool over_ = false;    // closed; the helper removes it
};

}  // namespace berth::init
