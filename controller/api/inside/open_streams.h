// OpenStreams: the streams into kernels that are open on this server: how many there may be, and which have
// to end because of what the journal says.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "controller/api/api_context.h"
#include "controller/api/http/workers.h"
#include "controller/api/inside/stream_facts.h"

namespace berth::controller::api {

class OpenStreams;

// One of them, which is counted from OpenStreams::add() to its end. Thread-safe.
class OpenStream {
 public:
  virtual ~OpenStream();
  // Ends the stream, with nothing of what the kernel says from now on.
  virtual void cut(const Error& why) = 0;
  // Wall time when somebody used it last.
  virtual Timestamp used_at() const = 0;
  // Whether it may change anything in its kernel.
  virtual bool changes() const = 0;

 private:
  friend class OpenStreams;
  OpenStreams* counted_ = nullptr;
};

// Thread-safe. Must outlive its streams.
class OpenStreams {
 public:
  struct Limits {
    std::size_t all_max = 600;
    std::size_t of_user_max = 64;
    // A stream ends by what is in the journal within this time. Some ends come with time alone, so the state
    // is looked at again and again, as long as any stream is open.
    std::chrono::milliseconds look{250};
    std::chrono::milliseconds first_message{10'000};  // for the client to say what it wants
    // A kernel's end comes by two ways, the channel's and the journal's: how long the one that cannot say why
    // waits for the other.
    std::chrono::milliseconds why_lost{1'000};
  };
  // `idle`: a browser session that nobody used for so long has ended.
  OpenStreams(ApiContext& context, Workers& quick, Limits limits, Duration idle)
      : context_(context), quick_(quick), limits_(limits), idle_(idle) {}

  // Codes: too-many-streams, stopping.
  std::optional<Error> add(const std::shared_ptr<OpenStream>& stream, StreamFacts facts);
  std::size_t count() const;
  const Limits& limits() const { return limits_; }
  // Cuts all with code stopping, takes no more, and waits until they are gone, at most `patience`.
  void stop(std::chrono::milliseconds patience);

 private:
  friend class OpenStream;
  struct Open {
    std::weak_ptr<OpenStream> stream;
    StreamFacts facts;
  };
  void remove(const OpenStream* stream);
  void look();
  void look_later();

  ApiContext& context_;
  Workers& quick_;
  const Limits limits_;
  const Duration idle_;
  mutable std::mutex
      mutex_;  // guards all below; taken while a lock of the state is held, never otherwise round
  std::condition_variable fewer_;
  std::map<const OpenStream*, Open> open_;
  std::map<std::string, std::size_t> of_user_;
  bool looking_ = false;
  bool stopping_ = false;
};

}  // namespace berth::controller::api
