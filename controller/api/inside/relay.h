// InsideRelay: one stream into a kernel: the messages of a client's WebSocket on one side, the frames of a
// channel through the agent's tunnel on the other.
//
//   ASKING     until the client's first message says what is wanted
//   RECORDING  until the journal has the opening
//   OPEN       input goes in and output comes out; before `begun`, the agent may still refuse
//   OVER       `ended` or `problem` was said, or is to be said next; the channel is given up
//
// It reads a message only when the one before is on its way, and asks the channel only when the client has
// taken what came, so that little lies here. What comes out of a kernel is hostile: each frame is checked.
// Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "controller/api/inside/messages.h"
#include "controller/api/inside/open_streams.h"
#include "controller/api/routes/call.h"
#include "events/inside/frames.h"

namespace berth::controller::api {

class InsideRelay final : public MessageRelay,
                          public OpenStream,
                          public std::enable_shared_from_this<InsideRelay> {
 public:
  struct Wanted {
    StreamKind kind = StreamKind::kExec;
    CallPtr call;
    SessionId session;
    KernelPlace kernel;
  };
  InsideRelay(const Services& services, Wanted wanted);
  // Once, when it is counted.
  void begin();

  void take(Message message, std::function<void()> done) override;
  void next(std::function<void(Batch)> done) override;
  void when_over(std::function<void()> over) override;
  void stalled() override;
  void cut(const Error& why) override;
  Timestamp used_at() const override { return used_at_; }
  bool changes() const override { return changes_; }

 private:
  enum class State : std::uint8_t { kAsking, kRecording, kOpen, kOver };
  using Lock = std::unique_lock<std::mutex>;

  // REQUIRES, of all below but settle(): the caller holds mutex_.
  void ask(const Message& message);
  void record();
  void recorded(const std::optional<Error>& refused);
  void open();
  void take_input(const Message& message);
  void take_told(const std::string& text);
  void send(std::string_view frames);
  void write();
  void read();
  void took(const Result<std::string>& bytes);
  void take_frame(const inside::Frame& frame);
  void take_answer(const inside::Answer& answer);
  void lost(Error why);
  void end(const Error& problem);
  void end(Message last, std::uint16_t close);
  // Hands out what there is, without the lock; nothing follows a call of it.
  void settle(Lock& lock);
  // `step` with this and the lock, unless it is gone; then settle(). As a handler.
  template <class Step> auto later(Step step);

  const Services services_;
  const Wanted wanted_;
  std::atomic<Timestamp> used_at_;
  std::atomic<bool> changes_;  // of a copy, its first message says it
  std::mutex mutex_;           // guards all below
  State state_ = State::kAsking;
  inside::Request request_;
  std::shared_ptr<KernelChannel> channel_;
  std::string unsent_;  // frames for the channel
  bool writing_ = false;
  bool opened_ = false;  // the agent has answered
  bool reading_ = false;
  bool begun_ = false;
  bool input_ended_ = false;
  inside::FrameReader frames_;
  std::optional<Error> lost_;  // the channel is, and the reason may still come
  Batch pending_;              // to be written
  std::function<void(Batch)> next_;
  std::function<void()> taken_;  // of the message that is on its way
  std::function<void()> over_;
};

}  // namespace berth::controller::api
