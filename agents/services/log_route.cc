#include "agents/services/log_route.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "events/codec/log_page.h"

namespace berth::agents {
namespace {

template <class Number>
std::optional<Number> number(const KernelQuestion& question, const char* name, Number absent) {
  const auto found = question.options.find(name);
  if (found == question.options.end()) return absent;
  Number value = 0;
  const char* const end = found->second.data() + found->second.size();
  const auto parsed = std::from_chars(found->second.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

void give(const std::shared_ptr<tunnel::Stream>& stream, Result<LogPage> page) {
  if (!page) return refuse(stream, 404, page.error());
  stream->answer(
      {200,
       {{kLogNextHeader, std::to_string(page->next)}, {kLogEndedHeader, page->ended ? "true" : "false"}}});
  finish_with(stream, std::move(page->bytes));
}

}  // namespace

KernelRoute log_route(ReadLog read_log) {
  return [read_log = std::move(read_log)](const KernelQuestion& question,
                                          const std::shared_ptr<tunnel::Stream>& stream) {
    const auto offset = number<std::int64_t>(question, "offset", 0);
    const auto limit = number<std::size_t>(question, "limit", kLogPageBytesMax);
    if (!offset || !limit)
      return refuse(stream, 400, make_error("bad-request", "offset and limit of a log are whole numbers"));
    read_log(question.kernel, *offset, std::min<std::size_t>(*limit, kLogPageBytesMax),
             [stream](Result<LogPage> page) { give(stream, std::move(page)); });
  };
}

}  // namespace berth::agents
