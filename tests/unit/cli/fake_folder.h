// A server that keeps the files of one folder, "data", in memory, and whose connections a test cuts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "controller/api/auth/signature.h"
#include "ops/cli/http/transport_errors.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {

class FakeFolder {
 public:
  using Answer = std::optional<Result<HttpReply>>;

  std::map<std::string, std::string> files;
  std::set<std::string> folders{""};
  boost::json::array strange;  // further items of each list
  int not_utf8 = 0;
  std::uint64_t chunk_most = 0;  // the largest chunk that came
  bool knows_no_hash = false;    // of what came before a chunk
  int own_hashes = 0;            // chunks that came with their own SHA-256
  // Answers instead; and instead of what was done. None: nothing stands in between.
  std::function<Answer(const HttpRequest&)> before, after;

  Result<HttpReply> answer(const HttpRequest& request) {
    if (before)
      if (auto instead = before(request)) return *instead;
    Result<HttpReply> reply = handle(request);
    if (after)
      if (auto instead = after(request)) return *instead;
    return reply;
  }
  void forget_uploads() { uploads_.clear(); }
  std::size_t uploads() const { return uploads_.size(); }

  static Answer cut() { return Result<HttpReply>(unreachable_error("h", "1", "the connection broke")); }
  static bool is_chunk(const HttpRequest& request) { return request.method == "PUT"; }
  static bool is_range(const HttpRequest& request) { return !header_of(request, "Range").empty(); }

 private:
  struct Incoming {
    std::string path, sha256, bytes;
    std::uint64_t whole = 0;
    bool overwrite = false;
  };

