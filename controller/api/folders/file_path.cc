#include "controller/api/folders/file_path.h"

#include "events/codec/file_service.h"

namespace berth::controller::api {
namespace {

constexpr const char* kHint = "relative, parts split by '/', none of them '.' or '..'";

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
         c == '.';
}

}  // namespace

std::string read_path(Query& query, std::string_view name) {
  const std::string path = query.text(name, kFilePathBytesMax).value_or("");
  const auto problem = problem_of_file_path(path);
  if (!problem) return path;
  query.fail("path-invalid", name, *problem, kHint);
  return {};
}

std::string read_path(ObjectReader& in, std::string_view name) {
  const std::string path = in.text(name, kFilePathBytesMax).value_or("");
  const auto problem = problem_of_file_path(path);
  if (!problem) return path;
  in.fail("path-invalid", name, *problem, kHint);
  return {};
}

std::string disposition_of(const std::string& path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const std::string name = path.substr(path.rfind('/') + 1);
  std::string plain, encoded;
  for (const char c : name) {
    plain += is_plain(c) ? c : '_';
    if (is_plain(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + encoded;
}

}  // namespace berth::controller::api
