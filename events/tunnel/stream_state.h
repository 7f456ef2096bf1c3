// StreamState: what a stream's handle and the session share. All of it on the connection's strand but for
// construction and post(). Internal to the tunnel.
#pragma once

#include <atomic>
#include <boost/asio/defer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/tunnel/call_gate.h"
#include "events/tunnel/stream.h"

namespace berth::tunnel {

using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;

// Of all connections of a server or client.
struct Totals {
  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> streams{0};
  std::atomic<std::size_t> buffered{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> broken{0};

  Counts counts() const { return {connections, streams, buffered, refused, broken}; }
};

// What streams and connections of one server or client have in common. `gate`: every handler goes through it.
struct Common {
  CallGate gate;
  Totals totals;
};

// The session's side that a stream needs.
class StreamCarrier {
 public:
  virtual ~StreamCarrier() = default;
  virtual void answer(StreamState& stream, const Answer& answer) = 0;
  virtual void resume(StreamState& stream) = 0;  // there is more to send
  virtual void consume(StreamState& stream, std::size_t bytes) = 0;
  virtual void reset(StreamState& stream, std::uint32_t code) = 0;
};

class StreamState : public std::enable_shared_from_this<StreamState> {
 public:
  StreamState(Strand strand, std::shared_ptr<Common> common)
      : strand_(std::move(strand)), common_(std::move(common)) {}
  ~StreamState();
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  // From any thread: runs `step` on the strand.
  template <class Step> void post(Step step) {
    boost::asio::defer(strand_,
                       [self = shared_from_this(), step = std::move(step)]() mutable { step(*self); });
  }

  // For the handle.
  void read(Stream::Read done);
  void write(std::string bytes, Stream::Done done);
  void finish();
  void reset(std::uint32_t code);
  void drop();  // the last handle is gone
  void when_over(Stream::Done done);
  void answer(const Answer& answer);

  // For the session.
  void attach(StreamCarrier* carrier, std::int32_t id);
  // Of a stream of which nothing has left. False: it was done before, or the stream is over.
  bool detach();
  std::int32_t id() const { return id_; }
  bool over() const { return over_; }
  void wait_for_answer(Stream::Answered answered) { answered_ = std::move(answered); }
  void give_answer(Answer answer);
  void give(std::string_view bytes);  // the reader is told by tell_given()
  void tell_given();
  void give_end();
  // How many of at most `size` bytes there are to send; `end`: they are the last.
  std::size_t has_to_send(std::size_t size, bool& end) const;
  // Appends so many of them, of which has_to_send() has told.
  void take(std::string& to, std::size_t size);
  // Both ways have ended, or the stream failed; nothing follows from the session. Of what has come and was
  // not read a reader is told before an error, or not at all.
  enum class Came : std::uint8_t { kIsDropped, kIsRead };
  void end(std::optional<Error> error, Came came = Came::kIsDropped);

 private:
  template <class Handler, class Value> void call(Handler& handler, Value value);
  void deliver();
  void drop_in();
  void end_dropped();
  void recount();
  Error why_over() const;

  const Strand strand_;
  const std::shared_ptr<Common> common_;
  StreamCarrier* carrier_ = nullptr;  // null before it is attached, and once over
  std::int32_t id_ = 0;

  std::vector<std::string> in_;  // came, not taken: pieces of at most kReadBytesMax
  std::size_t in_bytes_ = 0;     // of all of them
  std::size_t taken_ = 0;        // in the user's hands until the next read()
  bool in_ended_ = false;
  std::string out_;           // written...
  std::size_t out_sent_ = 0;  // ...of which so many bytes are on their way
  bool out_ended_ = false;
  bool end_sent_ = false;
  bool has_answer_ = false;  // of the server: it was given
  bool dropped_ = false;     // the last handle went after finish()
  bool detached_ = false;    // once
  bool over_ = false;
  std::optional<Error> error_;  // that it ended by
  std::size_t counted_ = 0;     // in Totals::buffered

  Stream::Answered answered_;
  Stream::Read reading_;
  Stream::Done writing_;
  Stream::Done when_over_;
};

}  // namespace berth::tunnel
