// Strict reading of JSON objects: an unknown key or a value of another type is an error that names its place.
//
// The document keeps its first error. Reading goes on with defaults, so that readers need no checks of their
// own.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/base/amount.h"
#include "events/base/clock.h"
#include "events/base/result.h"

namespace berth::placement {

class Document {
 public:
  void fail(const std::string& place, const std::string& message, berth::Code code = "bad-scenario") {
    if (!error_) error_ = make_error(code, place + ": " + message);
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

class JsonObject {
 public:
  // A value that is no object is an error, and reads as an empty object.
  JsonObject(Document& document, const boost::json::value& value, std::string place);

  const std::string& place() const { return place_; }
  std::string place_of(std::string_view key) const;
  Document& document() { return document_; }

  // null counts as absent.
  bool has(std::string_view key);
  bool says_null(std::string_view key);
  std::string text(std::string_view key, std::string_view fallback);
  std::string name(std::string_view key);  // required, not empty
  std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t least, std::int64_t most);
  bool boolean(std::string_view key, bool fallback);
  std::optional<Timestamp> time(std::string_view key);
  // One of the words. Another one is an error, and reads as the fallback.
  std::string word(std::string_view key, std::string_view fallback,
                   const std::vector<std::string_view>& words);
  std::vector<std::string> texts(std::string_view key);
  JsonObject object(std::string_view key);
  // Each element of an array, with its place "sessions[3]".
  void each(std::string_view key,
            const std::function<void(const boost::json::value&, const std::string&)>& visit);
  // Each member of an object, in the order of the file.
  void members(
      std::string_view key,
      const std::function<void(std::string_view, const boost::json::value&, const std::string&)>& visit);

  void fail(std::string_view key, const std::string& message, berth::Code code = "bad-scenario");
  // Keys that were not asked for are errors. To be called last.
  void finish();

 private:
  const boost::json::value* find(std::string_view key);

  Document& document_;
  const boost::json::object* object_;
  std::string place_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace berth::placement
