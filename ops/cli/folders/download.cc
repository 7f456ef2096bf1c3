#include "ops/cli/folders/download.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "ops/cli/output/json_text.h"
#include "ops/cli/problem_codes.h"

namespace berth::cli {
namespace {

constexpr int kDownloadsMax = 3;  // of a file that changes while it comes

struct Range {
  std::uint64_t first = 0, last = 0, whole = 0;
};

// "bytes 0-99/1000"
std::optional<Range> range_of(std::string_view text) {
  Range range;
  const auto number = [&text](std::string_view before, std::uint64_t& value) {
    if (!text.starts_with(before)) return false;
    text.remove_prefix(before.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc();
  };
  const bool whole = number("bytes ", range.first) && number("-", range.last) && number("/", range.whole);
  return whole && text.empty() ? std::optional(range) : std::nullopt;
}

// No byte is at the offset: of an empty file that is all.
bool is_beyond_end(const Failure& failure) {
  boost::system::error_code error;
  return integer_at(boost::json::parse(failure.problem, error), "status") == 416;
}

Failure not_a_range() {
  return {kFailed, kNotBerthCode, "this is no answer of Berth: a range of a file was asked for", {}, {}};
}

}  // namespace

Download::Download(Shell& shell, FolderFiles& files, CopyProgress& progress)
    : files_(files), progress_(progress), patience_(shell, files.api()) {}

Outcome<bool> Download::run(const std::string& path, const Sink& sink) {
  std::uint64_t offset = 0;
  std::string etag;
  for (int starts = 1;;) {
    const auto piece = next(path, offset);
    if (!piece) return piece.failure();
    if (offset == 0) {
      etag = piece->etag;
      progress_.begin(path, piece->whole);
    }
    if (piece->offset != offset || piece->etag != etag || piece->whole < offset) {
      if (!sink.begin_again || starts++ == kDownloadsMax)
        return Failure{
            kFailed, "file-changed", "'" + path + "' was changed while it was copied", "copy it again", {}};
      if (const auto forgot = sink.begin_again(); !forgot) return forgot.failure();
      offset = 0;
      continue;
    }
    const auto taken = sink.take(piece->bytes);
    if (!taken || !*taken) return taken;
    progress_.add(piece->bytes.size());
    patience_.renew();
    offset += piece->bytes.size();
    if (offset == piece->whole) return true;
  }
}

Outcome<Download::Piece> Download::next(const std::string& path, std::uint64_t offset) {
  const std::string target = with_query(files_.target("/file"), {{"path", path}});
  for (;;) {
    auto reply = files_.api().get_range(target, offset, offset + range_ - 1);
    if (reply) {
      const std::string etag = reply->http.header("etag");
      const std::uint64_t size = reply->raw.size();
      if (reply->http.status == 200) return Piece{std::move(reply->raw), 0, size, etag};
      const auto range = range_of(reply->http.header("content-range"));
      const bool fits = range && range->first == offset && size > 0 &&
                        range->last - range->first == size - 1 && range->last < range->whole;
      if (!fits) return not_a_range();
      return Piece{std::move(reply->raw), offset, range->whole, etag};
    }
    if (is_beyond_end(reply.failure())) return Piece{{}, offset == 0 ? 0 : offset + 1, 0, {}};
    if (auto over = patience_.after(reply.failure())) return std::move(*over);
    range_ = std::max(kRangeMin, range_ / 2);
  }
}

}  // namespace berth::cli
