// Session: HTTP/2 over bytes that somebody else carries (libnghttp2). Bytes that came go in by receive(),
// bytes to send come out of fill(); streams are attached and told. On one strand. Internal to the tunnel.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "events/tunnel/stream_state.h"
#include "events/tunnel/tls.h"

namespace berth::tunnel {

// Called on the connection's strand, within calls of the session.
struct SessionHooks {
  std::function<std::shared_ptr<StreamState>()> make;                        // of the server
  std::function<void(Question, const std::shared_ptr<StreamState>&)> asked;  // of the server
  // Of the client: the other side has not worked on the question and does not, since it takes no more. No
  // byte of its body has left: it may be asked elsewhere. At most once for a stream.
  std::function<void(const std::shared_ptr<StreamState>&, Question)> unasked;
  std::function<void()> wake;  // fill() has something, outside of receive()
  // Within fill(): there is a record of TLS and more, which may be taken from `out`. False: it cannot.
  std::function<bool()> full;
};

class Session final : public StreamCarrier {
 public:
  Session(Role role, const Limits& limits, SessionHooks hooks);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Of the client. False: the server has said that it takes no new streams; those that are open go on.
  bool takes_questions() const;
  // Of the client. REQUIRES: check(question).
  void open(const std::shared_ptr<StreamState>& stream, const Question& question);
  // False: they are no HTTP/2, or the memory is used up; nothing more is to be received. tell_given() follows
  // the last of what has come: readers, which are on strands of their own, are woken once for all of it.
  bool receive(std::string_view bytes);
  void tell_given();
  // Appends what is to be sent, of bodies no more than a reader takes at once: nothing is appended where
  // there is no more. False as for receive(), and where full() said it.
  bool fill(std::string& out);
  void ping();
  // Nothing is to be received or sent any more.
  bool done() const;
  // Tells every stream.
  void close(const Error& error);
  std::size_t streams() const { return streams_.size(); }

  // For streams.
  void answer(StreamState& stream, const Answer& answer) override;
  void resume(StreamState& stream) override;
  void consume(StreamState& stream, std::size_t bytes) override;
  void reset(StreamState& stream, std::uint32_t code) override;

 private:
  // A question or answer of which the headers come in.
  struct Head {
    Question question;
    Answer answer;
    std::size_t bytes = 0;
  };
  struct Callbacks;  // libnghttp2's

  StreamState* find(std::int32_t id) const;
  int begin(std::int32_t id);
  void give(std::int32_t id, std::string_view bytes);
  int add_header(std::int32_t id, std::string_view name, std::string_view value);
  void end_head(std::int32_t id);
  void end_stream(std::int32_t id, std::uint32_t code);
  void give_back(std::int32_t id);

  const Role role_;
  const Limits limits_;
  const SessionHooks hooks_;
  std::unique_ptr<nghttp2_session, decltype(&nghttp2_session_del)> http_{nullptr, &nghttp2_session_del};
  std::map<std::int32_t, std::shared_ptr<StreamState>> streams_;
  std::map<std::int32_t, Head> heads_;
  std::map<std::int32_t, Question> unbegun_;  // of the client: without an answer and a byte of their bodies
  std::vector<std::shared_ptr<StreamState>> given_;  // bytes, within receive(); not told yet
  std::string* filling_ = nullptr;                   // within fill()
  std::size_t filled_ = 0;                           // bytes of bodies, in this fill()
  std::vector<std::int32_t> held_;                   // streams of which more leaves by the next one
};

}  // namespace berth::tunnel
