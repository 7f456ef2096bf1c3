// Requests and replies as the API sees them, without a socket. The server makes requests and writes replies,
// and so do tests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/base/result.h"

namespace berth::controller::api {

// The header fields that the API reads; empty: absent. Values are as received.
struct HttpRequest {
  // Whether the method only reads, whatever the route is.
  bool is_safe() const { return method == "GET" || method == "HEAD"; }

  std::string method;
  std::string target;
  std::string host;
  std::string content_type;
  std::string accept;
  std::string authorization;
  std::string date;       // X-Berth-Date
  std::string version;    // X-Berth-Version
  std::string body_hash;  // X-Berth-Content-SHA256
  std::string idempotency_key;
  std::string last_event_id;
  std::string traceparent;
  std::string cookie;
  std::string csrf;  // X-Berth-CSRF
  std::string origin;
  std::string sec_fetch_site;
  std::string sec_fetch_mode;
  std::string sec_fetch_dest;
  std::string background;  // X-Berth-Background: no person's input
  std::string chunk_hash;  // X-Berth-Sha256
  std::string range;
  std::string if_range;
  std::string user_agent;
  std::string accept_encoding;
  std::string if_none_match;
  std::string forwarded_for;  // X-Forwarded-*: of several fields the last
  std::string forwarded_host;
  std::string forwarded_proto;
  std::string connection;  // of a GET that asks for a WebSocket, with the next four
  std::string upgrade;
  std::string web_socket_key;
  std::string web_socket_version;
  std::string web_socket_protocol;
  std::string address;     // of the peer, "10.0.0.7"
  std::uint16_t port = 0;  // of this server's socket
  bool tls = false;
  std::size_t body_bytes = 0;  // as announced; of a body in chunks, the most that is read
  bool in_chunks = false;
  std::string body;  // empty until it is read
};

// A body that is read while its request is handled, so that it never lies here whole. One read at a time, and
// none under way when the reply is given.
class BodyStream {
 public:
  static constexpr std::size_t kBytesMax = 8u << 20;  // of the whole body
  using Read = std::function<void(Result<std::string>)>;
  virtual ~BodyStream() = default;
  // The next bytes, at most 64 KiB; none: that was all. Calls `done` once, on any thread, and maybe within
  // this call. Codes: body-too-large; client-gone, then nobody reads the reply.
  virtual void read(Read done) = 0;
};

// Bytes for a watching client, shared by all clients that get the same.
using Frame = std::shared_ptr<const std::string>;

// A reply without an end. One caller at a time; its destruction cancels.
class FrameStream {
 public:
  struct Batch {
    std::vector<Frame> frames;
    bool end = false;  // nothing follows these
  };
  virtual ~FrameStream() = default;
  // Calls `done` once, on any thread, when there is something to write (a comment at least every 15 s).
  virtual void next(std::function<void(Batch)> done) = 0;
};

// One message of a WebSocket. A text that a client sent is UTF-8.
struct Message {
  bool text = false;
  std::string bytes;
};

// What follows a reply of status 101: messages both ways. One caller at a time; its destruction says that the
// client is gone. What it is given to call it calls on any thread, and within calls of this class too.
class MessageRelay {
 public:
  struct Batch {
    std::vector<Message> messages;
    std::optional<std::uint16_t> close;  // nothing follows these but a close of that code
  };
  static constexpr std::size_t kMessageBytesMax = 256u << 10;  // of the client

  virtual ~MessageRelay() = default;
  // A message of the client. Calls `done` once, when the next one is to be read.
  virtual void take(Message message, std::function<void()> done) = 0;
  // Calls `done` once, when there is something to write.
  virtual void next(std::function<void(Batch)> done) = 0;
  // Calls `over` once, when the batch that closes is there to be taken: a client that does not take what was
  // written before need not be waited for.
  virtual void when_over(std::function<void()> over) = 0;
  // The client has taken nothing for long, while something was to be written.
  virtual void stalled() = 0;
};

struct HttpReply {
  unsigned status = 200;
  std::string content_type = "application/json";  // empty: there is no body
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::shared_ptr<FrameStream> stream;  // instead of a body
  // Of the stream, where it is known: a client that gets fewer bytes knows that it has not got all.
  std::optional<std::uint64_t> stream_bytes;
  std::shared_ptr<MessageRelay> relay;  // of status 101

  void set(std::string name, std::string value) { headers.emplace_back(std::move(name), std::move(value)); }
};

// Called exactly once, on any thread.
using Reply = std::function<void(HttpReply)>;

}  // namespace berth::controller::api
