#include "events/codec/describe.h"

#include "events/base/amount.h"
#include "events/base/hash.h"
#include "events/codec/describe_lines.h"

namespace berth {
namespace {

constexpr std::size_t kLineMax = 1000;

// Texts of users and agents may hold anything; a line stays a line, and a terminal obeys nobody's escape
// codes.
std::string one_line(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = ' ';
  }
  if (text.size() <= kLineMax) return text;
  text.resize(kLineMax);
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80)
    text.pop_back();  // no cut UTF-8
  if (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80) != 0) text.pop_back();
  return text + "...";
}

std::string short_id(std::string_view id) {
  if (id.empty()) return "(no id)";
  return to_hex(id.substr(0, 4));
}

}  // namespace

std::string event_name(const v1::Event& event) {
  const auto* field = v1::Event::descriptor()->FindFieldByNumber(event.body_case());
  return field == nullptr ? "Unknown" : field->message_type()->name();
}

bool is_event_name(std::string_view name) {
  const auto* bodies = v1::Event::descriptor()->FindOneofByName("body");
  for (int i = 0; i < bodies->field_count(); ++i)
    if (bodies->field(i)->message_type()->name() == name) return true;
  return false;
}

void NameBook::learn(const v1::Event& event) {
  if (event.has_session_requested()) {
    const auto& requested = event.session_requested();
    sessions_.insert_or_assign(requested.session_id(), requested.name());
  } else if (event.has_session_scheduled()) {
    const auto& scheduled = event.session_scheduled();
    for (const auto& placement : scheduled.placements())
      kernels_.insert_or_assign(
          placement.kernel_id(),
          Kernel{scheduled.session_id(), placement.role() + std::to_string(placement.index())});
  }
}

std::string NameBook::session(std::string_view id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() || found->second.empty() ? short_id(id) : found->second;
}

std::string NameBook::kernel(std::string_view id) const {
  const auto found = kernels_.find(id);
  return found == kernels_.end() ? short_id(id)
                                 : session(found->second.session_id) + "/" + found->second.host;
}

std::string describe(const v1::Event& event) { return describe(event, NameBook()); }

std::string describe(const v1::Event& event, const NameBook& names) {
  std::string line = event_name(event);
  const std::string rest = describe_body(event, names);
  if (!rest.empty()) line += " " + rest;
  if (!event.reason().empty()) line += " (" + event.reason() + ")";
  return one_line(std::move(line));
}

}  // namespace berth
