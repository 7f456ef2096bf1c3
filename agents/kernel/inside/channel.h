// Channel: the agent's end of what it says to the helper in a kernel (messages.h): one program, one look at a
// shell or an app, one list, or one connection to a port in there.
//
// The other side belongs to the kernel, and its root may have put anything in its place. So all that comes is
// bounded and checked, and what is wrong ends the channel with an error. A descriptor that comes and was not
// asked for is closed, and ends it too. It never blocks: wait with poll()
// for the descriptor to be readable, then take answers until there is none; and for it to be writable while
// unsent() is not 0. Back-pressure is the stream's own: who takes no answers stops an Exec, and loses output
// of a shell beyond its scrollback. Closing it ends an Exec (SIGHUP) and detaches from a shell.
// Threads: one at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/base/files/descriptor.h"
#include "events/base/result.h"
#include "events/inside/answers.h"
#include "events/inside/frames.h"
#include "events/inside/messages.h"

namespace berth::agents {

// A connection into a kernel.
struct Connected {
  Descriptor socket;
  std::string token;  // of the app (inside::Begun::token); empty: it has none, or a port was asked for
};

class Channel {
 public:
  // Connects to a door (KernelBackend::door()). Codes: kernel-not-open (it has no door, or has ended),
  // kernel-busy (too many wait at its door), agent-busy (this process may open no more descriptors).
  static Result<Channel> open(const std::string& door);

  int descriptor() const { return socket_.get(); }

  // First, and once. Code arguments-too-long.
  Result<void> request(const inside::Request& request);
  void type(std::string_view bytes);
  void type_end();
  void resize(const inside::Size& size);
  // Sends what it can of all this. Code channel-closed: the kernel or its helper has ended.
  Result<void> flush();
  std::size_t unsent() const { return unsent_.size(); }

  // nullopt: none has come whole yet. Codes: channel-closed, helper-garbled (what comes is no answer).
  Result<std::optional<inside::Answer>> next();
  // After the request kConnect instead of next(), until it gives the connection. The kernel may hold its
  // socket too, and make it block: read and write it by MSG_DONTWAIT. nullopt: it has not come yet. Codes:
  // those of next(), and the helper's: port-not-open, port-busy, no-such-app, app-ended.
  Result<std::optional<Connected>> connected();
  // After the request kEgress instead of next(): a connection that a program in the kernel has made; as
  // wary of it as above. nullopt: none has come. Codes: those of next(), and the helper's: port-taken.
  Result<std::optional<Descriptor>> accepted();

 private:
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}
  Result<std::optional<inside::Frame>> next_frame();
  ssize_t receive(char* bytes, std::size_t size);
  Error garbled();

  Descriptor socket_;
  inside::FrameReader frames_;
  std::string unsent_;
  inside::Request asked_;  // without arguments and variables
  Descriptor passed_;      // came, and is not checked yet
  bool begun_ = false;     // of kEgress: it listens
  bool too_many_ = false;  // descriptors came that may not
  bool over_ = false;      // the last answer has come
};

}  // namespace berth::agents
