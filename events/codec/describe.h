// One human line per event, for logs, `berth event tail` and whoever reads the journal. Pure; thread-safe.
//
//   SessionScheduled demo-1 attempt 1: main1 on a1 (gpu0 cuda.shares 1)
//
// The first word is the event's type, the second its subject. Ids are shown by their first 8 digits unless a
// NameBook knows better: events name sessions and kernels by id alone, so names come from the events that
// gave them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "events/schema/v1/event.pb.h"

namespace berth {

// "SessionScheduled"; "Unknown" where the event has no body that this build knows.
std::string event_name(const v1::Event& event);

// Names learned from the events that went by: sessions from SessionRequested, kernels from SessionScheduled.
// Forgets a session's names when told so; grows with the live sessions only if its owner does that. One
// thread at a time.
class NameBook {
 public:
  void learn(const v1::Event& event);
  void forget_session(std::string_view session_id);
  // What an id (16 bytes) is called: "demo-1", "demo-1/main1"; its first 8 digits if it is not known.
  std::string session(std::string_view id) const;
  std::string kernel(std::string_view id) const;

 private:
  std::map<std::string, std::string, std::less<>> sessions_;
  struct Kernel {
    std::string session_id;
    std::string host;  // "main1"
  };
  std::map<std::string, Kernel, std::less<>> kernels_;
};

// No line break in it, whatever the event's texts hold; at most about 1,000 characters.
std::string describe(const v1::Event& event);
std::string describe(const v1::Event& event, const NameBook& names);

}  // namespace berth
