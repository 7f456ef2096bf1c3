// Code: a stable word of the table of codes (events/base/codes/codes.inc), kept as its number. Pure,
// thread-safe.
//
// A word that the table lacks does not compile. A number of a newer build stays what it is, so that readers
// of different builds keep one state; its word is then "code-N".
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "events/base/codes/code_table.h"

namespace berth {

class Code {
 public:
  constexpr Code() = default;  // number 0: no code
  // A literal, looked up when it compiles.
  template <std::size_t N>
  consteval Code(const char (&word)[N])  // NOLINT(google-explicit-constructor)
      : number_(number_of_code({word, N - 1})) {
    if (number_ == 0) throw "the table of codes lacks the word";
  }

  static constexpr Code of_number(std::uint32_t number) {
    Code code;
    code.number_ = number;
    return code;
  }
  // What another program says. Empty: no code. A word that the table lacks: unknown-code.
  static Code told(std::string_view word);

  constexpr std::uint32_t number() const { return number_; }
  constexpr bool empty() const { return number_ == 0; }
  // "no-capacity"; empty where there is no code.
  std::string word() const;
  // Of a call of HTTP that is refused with the code; `otherwise`: where the table gives the code no status.
  unsigned status(unsigned otherwise = 400) const;
  // What to do, as the table has it; empty for a number that the table lacks.
  std::string_view advice() const;

  constexpr bool operator==(const Code&) const = default;
  constexpr auto operator<=>(const Code&) const = default;

 private:
  std::uint32_t number_ = 0;
};

inline std::string operator+(const std::string& text, Code code) { return text + code.word(); }
inline std::string operator+(const char* text, Code code) { return text + code.word(); }
inline std::string operator+(Code code, const std::string& text) { return code.word() + text; }
inline std::string operator+(Code code, const char* text) { return code.word() + text; }
inline std::ostream& operator<<(std::ostream& out, Code code) { return out << code.word(); }

}  // namespace berth
