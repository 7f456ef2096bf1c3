#include "controller/api/map/csv/csv_text.h"

#include "events/base/csv/csv.h"

namespace berth::controller::api {

std::string csv_field(const std::string& text) {
  return csv_quoted(is_like_formula(text) ? "'" + text : text);
}

}  // namespace berth::controller::api
