#include "ops/cli/session/kernel_log.h"

#include <algorithm>
#include <utility>

#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

constexpr std::uint64_t kPage = 262'144;  // bytes of a reply

// The place in `bytes` where the last `lines` of its lines begin; none if it has fewer, then `lines` is what
// is still wanted of the bytes before. `last`: the log ends with these bytes, so a line end there begins no
// line.
std::optional<std::size_t> find_lines(std::string_view bytes, std::uint64_t& lines, bool last) {
  for (std::size_t at = bytes.size(); at-- > 0;) {
    if (bytes[at] != '\n' || (last && at + 1 == bytes.size())) continue;
    if (--lines == 0) return at + 1;
  }
  return std::nullopt;
}

}  // namespace

KernelLog::KernelLog(Shell& shell, Api& api, std::string session, std::string kernel,
                     std::optional<std::uint64_t> tail)
    : shell_(shell), api_(api), session_(std::move(session)), kernel_(std::move(kernel)), tail_(tail) {}

Outcome<ApiReply> KernelLog::get(const std::string& offset, std::uint64_t limit) {
  return api_.get_bytes(
      with_query("/v1/sessions/" + percent_encoded(session_) + "/logs",
                 {{"kernel", kernel_}, {"offset", offset}, {"limit", std::to_string(limit)}}));
}

// Reads the log backwards, a page at a time: the API counts bytes. Where older output was dropped, a page
// begins later than asked, with a line that says so; then all that is left is printed, from 0 on.
Outcome<std::string> KernelLog::start_of_tail(std::uint64_t lines) {
  auto page = get("-" + std::to_string(kPage), kPage);
  std::uint64_t end = UINT64_MAX;  // of the bytes that were not looked at
  for (bool last = true;; last = false) {
    if (!page) return page.failure();
    const auto next = static_cast<std::uint64_t>(
        integer_at(boost::json::object{{"next", page->http.header("x-berth-log-next")}}, "next"));
    const bool dropped = next > end;
    std::string_view bytes = page->raw;
    bytes.remove_suffix(std::min<std::size_t>(bytes.size(), dropped ? next - end : 0));
    end = std::min(end, next);
    any_ = any_ || end > 0;
    if (lines == 0) return std::to_string(end);
    if (const auto start = find_lines(bytes, lines, last))
      return std::to_string(end - (bytes.size() - *start));
    if (dropped || bytes.empty() || bytes.size() >= end) return std::string("0");
    end -= bytes.size();
    const std::uint64_t before = end > kPage ? end - kPage : 0;
    page = get(std::to_string(before), end - before);
  }
}

Outcome<bool> KernelLog::print() {
  if (tail_) {
    const auto start = start_of_tail(*std::exchange(tail_, std::nullopt));
    if (!start) return start.failure();
    offset_ = *start;
  }
  for (;;) {
    const auto reply = get(offset_, kPage);
    if (!reply) return reply.failure();
    const std::string& bytes = reply->raw;
    shell_.out() << (shell_.world().out_is_terminal ? terminal_.shown(bytes) : bytes) << std::flush;
    any_ = any_ || !bytes.empty();
    if (!bytes.empty()) last_ = bytes.back();
    const std::string next = reply->http.header("x-berth-log-next");
    if (reply->http.header("x-berth-log-end") == "true" || next.empty() || !shell_.out()) return true;
    const bool moved = next != offset_ && !bytes.empty();
    offset_ = next;
    if (!moved) return false;
  }
}

void KernelLog::end_line() {
  if (last_ != '\n' && shell_.world().out_is_terminal) shell_.out() << std::endl;
  last_ = '\n';
}

}  // namespace berth::cli
