// FakeChannels: channels into kernels of which a test plays the agent and the helper.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "controller/api/api_context.h"
#include "controller/api/http/workers.h"
#include "events/inside/answers.h"
#include "events/inside/frames.h"
#include "events/inside/messages.h"

namespace berth::testing {

// The agent's end of one. Thread-safe; what waits does so for 20 s at most.
class FakeChannel : public std::enable_shared_from_this<FakeChannel> {
 public:
  FakeChannel(controller::api::Workers& thread, controller::KernelPlace kernel)
      : thread_(thread), kernel_(std::move(kernel)) {}

  const controller::KernelPlace& kernel() const { return kernel_; }

  // What came from the API.
  inside::Request request();
  struct Said {
    inside::FrameType type{};
    std::string payload;
  };
  Said next();
  // From now on nothing that is written is taken, until it is let go on.
  void hold_writes(bool hold);
  // From now on every write fails, as when the stream has ended: what was said can still be read.
  void take_no_more();
  bool wait_until_refused();

  void say(const inside::Answer& answer);
  void say_bytes(std::string bytes);
  void end();
  void fail(const Error& error);
  // Whether the API gave the channel up.
  bool wait_until_gone();
  // Bytes that the API has not taken.
  std::size_t untaken();
  bool wait_until_taken();

  // For the API's end.
  void read(std::function<void(Result<std::string>)> done);
  void write(std::string bytes, std::function<void(Result<void>)> done);
  void drop();

 private:
  using Lock = std::unique_lock<std::mutex>;
  void deliver();
  bool wait(Lock& lock, const std::function<bool()>& there);

  controller::api::Workers& thread_;
  const controller::KernelPlace kernel_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string bytes_;  // said, not taken
  bool ended_ = false;
  std::optional<Error> error_;
  std::function<void(Result<std::string>)> reading_;
  inside::FrameReader frames_;
  std::deque<Said> written_;
  bool takes_no_more_ = false;
  bool refused_ = false;
  bool hold_ = false;
  std::string held_;
  std::function<void(Result<void>)> holding_;
  bool gone_ = false;
};

class FakeChannels {
 public:
  std::shared_ptr<controller::KernelChannel> open(const controller::KernelPlace& kernel,
                                                  std::function<void(Result<void>)> opened);
  // Instead of a channel.
  std::optional<Error> refusal;
  // The channel that was opened as the `number`th, from 0; waits for it, 20 s at most.
  std::shared_ptr<FakeChannel> await(std::size_t number = 0);
  std::size_t opened();
  // Waits for the handler that runs; none is called any more.
  void stop() { thread_.stop(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<FakeChannel>> channels_;
  controller::api::Workers thread_{1};  // all handlers are called on it
};

}  // namespace berth::testing
