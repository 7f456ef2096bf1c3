#include "agents/egress/allow_list.h"

#include <algorithm>
#include <charconv>

namespace berth::agents {
namespace {

constexpr std::size_t kHostMax = 253;  // bytes

Error wrong_entry(std::string_view entry) {
  std::string shown(entry.substr(0, 100));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return make_error("egress-entry-wrong", "'" + shown + "' is neither NAME:PORT nor *.NAME:PORT",
                    "for example \"pypi.example:443\"");
}

}  // namespace

std::string host_name_in(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > kHostMax || text.front() == '.' || text.front() == '-') return "";
  std::string host(text);
  char before = '.';
  for (char& c : host) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!fits || (c == '.' && before == '.')) return "";
    before = c;
  }
  return before == '.' ? "" : host;
}

std::uint16_t port_in(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && at == end && text.front() != '0' ? port : 0;
}

Result<void> AllowList::add_by_hand(std::string_view entry) {
  const std::size_t colon = entry.rfind(':');
  if (colon == std::string_view::npos) return wrong_entry(entry);
  std::string_view name = entry.substr(0, colon);
  const bool below = name.starts_with("*.");
  if (below) name.remove_prefix(2);
  const std::string host = host_name_in(name);
  const std::uint16_t port = port_in(entry.substr(colon + 1));
  if (host.empty() || port == 0) return wrong_entry(entry);
  if (put({host, port, below, !below})) return {};
  return make_error("egress-entry-wrong", "more than 256 names are given");
}

bool AllowList::add(std::string_view host, std::uint16_t port, bool may_be_private) {
  const std::string name = host_name_in(host);
  return !name.empty() && port != 0 && put({name, port, false, may_be_private});
}

bool AllowList::put(Entry entry) {
  if (std::find(entries_.begin(), entries_.end(), entry) != entries_.end()) return true;
  if (entries_.size() >= kAllowedMax) return false;
  entries_.push_back(std::move(entry));
  return true;
}

Result<AllowList> parse_allow_list(std::string_view text) {
  constexpr std::string_view kBetween = ", \t\r\n";
  AllowList list;
  if (text == "none") return list;
  for (;;) {
    const std::size_t begin = text.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return list;
    text.remove_prefix(begin);
    const std::string_view entry = text.substr(0, text.find_first_of(kBetween));
    if (auto added = list.add_by_hand(entry); !added) return added.error();
    text.remove_prefix(entry.size());
  }
}

const AllowList::Entry* AllowList::find(std::string_view host, std::uint16_t port) const {
  const auto allows = [&](const Entry& entry) {
    if (entry.port != port) return false;
    if (!entry.below) return host == entry.host;
    return host.size() > entry.host.size() + 1 && host.ends_with(entry.host) &&
           host[host.size() - entry.host.size() - 1] == '.';
  };
  // A person's own naming of a host says more than a wildcard or a tool's setting does.
  const Entry* found = nullptr;
  for (const Entry& entry : entries_)
    if (allows(entry) && (found == nullptr || entry.private_)) found = &entry;
  return found;
}

std::string AllowList::text() const {
  std::string text;
  for (const Entry& entry : entries_)
    text += (text.empty() ? "" : ", ") + std::string(entry.below ? "*." : "") + entry.host + ":" +
            std::to_string(entry.port);
  return text.empty() ? "nothing" : text;
}

}  // namespace berth::agents
