// Problem: an error reply (RFC 9457); Errors: collects what is wrong with a body or query. Pure.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/base/result.h"
#include "events/base/text.h"

namespace berth::controller::api {

// One error and its place in a body or query: "resources.cuda.shares", "command[2]", "?limit".
struct PlaceError {
  std::string place;
  std::string message;
};

struct Problem {
  unsigned status = 500;
  Code code;
  std::string detail;
  std::string hint;
  std::vector<PlaceError> errors;
  std::optional<std::uint64_t> position;  // of the journal, where the refusal was recorded
  unsigned retry_after_s = 0;             // 0 = no Retry-After
  std::string allow;                      // of 405
  std::optional<std::uint64_t> offset;    // of offset-differs: where the upload goes on
};

Problem make_problem(Code code, std::string detail, std::string hint = {});
Problem to_problem(const Error& error);

// "Bad Request"; "Error" for a status that the API does not use.
std::string_view title_of(unsigned status);

boost::json::object to_json(const Problem& problem, std::string_view request_id);

// Collects all that is wrong with an input, so that the user need not find the errors one by one. The first
// code is the problem's.
class Errors {
 public:
  void add(Code code, std::string place, std::string message, std::string hint = {});
  bool empty() const { return problem_.errors.empty(); }
  // REQUIRES: !empty()
  Problem take() &&;

 private:
  static constexpr std::size_t kShownMax = 20;
  Problem problem_;
};

}  // namespace berth::controller::api
