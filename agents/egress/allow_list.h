// AllowList: the names and ports that kernels with egress may reach. Immutable; any thread.
//
// An entry is "name:port" or "*.name:port", which is every name below that one. Names are compared as they
// are written, in lower case: an address is reached only if it stands in the list as it is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events/base/result.h"

namespace berth::agents {

inline constexpr std::size_t kAllowedMax = 256;  // entries

class AllowList {
 public:
  struct Entry {
    std::string host;  // lower case, no dot at its end
    std::uint16_t port = 0;
    bool below = false;  // every name below `host`, not itself
    bool private_ =
        false;  // may have a private address: a person has named this very host (registry_search.h)
    auto operator<=>(const Entry&) const = default;
  };

  // Adds what a person has named. Code egress-entry-wrong.
  Result<void> add_by_hand(std::string_view entry);
  // Adds what tools name, or their settings. False: it is no name, or the list is full.
  bool add(std::string_view host, std::uint16_t port, bool may_be_private = false);

  // nullptr: not allowed.
  const Entry* find(std::string_view host, std::uint16_t port) const;
  const std::vector<Entry>& entries() const { return entries_; }
  // "a.example.org:443, *.example.org:443"; "nothing".
  std::string text() const;

 private:
  bool put(Entry entry);

  std::vector<Entry> entries_;
};

// What a person has named: entries between commas or blanks; "none" is an empty list. Code
// egress-entry-wrong.
Result<AllowList> parse_allow_list(std::string_view text);

// A host as requests and settings write it: in lower case, without a dot at its end. Empty: it is neither a
// name of DNS nor an IPv4 address.
std::string host_name_in(std::string_view text);
// 0: the text is no port.
std::uint16_t port_in(std::string_view text);

}  // namespace berth::agents
