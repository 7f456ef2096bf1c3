// Requests and replies as the API sees them, without a socket. The server makes requests and writes replies,
// and so do tests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace berth::controller::api {

// The header fields that the API reads; empty: absent. Values are as received.
struct HttpRequest {
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
  std::string background;  // X-Berth-Background: no person's input
  std::string user_agent;
  std::string accept_encoding;
  std::string if_none_match;
  std::string forwarded_for;  // X-Forwarded-*: of several fields the last
  std::string forwarded_host;
  std::string forwarded_proto;
  std::string address;     // of the peer, "10.0.0.7"
  std::uint16_t port = 0;  // of this server's socket
  bool tls = false;
  std::size_t body_bytes = 0;  // as announced; of a body in chunks, the most that is read
  bool in_chunks = false;
  std::string body;  // empty until it is read
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

struct HttpReply {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::shared_ptr<FrameStream> stream;  // instead of a body

  void set(std::string name, std::string value) { headers.emplace_back(std::move(name), std::move(value)); }
};

// Called exactly once, on any thread.
using Reply = std::function<void(HttpReply)>;

}  // namespace berth::controller::api
