// Strict reading of a request target's query: percent-decoded, every parameter is asked for by name; a
// parameter that was not asked for is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/api/map/problem.h"

namespace berth::controller::api {

// nullopt: a % without two hex digits, a NUL byte, or what is no UTF-8.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

struct Target {
  std::vector<std::string> segments;  // decoded path, "/v1/sessions" = {"v1", "sessions"}
  std::vector<std::pair<std::string, std::string>> parameters;  // decoded, in order
};

// Codes: invalid-parameter. Only the origin form ("/...").
Result<Target> parse_target(std::string_view target);

// A wrong value is noted and reads as absent.
class Query {
 public:
  Query(const Target& target, Errors& errors) : target_(target), errors_(errors) {}

  std::optional<std::string> text(std::string_view name, std::size_t characters_max = 256);
  // A name to select by; empty or absent: all. A text that nothing can be named is an error.
  std::string name(std::string_view name);
  std::string project(std::string_view name);  // the same, NAME or DOMAIN/NAME
  // "", "1", "true" are true; "0", "false" are false.
  bool flag(std::string_view name, bool absent);
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most);
  // Milliseconds.
  std::optional<std::int64_t> duration_ms(std::string_view name, std::int64_t most);
  // "a,b" -> {a, b}; empty parts are dropped.
  std::vector<std::string> list(std::string_view name);

  void fail(Code code, std::string_view name, std::string message, std::string hint = {});
  // Notes unknown and repeated parameters. To be called last.
  void finish();

 private:
  const Target& target_;
  Errors& errors_;
  std::vector<std::string_view> asked_;
};

}  // namespace berth::controller::api
