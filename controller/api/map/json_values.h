// Small values as JSON: an absent value is null.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>

#include "controller/api/map/time_text.h"
#include "events/base/uuid.h"

namespace berth::controller::api {

inline boost::json::value time_or_null(Timestamp time) {
  return time == 0 ? boost::json::value(nullptr) : boost::json::value(format_time(time));
}
inline boost::json::value duration_or_null(std::int64_t milliseconds) {
  return milliseconds == 0 ? boost::json::value(nullptr)
                           : boost::json::value(format_duration_ms(milliseconds));
}
inline boost::json::value text_or_null(const std::string& text) {
  return text.empty() ? boost::json::value(nullptr) : boost::json::value(text);
}
inline boost::json::value id_or_null(const Uuid& id) {
  return id.is_nil() ? boost::json::value(nullptr) : boost::json::value(to_string(id));
}
template <class Pairs> boost::json::object pairs_to_json(const Pairs& pairs) {
  boost::json::object out;
  for (const auto& pair : pairs) out[pair.key()] = pair.value();
  return out;
}

}  // namespace berth::controller::api
