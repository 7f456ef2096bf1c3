// LogScope: what the lines of this thread are about, for as long as it lives: {"session": "...", "trace":
// "..."}. They are fields of a line in JSON; lines for people say what they mean themselves.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace berth {

using LogFields = std::vector<std::pair<const char*, std::string>>;

class LogScope {
 public:
  // An empty value is no field. Names are literals, and none of time, level, program, msg.
  LogScope(std::initializer_list<std::pair<const char*, std::string>> fields);
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

  // Of the calling thread, outermost first.
  static const LogFields& fields();

 private:
  std::size_t before_;
};

}  // namespace berth
