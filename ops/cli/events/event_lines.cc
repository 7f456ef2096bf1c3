#include "ops/cli/events/event_lines.h"

#include <utility>

#include "ops/cli/output/json_text.h"
#include "ops/cli/output/table.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// The last field of a closing line of CSV, which is JSON within quotes.
std::string unquoted_tail(std::string_view line) {
  const std::size_t begin = line.find('"'), end = line.rfind('"');
  if (begin == std::string_view::npos || end <= begin) return {};
  std::string out;
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (line[i] == '"') ++i;  // two of them are one
    out += line[i];
  }
  return out;
}

// It counted the events behind the last break alone.
std::string with_count(const std::string& closing, std::uint64_t count) {
  boost::system::error_code broken;
  json::value end = json::parse(closing, broken);
  if (broken || !end.is_object()) return closing;
  end.as_object()["events"] = count;
  return json::serialize(end);
}

std::string code_in(const std::string& text) {
  boost::system::error_code broken;
  const std::string code = text_at(json::parse(text, broken), "code");
  return code.empty() ? "unknown" : code;
}

}  // namespace

void EventLines::begin_again() {
  rest_.clear();
  error_.clear();
  looked_ = 0;
  quoted_ = head_here_ = false;
}

std::string EventLines::take(std::string_view bytes) {
  std::string out;
  rest_ += bytes;
  std::size_t begin = 0;
  for (; looked_ < rest_.size(); ++looked_) {
    if (csv_ && rest_[looked_] == '"') quoted_ = !quoted_;
    if (rest_[looked_] != '\n' || quoted_) continue;
    take_line(std::string_view(rest_).substr(begin, looked_ + 1 - begin), out);
    begin = looked_ + 1;
  }
  rest_.erase(0, begin);
  looked_ -= begin;
  return out;
}

void EventLines::take_line(std::string_view line, std::string& out) {
  csv_ ? take_csv(line, out) : take_json(line, out);
}

void EventLines::add_event(std::string_view id, std::string_view line, std::string& out) {
  last_ = id;
  ++count_;
  out += line;
}

void EventLines::take_csv(std::string_view line, std::string& out) {
  if (!std::exchange(head_here_, true)) {
    if (!std::exchange(head_given_, true)) out += line;
    return;
  }
  const std::string_view first = line.substr(0, line.find(','));
  if (first == "#error") {
    error_ = code_in(unquoted_tail(line));
  } else if (first == "#end") {
    ended_ = true;
    closing_ = with_count(unquoted_tail(line), count_);
    out += std::string(line.substr(0, line.find('"'))) + csv_field(closing_) + "\r\n";
  } else {
    add_event(first, line, out);
  }
}

void EventLines::take_json(std::string_view line, std::string& out) {
  constexpr std::string_view kId = "{\"id\":\"", kEnd = "{\"end\":", kError = "{\"error\":";
  if (line.starts_with(kId)) {
    add_event(line.substr(kId.size(), line.find('"', kId.size()) - kId.size()), line, out);
  } else if (line.starts_with(kEnd)) {
    ended_ = true;
    closing_ = with_count(std::string(line.substr(kEnd.size(), line.rfind('}') - kEnd.size())), count_);
    out += std::string(kEnd) + closing_ + "}\n";
  } else if (line.starts_with(kError)) {
    error_ = code_in(std::string(line.substr(kError.size(), line.rfind('}') - kError.size())));
  }
}

}  // namespace berth::cli
