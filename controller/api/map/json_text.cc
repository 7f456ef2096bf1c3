#include "controller/api/map/json_text.h"

#include <algorithm>
#include <boost/json.hpp>

#include "controller/api/map/time_text.h"

namespace berth::controller::api {
namespace {

bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

}  // namespace

JsonText& JsonText::key(std::string_view name) {
  value(name);
  text_ += ':';
  return *this;
}

void JsonText::value(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_plain)) return raw(boost::json::serialize(text));
  separate();
  text_ += '"';
  text_ += text;
  text_ += '"';
}

void JsonText::put_id(std::string_view name, const Uuid& id) {
  if (id.is_nil()) return put(name, nullptr);
  put(name, to_string(id));
}

void JsonText::put_text(std::string_view name, std::string_view text) {
  if (text.empty()) return put(name, nullptr);
  put(name, text);
}

void JsonText::put_time(std::string_view name, Timestamp time) {
  if (time == 0) return put(name, nullptr);
  put(name, format_time(time));
}

void JsonText::put_duration(std::string_view name, std::int64_t milliseconds) {
  if (milliseconds == 0) return put(name, nullptr);
  put(name, format_duration_ms(milliseconds));
}

}  // namespace berth::controller::api
