// StreamClient: the client's side of a stream into a kernel, without a socket: what a WebSocket would carry.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {

// A signed request for a WebSocket of our subprotocol; `what`: "exec", "shell", "copy".
api::HttpRequest stream_request(const ApiRig& rig, const std::string& what, const std::string& session = "s1",
                                const std::string& key = "alice-key");

class StreamClient {
 public:
  // What comes is taken as it comes.
  explicit StreamClient(const api::HttpReply& reply);
  ~StreamClient();
  StreamClient(const StreamClient&) = delete;
  StreamClient& operator=(const StreamClient&) = delete;

  // Waits until the next may be said, 20 s at most.
  void say(const std::string& text) { EXPECT_TRUE(say_one({true, text}, true)); }
  void type(const std::string& bytes) { EXPECT_TRUE(say_one({false, bytes}, true)); }
  // True if the next may be said at once.
  bool type_ahead(const std::string& bytes) { return say_one({false, bytes}, false); }
  // No more is taken, until it is asked for again.
  void take(bool takes);

  // The next message, waits for it; a binary one begins with its channel's byte.
  std::string next();
  // As next(), as JSON.
  boost::json::value json();
  // The code of the problem that comes next, and the close after it: "denied 1008".
  std::string problem();
  // Of the close that comes next.
  int close();
  api::MessageRelay& relay() { return *relay_; }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<api::Message> came;
    std::optional<int> close;
    bool may_say = true;
    bool takes = true;
    bool asked = false;
  };
  bool say_one(api::Message message, bool waits);
  static void pull(const std::shared_ptr<Shared>& shared, const std::weak_ptr<api::MessageRelay>& relay);

  std::shared_ptr<api::MessageRelay> relay_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace berth::testing
