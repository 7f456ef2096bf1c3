#include "ops/cli/http/sse.h"

namespace berth::cli {

bool SseParser::feed(std::string_view bytes, const std::function<bool(const SseEvent&)>& on_event) {
  for (const char c : bytes) {
    const bool second_of_pair = after_return_ && c == '\n';
    after_return_ = c == '\r';
    if (second_of_pair) continue;
    if (c == '\n' || c == '\r') {
      if (!end_line(on_event)) return false;
    } else {
      line_ += c;
      if (line_.size() + data_.size() > kEventBytesMax) {
        too_long_ = true;
        return false;
      }
    }
  }
  return true;
}

bool SseParser::end_line(const std::function<bool(const SseEvent&)>& on_event) {
  const std::string line = std::move(line_);
  line_.clear();
  if (line.empty()) {
    // Only a whole event moves the last id: after a cut one the stream resumes before it.
    last_id_ = pending_id_;
    if (!has_data_) {
      name_.clear();
      return true;
    }
    const SseEvent event{last_id_, std::move(name_), std::move(data_)};
    name_.clear();
    data_.clear();
    has_data_ = false;
    return on_event(event);
  }
  if (line[0] == ':') return true;
  const auto colon = line.find(':');
  const std::string field = line.substr(0, colon);
  std::string value = colon == std::string::npos ? std::string() : line.substr(colon + 1);
  if (!value.empty() && value[0] == ' ') value.erase(0, 1);
  if (field == "data") {
    data_ += (has_data_ ? "\n" : "") + value;
    has_data_ = true;
  } else if (field == "event") {
    name_ = value;
  } else if (field == "id" && value.find('\0') == std::string::npos) {
    pending_id_ = value;
  }
  return true;
}

void SseParser::restart() {
  line_.clear();
  name_.clear();
  data_.clear();
  pending_id_ = last_id_;
  has_data_ = false;
  after_return_ = false;
}

}  // namespace berth::cli
