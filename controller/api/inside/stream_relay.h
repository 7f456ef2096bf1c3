// StreamRelay: what all streams into kernels have in common: the messages of a client's WebSocket on one
// side, the bytes of a channel through the agent's tunnel on the other.
//
//   ASKING     until the client's first message says what is wanted; some streams need none
//   RECORDING  until the journal has the opening
//   OPEN       input goes in and output comes out; at first the agent may still refuse
//   OVER       the last message and the close were said, or are to be said next; the channel is given up
//
// It takes a message only when the one before is on its way, and asks the channel only when the client has
// taken what came, so that little lies here. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "controller/api/inside/messages.h"
#include "controller/api/inside/open_streams.h"
#include "controller/api/inside/opening.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {

inline constexpr Code kAgentUnreachable = "agent-unreachable";
inline constexpr std::uint16_t kCloseDone = 1000;

// What a client said against the rules of its stream. Code: message-invalid.
Error wrong_message(const char* why,
                    const char* hint = "the API's description has the messages of this stream");

class StreamRelay : public MessageRelay, public OpenStream, public std::enable_shared_from_this<StreamRelay> {
 public:
  // Of whom the stream is, and where it goes.
  struct Way {
    CallPtr call;
    SessionId session;
    KernelPlace kernel;
  };

  // Once, when it is counted.
  virtual void begin() = 0;

  void take(Message message, std::function<void()> done) final;
  void next(std::function<void(Batch)> done) final;
  void when_over(std::function<void()> over) final;
  void stalled() final;
  void cut(const Error& why) final;
  Timestamp used_at() const final { return used_at_; }

 protected:
  enum class State : std::uint8_t { kAsking, kRecording, kOpen, kOver };
  using Lock = std::unique_lock<std::mutex>;
  using Opened = std::function<void(const Result<void>&)>;

  StreamRelay(const Services& services, Way way, State state);

  // REQUIRES, of all below but later(): the caller holds the lock.

  // A message of the client, before the stream is over.
  virtual void take_message(const Message& message) = 0;
  // Opens the channel, when the journal has the opening. What is to be written first is sent behind it.
  virtual std::shared_ptr<KernelChannel> open_channel(Opened opened) = 0;
  // Bytes of the channel, not empty; and its other side's end.
  virtual void take_bytes(const std::string& bytes) = 0;
  virtual void take_end() = 0;
  // Whether the stream stays open when its client has taken nothing for long.
  virtual bool outlasts_stall() const { return false; }
  // What came and is not told is of no use any more.
  virtual void forget() {}

  State state() const { return state_; }
  const Services& services() const { return services_; }
  const Way& way() const { return way_; }
  void use() { used_at_ = services_.context.now(); }
  // Asks the journal for the opening, then the agent.
  void record(v1::WayKind kind, std::string name);
  // Whether a binary message has the size that input may have; else the stream ends.
  bool takes_size_of(const Message& message);
  // Bytes for the channel, at once or when it is there.
  void send(std::string_view bytes);
  // Nothing follows for the channel behind what was sent.
  void finish();
  void tell(Message message) { pending_.messages.push_back(std::move(message)); }
  // The channel is gone: the journal may still say why.
  void lost(Error why);
  bool is_lost() const { return lost_.has_value(); }
  void end(const Error& problem);
  void end(std::optional<Message> last, std::uint16_t close);
  // `step` with this and the lock, unless it is gone; then settle(). As a handler.
  template <class Self, class Step> auto later(Step step) {
    return [weak = weak_from_this(), step = std::move(step)](auto&&... values) {
      const auto self = weak.lock();
      if (!self) return;
      Lock lock(self->mutex_);
      step(static_cast<Self&>(*self), std::forward<decltype(values)>(values)...);
      self->settle(lock);
    };
  }

 private:
  void recorded(const std::optional<Error>& refused);
  void write();
  void drop_input();
  void read();
  void took(const Result<std::string>& bytes);
  // Hands out what there is, without the lock; nothing follows a call of it.
  void settle(Lock& lock);

  const Services services_;
  const Way way_;
  std::atomic<Timestamp> used_at_;
  std::mutex mutex_;  // guards all below, and what those that are made of this have
  State state_;
  std::shared_ptr<KernelChannel> channel_;
  std::string unsent_;  // for the channel
  bool writing_ = false;
  bool deaf_ = false;      // the channel takes no more
  bool finishes_ = false;  // when all is written
  bool opened_ = false;    // the agent has answered
  bool reading_ = false;
  std::optional<Error> lost_;  // the channel is, and the reason may still come
  Batch pending_;              // to be written
  std::function<void(Batch)> next_;
  std::function<void()> taken_;  // of the message that is on its way
  std::function<void()> over_;
  std::function<void()> behind_;  // to be called without the lock, at the turn's end
};

}  // namespace berth::controller::api
