// Browser: what a browser that is signed in to a Berth sends, to open an app of a session.
#pragma once

#include <cstdint>
#include <string>

#include "bench/app/berth_up.h"

namespace berth::bench {

class Browser {
 public:
  // Signs in by the first login link of that Berth.
  explicit Browser(const BerthUp& up);
  // Opens a port of a session (its id) and returns the fields with which its origin is asked from then on:
  // "Host:
  // ...\r\nCookie: ...\r\nOrigin: ...\r\n".
  std::string open_app(const std::string& session, std::uint16_t port) const;

 private:
  struct Reply {
    std::string cookie, body;
  };
  Reply post(const std::string& target, const std::string& fields, const std::string& body) const;

  const BerthUp& up_;
  std::string cookie_, csrf_;
};

}  // namespace berth::bench
