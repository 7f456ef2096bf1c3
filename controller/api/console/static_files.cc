#include "controller/api/console/static_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "controller/api/auth/trimmed.h"
#include "events/base/hash.h"

namespace berth::controller::api {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilesMax = 2'000;
constexpr std::uintmax_t kBytesMax = 64u << 20;  // of all

// Styles are written into elements by the console's widgets; everything else comes from files of this server.
constexpr const char* kPolicy =
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri "
    "'none'; frame-ancestors 'none'; form-action 'self'";

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTypes = {
    {{".html", "text/html; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".json", "application/json"},
     {".map", "application/json"},
     {".svg", "image/svg+xml"},
     {".png", "image/png"},
     {".ico", "image/x-icon"},
     {".woff2", "font/woff2"},
     {".txt", "text/plain; charset=utf-8"},
     {".webmanifest", "application/manifest+json"},
     {".wasm", "application/wasm"}}};

std::string type_of(std::string_view path) {
  for (const auto& [ending, type] : kTypes)
    if (path.ends_with(ending)) return std::string(type);
  return "application/octet-stream";
}

std::optional<std::string> contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) return std::nullopt;
  return bytes;
}

StaticFiles::Body body_of(std::string bytes) {
  std::string etag = "\"" + to_hex(as_view(blake2b_128(bytes))) + "\"";
  return {std::move(bytes), std::move(etag)};
}

// "gzip, br;q=0": gzip yes, br no.
bool accepts(std::string_view header, std::string_view coding) {
  while (!header.empty()) {
    const auto end = header.find(',');
    const std::string_view item = trimmed(header.substr(0, end));
    header = end == std::string_view::npos ? std::string_view() : header.substr(end + 1);
    const auto mark = item.find(';');
    if (trimmed(item.substr(0, mark)) != coding) continue;
    const std::string_view weight = mark == std::string_view::npos ? "" : trimmed(item.substr(mark + 1));
    return weight != "q=0" && weight != "q=0.0";
  }
  return false;
}

void add_policy(HttpReply& reply, const std::string& forms_to = {}) {
  reply.set("Content-Security-Policy", forms_to.empty() ? kPolicy : kPolicy + (" " + forms_to));
  // A page that opens one of ours holds no window of it: it can neither lead it elsewhere nor send it
  // messages.
  reply.set("Cross-Origin-Opener-Policy", "same-origin");
  // Without a referrer a browser says no Origin with a form, either.
  if (!forms_to.empty()) reply.set("Referrer-Policy", "strict-origin");
}

}  // namespace

Result<StaticFiles> StaticFiles::read(const std::string& folder) {
  StaticFiles out;
  std::map<std::string, std::string> found;
  std::uintmax_t bytes = 0;
  std::error_code error;
  const auto failed = [&folder](const std::string& why) {
    return make_error("console-unreadable", folder + ": " + why,
                      "--console names the folder of the built console");
  };
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_symlink(error) || !entry->is_regular_file(error)) continue;
    const std::string path = entry->path().lexically_relative(folder).generic_string();
    if (path.starts_with('.') || path.find("/.") != std::string::npos) continue;
    bytes += entry->file_size(error);
    if (found.size() >= kFilesMax || bytes > kBytesMax)
      return make_error("console-too-large", folder + " has more than 2000 files or 64 MiB",
                        "is it the folder of the built console?");
    auto contents = contents_of(entry->path());
    if (!contents) return failed("cannot read " + path);
    found[path] = std::move(*contents);
  }
  if (error) return failed(error.message());
  for (auto& [path, contents] : found) {
    if (path.ends_with(".gz") || path.ends_with(".br")) continue;
    File& file = out.files_[path];
    file.type = type_of(path);
    file.immutable = path.starts_with("assets/");
    file.plain = body_of(std::move(contents));
    if (const auto packed = found.find(path + ".gz"); packed != found.end())
      file.gzip = body_of(packed->second);
    if (const auto packed = found.find(path + ".br"); packed != found.end())
      file.brotli = body_of(packed->second);
  }
  return out;
}

const StaticFiles::File* StaticFiles::find(std::string_view path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : &found->second;
}

HttpReply file_reply(const StaticFiles::File& file, const HttpRequest& request, const std::string& forms_to) {
  HttpReply reply;
  reply.content_type = file.type;
  add_policy(reply, forms_to);
  reply.set("Cache-Control", file.immutable ? "public, max-age=31536000, immutable" : "no-cache");
  reply.set("Vary", "Accept-Encoding");
  const StaticFiles::Body* body = &file.plain;
  if (!file.brotli.bytes.empty() && accepts(request.accept_encoding, "br"))
    body = &file.brotli, reply.set("Content-Encoding", "br");
  else if (!file.gzip.bytes.empty() && accepts(request.accept_encoding, "gzip"))
    body = &file.gzip, reply.set("Content-Encoding", "gzip");
  reply.set("ETag", body->etag);
  if (request.if_none_match.find(body->etag) != std::string::npos)
    reply.status = 304;
  else
    reply.body = body->bytes;
  return reply;
}

HttpReply page_reply(unsigned status, std::string html) {
  HttpReply reply;
  reply.status = status;
  reply.content_type = "text/html; charset=utf-8";
  add_policy(reply);
  reply.body = std::move(html);
  return reply;
}

}  // namespace berth::controller::api