  static std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '%') {
        out += text[i];
        continue;
      }
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    }
    return out;
  }
  static std::string parameter(const HttpRequest& request, const std::string& name) {
    const auto at = request.target.find(name + "=");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 1;
    return decoded(request.target.substr(begin, request.target.find('&', begin) - begin));
  }
  static HttpReply told(const boost::json::object& body, unsigned status = 200) {
    return json_reply(boost::json::serialize(body), status);
  }

  Result<HttpReply> handle(const HttpRequest& request) {
    const auto below = [&](const std::string& what) {
      return request.target.starts_with("/v1/folders/id-of-data" + what);
    };
    if (request.method == "GET" && request.target == "/v1/folders/data")
      return told({{"id", "id-of-data"}, {"name", "data"}, {"state", "READY"}});
    if (request.method == "POST" && below("/uploads/") && request.target.ends_with("/finish"))
      return finish(upload_of(request), boost::json::parse(request.body));
    if (request.method == "POST" && below("/uploads")) return begin(boost::json::parse(request.body));
    if (below("/uploads/")) return at_upload(request);
    if (request.method == "POST" && below("/files")) return change(boost::json::parse(request.body));
    if (below("/files")) return list(parameter(request, "path"), parameter(request, "after"));
    if (below("/file")) return read(parameter(request, "path"), header_of(request, "Range"));
    return problem(404, "unknown-folder");
  }

  HttpReply begin(const boost::json::value& what) {
    Incoming incoming{text_at(what, "path"),
                      text_at(what, "sha256"),
                      {},
                      static_cast<std::uint64_t>(integer_at(what, "bytes")),
                      true_at(what, "overwrite")};
    if (files.contains(incoming.path) && !incoming.overwrite) return problem(409, "path-exists");
    const auto slash = incoming.path.rfind('/');
    if (!folders.contains(slash == std::string::npos ? "" : incoming.path.substr(0, slash)))
      return problem(404, "unknown-path");
    const std::string id = "u" + std::to_string(++begun_);
    uploads_[id] = std::move(incoming);
    return told({{"upload", id}, {"offset", 0}});
  }
  static std::string upload_of(const HttpRequest& request) {
    const auto begin = request.target.find("/uploads/") + 9;
    return request.target.substr(begin, request.target.find_first_of("/?", begin) - begin);
  }
  HttpReply at_upload(const HttpRequest& request) {
    const auto found = uploads_.find(upload_of(request));
    if (found == uploads_.end()) return problem(404, "unknown-upload");
    Incoming& incoming = found->second;
    if (request.method == "DELETE") {
      uploads_.erase(found);
      return told({});
    }
    if (request.method == "PUT") {
      chunk_most = std::max<std::uint64_t>(chunk_most, request.body.size());
      if (parameter(request, "offset") != std::to_string(incoming.bytes.size()))
        return problem(409, "offset-differs");
      const bool so_far = parameter(request, "so_far") == "true";
      if (so_far && knows_no_hash && !incoming.bytes.empty()) return problem(409, "checksum-unknown");
      own_hashes += so_far ? 0 : 1;
      const std::string hashed = so_far ? incoming.bytes + request.body : request.body;
      if (header_of(request, "X-Berth-Content-SHA256") != controller::api::sha256_hex(hashed))
        return problem(422, "checksum-differs");
      incoming.bytes += request.body;
    }
    return told({{"offset", incoming.bytes.size()}});
  }
  HttpReply finish(const std::string& id, const boost::json::value& what) {
    if (finished_.contains(id)) return told({{"upload", id}});  // asked again
    const auto found = uploads_.find(id);
    if (found == uploads_.end()) return problem(404, "unknown-upload");
    Incoming incoming = found->second;
    if (incoming.sha256.empty()) incoming.sha256 = text_at(what, "sha256");
    if (incoming.bytes.size() != incoming.whole ||
        controller::api::sha256_hex(incoming.bytes) != incoming.sha256)
      return problem(422, "checksum-differs");
    files[incoming.path] = incoming.bytes;
    uploads_.erase(found);
    finished_.insert(id);
    return told({{"name", incoming.path}, {"bytes", incoming.whole}});
  }
  HttpReply change(const boost::json::value& what) {
    const std::string op = text_at(what, "op"), path = text_at(what, "path");
    if (op != "mkdir") return told({});
    if (files.contains(path) || !folders.insert(path).second) return problem(409, "path-exists");
    return told({});
  }
  HttpReply list(const std::string& path, const std::string& behind) {
    if (files.contains(path)) return problem(409, "not-a-folder");
    if (!folders.contains(path)) return problem(404, "unknown-path");
    std::map<std::string, boost::json::object> items;
    const auto add = [&](const std::string& one, boost::json::object item) {
      const auto slash = one.rfind('/');
      const std::string name = slash == std::string::npos ? one : one.substr(slash + 1);
      const bool lies_here = (slash == std::string::npos ? "" : one.substr(0, slash)) == path;
      if (one.empty() || !lies_here || name <= behind) return;
      item["name"] = name;
      item["modified_at"] = "2026-01-01T00:00:00Z";
      items[name] = std::move(item);
    };
    for (const auto& [one, bytes] : files) add(one, {{"type", "file"}, {"bytes", bytes.size()}});
    for (const auto& one : folders) add(one, {{"type", "folder"}, {"bytes", 0}});
    boost::json::array page;  // of two names, so that there are several
    for (const auto& [name, item] : items)
      if (page.size() < 2) page.push_back(item);
    const bool more = items.size() > page.size();
    const boost::json::value next = more ? page.back().at("name") : boost::json::value(nullptr);
    if (!more && path.empty())
      for (const auto& item : strange) page.push_back(item);
    return told({{"items", std::move(page)}, {"next", next}, {"not_utf8", not_utf8}});
  }
  HttpReply read(const std::string& path, const std::string& range) {
    if (folders.contains(path)) return problem(409, "not-a-file");
    if (!files.contains(path)) return problem(404, "unknown-path");
    const std::string& bytes = files[path];
    const auto dash = range.find('-');
    const std::uint64_t first = std::stoull(range.substr(6, dash - 6));
    if (first >= bytes.size()) return problem(416, "range-invalid");
    const std::uint64_t last = std::min<std::uint64_t>(std::stoull(range.substr(dash + 1)), bytes.size() - 1);
    return {206,
            {{"content-type", "application/octet-stream"},
             {"content-range", "bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" +
                                   std::to_string(bytes.size())},
             {"etag", controller::api::sha256_hex(bytes)}},
            bytes.substr(first, last - first + 1)};
  }

  std::map<std::string, Incoming> uploads_;
  std::set<std::string> finished_;
  int begun_ = 0;
};

}  // namespace berth::cli
