// What an image says of itself in labels "berth.*": apps that people open in its sessions, and the memory it
// wants. Labels are anybody's text: every form that is not in ops/images/README.md is refused. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "events/base/amount.h"
#include "events/base/result.h"

namespace berth {

inline constexpr std::size_t kImageAppsMax = 32;
inline constexpr std::size_t kAppNameMax = 29;   // bytes: with "--" and a session it is a part of a host name
inline constexpr std::size_t kAppTitleMax = 64;  // bytes, as the next two
inline constexpr std::size_t kAppCommandMax = 4096;  // of the label
inline constexpr std::size_t kAppSocketMax = 107;    // what an address of a Unix socket holds

enum class AppProtocol : std::uint8_t {
  kHttp,     // the proxy serves it at an origin of its own, WebSockets too
  kTcp,      // bytes, passed on as they are
  kPty,      // a program in a terminal; nothing listens
  kPreopen,  // HTTP, of a server that the session's own program starts
};

std::string_view to_string(AppProtocol protocol);

struct ImageApp {
  std::string name;
  AppProtocol protocol = AppProtocol::kHttp;
  std::uint16_t port =
      0;              // on loopback of the kernel, unless there is a socket; of kPty no more than a number
  std::string title;  // for people; the name where the image gives none
  std::vector<std::string> command;  // empty of kPreopen alone
  std::string socket;                // path of the Unix socket on which it listens; empty: on the port
  std::string token_variable;        // which gets the random token of a start; empty: it wants none

  bool operator==(const ImageApp&) const = default;
};

struct ImageLabels {
  std::vector<ImageApp> apps;     // in the order of the label
  Amount memory_min = 0;          // bytes, without shm; 0: not said
  Amount memory_recommended = 0;  // bytes, at least memory_min; 0: not said

  // nullptr if there is none of this name.
  const ImageApp* app(std::string_view name) const;
};

// Whether an image may name this port: those of Berth's own services are refused (2000, 2001, 2200, 7681).
bool is_reserved_port(std::uint16_t port);

// Labels that do not begin with "berth." are others' and mean nothing here. Codes: image-label-invalid, with
// the label's name in the message.
Result<ImageLabels> parse_image_labels(const std::map<std::string, std::string>& labels);

}  // namespace berth
