// JsonLines: one JSON object a line, for programs that read logs:
//
//   {"time":"2026-01-02T03:04:05.678Z","level":"warning","program":"berth-agent","msg":"...","session":"..."}
//
// Whatever bytes a message has, the line is well-formed: what is not UTF-8 becomes U+FFFD, a line break is
// escaped.
#pragma once

#include <spdlog/formatter.h>

#include <memory>
#include <string>
#include <string_view>

namespace berth {

// As a JSON string, with its quotes.
std::string json_quoted(std::string_view bytes);

class JsonLines final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override;
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonLines>(); }
};

}  // namespace berth
