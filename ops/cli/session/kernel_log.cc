#include "ops/cli/session/kernel_log.h"

#include <algorithm>
#include <utility>

namespace berth::cli {

namespace {

constexpr std::uint64_t kPage = 262'144;  // bytes of a reply

// Behind which byte of `bytes`, which end the log, the last `lines` lines begin, counted down to what is
// still wanted of those before; none: earlier. `last`: the log ends here, so a line end there begins no line.
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
  return api_.get(with_query("/v1/sessions/" + percent_encoded(session_) + "/logs",
                             {{"kernel", kernel_}, {"offset", offset}, {"limit", std::to_string(limit)}}));
}

// Reads the log backwards, a page at a time: the API counts bytes.
Outcome<std::string> KernelLog::start_of_tail(std::uint64_t lines) {
  auto page = get("-" + std::to_string(kPage), kPage);
  for (bool last = true;; last = false) {
    if (!page) return page.failure();
    const auto begin = static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, std::atoll(page->http.header("x-berth-log-offset").c_str())));
    any_ = any_ || begin > 0 || !page->raw.empty();
    if (lines == 0) return std::to_string(begin + page->raw.size());
    if (const auto start = find_lines(page->raw, lines, last)) return std::to_string(begin + *start);
    if (begin == 0 || page->raw.empty()) return std::to_string(begin);
    const std::uint64_t before = begin > kPage ? begin - kPage : 0;
    page = get(std::to_string(before), begin - before);
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
