#include "events/base/strict_json.h"

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace berth {

namespace json = boost::json;

namespace {

// Stops at a key that its object has already. Keeps the keys of the objects that are open, nothing else.
class KeyWatch {
 public:
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;

  const std::string& twice() const { return twice_; }

  bool on_object_begin(json::error_code&) { return open_.emplace_back(), true; }
  bool on_object_end(std::size_t, json::error_code&) { return open_.pop_back(), true; }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    return key_.append(part.data(), part.size()), true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code& error) {
    key_.append(part.data(), part.size());
    if (!open_.back().insert(key_).second) {
      twice_ = key_;
      error = json::error::exception;
    }
    key_.clear();
    return !error;
  }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(std::size_t, json::error_code&) { return true; }
  bool on_string_part(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code&) { return true; }
  bool on_double(auto, json::string_view, json::error_code&) { return true; }
  bool on_bool(bool, json::error_code&) { return true; }
  bool on_null(json::error_code&) { return true; }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  std::vector<std::set<std::string>> open_;
  std::string key_;
  std::string twice_;
};

std::string where(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - begin + 1);
}

}  // namespace

Result<json::value> read_strict_json(std::string_view text, std::size_t depth_max) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return make_error("malformed-json", "no JSON: it is empty");
  json::parse_options options;
  options.max_depth = depth_max;
  json::basic_parser<KeyWatch> watch{options};
  json::error_code error;
  const std::size_t read = watch.write_some(false, text.data(), text.size(), error);
  if (!watch.handler().twice().empty() || (error == json::error::exception))
    return make_error("malformed-json",
                      "key \"" + watch.handler().twice() + "\" is there twice: " + where(text, read));
  if (error == json::error::too_deep)
    return make_error("too-deep", "nested deeper than " + std::to_string(depth_max) + " levels");
  if (!error && text.find_first_not_of(" \t\r\n", read) != std::string_view::npos)
    error = json::error::extra_data;
  if (error) return make_error("malformed-json", "no JSON: " + error.message() + ": " + where(text, read));
  try {
    json::value value = json::parse(json::string_view(text.data(), text.size()), error, {}, options);
    if (!error) return value;
  } catch (const std::exception& failure) { return make_error("malformed-json", failure.what()); }
  return make_error("malformed-json", "no JSON: " + error.message());
}

}  // namespace berth
