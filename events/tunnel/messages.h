// What opens a stream of the tunnel and what answers it: HTTP/2's request and response headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "events/base/clock.h"
#include "events/base/result.h"

namespace berth::tunnel {

// Names in lower case, as HTTP/2 has them; of a name that comes twice each value counts.
using Headers = std::vector<std::pair<std::string, std::string>>;

struct Question {
  std::string method = "GET";
  std::string path;  // begins with "/", may have a query
  Headers headers;
};

struct Answer {
  int status = 200;  // 200 to 599
  Headers headers;
};

inline constexpr std::size_t kBufferedBytesMax = 256u << 10;  // a stream and direction
inline constexpr std::size_t kReadBytesMax = 64u << 10;       // that a read gives at once
inline constexpr std::size_t kHeaderBytesMax = 64u << 10;     // of a question or an answer

struct Limits {
  Duration handshake_max = 5 * kSecond;  // connecting and proving the key, together
  Duration ping_every = 5 * kSecond;
  Duration silence_max = 10 * kSecond;  // a connection from which nothing came for so long is over
  Duration idle_max = kMinute;          // of the client: a connection without streams ends then
  Duration pause_max = kSecond;         // of the client, after attempts that failed
  std::size_t streams_max = 2048;       // at once, in a connection
  std::size_t connections_max = 256;    // at once, of a server
  std::size_t handshakes_max = 64;      // of these without proof; the oldest gives way
  // Of a server: streams that are reset at once, and 33 a second after these, before a connection takes no
  // new ones. Whoever is let in has the agent's key, and streams end by a reset: none by default.
  std::uint64_t resets_max = ~std::uint64_t{0};
};

// Thread-safe to take at any time.
struct Counts {
  std::size_t connections = 0;  // that have proved the key
  std::size_t streams = 0;      // open
  std::size_t buffered = 0;     // bytes: came and not taken, or written and not sent
  std::uint64_t refused = 0;    // handshakes of who has another key, no key, or speaks no TLS
  std::uint64_t broken = 0;     // connections of who has the key and speaks no HTTP/2
};

// Codes of errors that a user may act on.
inline constexpr Code kRefused = "tunnel-refused";  // the keys do not fit
inline constexpr Code kLost = "tunnel-lost";        // no connection, or it was cut
inline constexpr Code kTimeout = "tunnel-timeout";  // the other side does not answer
inline constexpr Code kReset = "stream-reset";      // either side gave the stream up
inline constexpr Code kTooManyStreams = "too-many-streams";
inline constexpr Code kHeadersInvalid = "headers-invalid";
inline constexpr Code kHeadersTooLarge = "headers-too-large";
inline constexpr Code kTooMuchAtOnce = "too-much-at-once";  // see Stream
inline constexpr Code kBodyEnded = "body-ended";            // a write after finish()

// Codes: headers-invalid, headers-too-large.
Result<void> check(const Question& question);
Result<void> check(const Answer& answer);

}  // namespace berth::tunnel
