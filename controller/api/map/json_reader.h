// Strict reading of JSON bodies: every field is asked for by name and type; a field that was not asked for is
// an error (finish()).
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/api/map/problem.h"
#include "events/codec/words/enum_words.h"

namespace berth::controller::api {

inline constexpr std::size_t kBodyDepthMax = 16;
inline constexpr std::size_t kTextMax = 4096;  // characters of a text without a limit of its own

// Codes: malformed-json (with line and column; also for a repeated key), too-deep. An empty body is an empty
// object.
Result<boost::json::object> parse_body(std::string_view body);

// How a text that is no word of an enum is noted: the message is the text, quoted, between the two.
struct UnknownWord {
  Code code;
  const char* before;
  const char* after;
  const char* hint;
};

// One object at a place ("" = the body itself). A wrong type is noted in `errors` and reads as absent. null
// reads as absent without an error.
class ObjectReader {
 public:
  ObjectReader(const boost::json::object& object, std::string place, Errors& errors)
      : object_(object), place_(std::move(place)), errors_(errors) {}

  // nullptr when absent or null.
  const boost::json::value* raw(std::string_view name);
  std::optional<std::string> text(std::string_view name, std::size_t characters_max);
  // Noted where it is absent, which reads as empty.
  std::string required_text(std::string_view name, std::size_t characters_max);
  // A word of the enum E; another text is noted, and reads as absent.
  template <class E> std::optional<E> word(std::string_view name, const UnknownWord& unknown) {
    const auto read = text(name, kTextMax);
    const auto value = read ? from_word<E>(*read) : std::nullopt;
    if (read && !value)
      fail(unknown.code, name, unknown.before + ("'" + clipped(*read) + "'") + unknown.after, unknown.hint);
    return value;
  }
  // Noted where it is absent, which reads as UNSPECIFIED.
  template <class E> E required_word(std::string_view name, const UnknownWord& unknown) {
    const auto read = word<E>(name, unknown);
    require(name, read.has_value());
    return read.value_or(E{});
  }
  // A valid name (events/base/name.h); another text is noted as invalid-name, and reads as absent.
  std::optional<std::string> name(std::string_view name);
  // The same where an empty text says as much as none.
  std::string name_or_none(std::string_view name);
  std::optional<bool> boolean(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most);
  // Milliseconds: an integer of seconds or "5m".
  std::optional<std::int64_t> duration_ms(std::string_view name);
  // Nanoseconds since 1970.
  std::optional<std::int64_t> time(std::string_view name);
  const boost::json::object* object(std::string_view name);
  const boost::json::array* array(std::string_view name, std::size_t items_max);

  void require(std::string_view name, bool present);
  void fail(Code code, std::string_view name, std::string message, std::string hint = {});
  std::string place_of(std::string_view name) const;
  Errors& errors() { return errors_; }

  // Notes every field that was not asked for. To be called last.
  void finish();

 private:
  const boost::json::value* wrong_type(std::string_view name, const boost::json::value& value,
                                       const char* wanted);

  const boost::json::object& object_;
  std::string place_;
  Errors& errors_;
  std::vector<std::string_view> asked_;
};

// The texts of an array. An item that is no text, or has a NUL byte (which no program can be given), is
// noted.
std::vector<std::string> texts_of(const boost::json::array& array, const std::string& place,
                                  std::size_t bytes_max, Errors& errors);
// Names to texts. A value that is no text is noted.
std::vector<std::pair<std::string, std::string>> text_pairs_of(const boost::json::object& object,
                                                               const std::string& place,
                                                               std::size_t bytes_max, Errors& errors);

}  // namespace berth::controller::api
