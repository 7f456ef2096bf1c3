#include "ops/cli/command/journal_pages.h"

#include "ops/cli/output/json_text.h"

namespace berth::cli {

std::optional<std::string> base64_decoded(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = i < text.size() - padding ? kDigits.find(text[i]) : 0;
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (i % 4 == 3) {
      for (int shift = 16; shift >= 0; shift -= 8) out += static_cast<char>(bits >> shift & 255);
      bits = 0;
    }
  }
  out.resize(out.size() - padding);
  return out;
}

namespace {

// An empty page before the end says nothing of it, but where the log says so itself.
Failure no_more(Offset next, Offset end, Offset log_end) {
  if (log_end <= next)
    return {kFailed,
            "log-truncated",
            "the journal ends at " + std::to_string(log_end) + ", and the server had read up to " +
                std::to_string(end),
            "ops/runbooks/truncated-journal.md",
            {}};
  return {kUnreachable,
          "log-unavailable",
          "the server gave no record at offset " + std::to_string(next) + ", and the journal goes on to " +
              std::to_string(end),
          "the log does not answer for now: ask again",
          {}};
}

}  // namespace

Outcome<JournalRead> read_journal(
    Api& api, Offset from, std::optional<Offset> to,
    const std::function<Outcome<bool>(const Uuid& cluster, const JournalEntry&)>& on_entry) {
  JournalRead read;
  read.next = from;
  const auto broken = [](const std::string& why) {
    return Failure{kFailed, "journal-page-malformed", why, "server and CLI of different versions?", {}};
  };
  std::optional<Offset> end = to;
  for (;;) {
    const auto reply =
        api.get(with_query("/v1/journal", {{"from", std::to_string(read.next)}, {"limit", "1000"}}));
    if (!reply) return reply.failure();
    const auto cluster = Uuid::parse(text_at(reply->body, "cluster_id"));
    if (!cluster) return broken("the page names no cluster");
    read.cluster = *cluster;
    if (!end)
      end =
          static_cast<Offset>(integer_at(reply->body, "end"));  // what came later belongs to a later reading
    for (const auto& record : array_at(reply->body, "records")) {
      const auto offset = static_cast<Offset>(integer_at(record, "offset"));
      if (offset >= *end) return read;
      if (offset != read.next)
        return broken("offset " + std::to_string(offset) + " follows " + std::to_string(read.next) +
                      ": a hole");
      const auto* payload = find_path(record, "payload");
      const bool gap = payload != nullptr && payload->is_null();
      auto more =
          on_entry(read.cluster, {offset, gap ? std::nullopt : std::optional(text_at(record, "payload"))});
      if (!more) return more.failure();
      read.next = offset + 1;
      if (!*more) return read;
    }
    if (read.next >= *end) return read;
    if (array_at(reply->body, "records").empty())
      return no_more(read.next, *end, static_cast<Offset>(integer_at(reply->body, "end")));
  }
}

}  // namespace berth::cli
