#include "ops/cli/command/paging.h"

#include <algorithm>

#include "ops/cli/output/json_text.h"

namespace berth::cli {

Outcome<boost::json::array> get_all(Api& api, const std::string& target, const char* key, std::size_t max) {
  constexpr std::size_t kPage = 1000;
  boost::json::array all;
  std::string token;
  for (;;) {
    const std::size_t want = max == 0 ? kPage : std::min(kPage, max - all.size());
    const auto reply = having_list(
        api.get(with_query(target, {{"limit", std::to_string(want)}, {"page_token", token}})), key);
    if (!reply) return reply.failure();
    for (const auto& element : array_at(reply->body, key)) all.push_back(element);
    const std::string next = text_at(reply->body, "next_page_token");
    if (next.empty() || next == token || (max != 0 && all.size() >= max)) return all;
    token = next;
  }
}

}  // namespace berth::cli
