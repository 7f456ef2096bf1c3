// Result<T>: a value, or the error of an edge.
//
// A refusal (bad request, limit) and an operating error (disk full, broker away) are values with a stable
// code; a broken invariant is neither and stops the process (checks.h). No exception crosses an interface of
// Berth.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "events/base/checks.h"
#include "events/base/codes/code.h"

namespace berth {

// Code ("log-corrupt"), one sentence for people, and advice.
struct Error {
  Code code;
  std::string message;
  std::string hint;

  bool operator==(const Error&) const = default;
};

inline Error make_error(Code code, std::string message, std::string hint = {}) {
  return Error{code, std::move(message), std::move(hint)};
}

// One line for logs and stderr: "code: message (hint)".
inline std::string to_string(const Error& error) {
  std::string text = error.code + ": " + error.message;
  if (!error.hint.empty()) text += " (" + error.hint + ")";
  return text;
}

template <class T> class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok()
  T& value() & {
    BERTH_CHECK(ok(), "value() of a failed Result");
    return std::get<0>(state_);
  }
  const T& value() const& {
    BERTH_CHECK(ok(), "value() of a failed Result");
    return std::get<0>(state_);
  }
  T&& value() && {
    BERTH_CHECK(ok(), "value() of a failed Result");
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok()
  const Error& error() const {
    BERTH_CHECK(!ok(), "error() of a good Result");
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

template <> class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    BERTH_CHECK(!ok(), "error() of a good Result");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace berth
