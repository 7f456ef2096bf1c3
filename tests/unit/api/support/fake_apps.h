// FakeApps: apps that listen in kernels, of which a test plays the app, byte for byte.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/api/api_context.h"
#include "controller/api/http/workers.h"

namespace berth::testing {

// The app's end of one connection. Thread-safe; what waits does so for 20 s at most.
class FakeApp {
 public:
  FakeApp(controller::api::Workers& thread, std::string app) : thread_(thread), app_(std::move(app)) {}

  const std::string& app() const { return app_; }

  // What came until the text, with it; all that came if it did not.
  std::string until(std::string_view text);
  // The next bytes, as many.
  std::string take(std::size_t size);
  // Whether the client says nothing more.
  bool wait_until_finished();
  bool wait_until_gone();
  // From now on nothing that is written is taken, until it is let go on.
  void hold_writes(bool hold);
  std::size_t untaken();  // bytes that the API has not taken
  // Until the API was given what it has taken so far.
  void settle();

  void say(std::string_view bytes);
  void end();
  void fail();

  // For the API's end.
  void read(std::function<void(Result<std::string>)> done);
  void write(std::string bytes, std::function<void(Result<void>)> done);
  void finish();
  void drop();

 private:
  using Lock = std::unique_lock<std::mutex>;
  void deliver();
  bool wait(Lock& lock, const std::function<bool()>& there);

  controller::api::Workers& thread_;
  const std::string app_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string said_;  // not taken by the API
  std::string came_;  // not taken by the test
  bool ended_ = false, failed_ = false, finished_ = false, gone_ = false, hold_ = false;
  std::function<void(Result<std::string>)> reading_;
  std::string held_;
  std::function<void(Result<void>)> holding_;
};

class FakeApps {
 public:
  std::shared_ptr<controller::KernelChannel> open(const controller::KernelPlace& kernel,
                                                  const std::string& app, controller::AppOpenedDone opened);
  // Instead of a connection.
  std::optional<Error> refusal;
  std::string token;  // of the apps that are connected to by name
  // The connection that was opened as the `number`th, from 0; waits for it, 20 s at most.
  std::shared_ptr<FakeApp> await(std::size_t number = 0);
  std::size_t opened();
  // Waits for the handler that runs; none is called any more.
  void stop() { thread_.stop(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<FakeApp>> apps_;
  controller::api::Workers thread_{1};  // all handlers are called on it
};

}  // namespace berth::testing
