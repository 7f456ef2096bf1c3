// One line of text per event, for logs, `berth event tail` and readers of the journal. Pure; thread-safe.
//
//   SessionScheduled demo-1 attempt 1: main1 on a1 (gpu0 cuda.shares 1)
//
// The first word is the event's type, the second its subject. An id is shown by its first 8 digits unless a
// NameBook has its name: most events name sessions and kernels by id alone, so a NameBook learns the names
// from the events that give them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "events/schema/v1/event.pb.h"

namespace berth {

// "SessionScheduled"; "Unknown" if this build does not know the event's body.
std::string event_name(const v1::Event& event);
// Whether some event of this build is called so.
bool is_event_name(std::string_view name);

// Names learned from past events: sessions from SessionRequested, kernels from SessionScheduled. The book
// grows with the sessions of what is read. One thread at a time.
class NameBook {
 public:
  void learn(const v1::Event& event);
  // The name of an id (16 bytes): "demo-1", "demo-1/main1"; the first 8 digits of an unknown id.
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

// One line, whatever the event's texts hold; at most about 1,000 characters.
std::string describe(const v1::Event& event);
std::string describe(const v1::Event& event, const NameBook& names);

}  // namespace berth
