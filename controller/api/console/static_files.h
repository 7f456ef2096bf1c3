// StaticFiles: the console's built files in memory, read once. Immutable after reading, thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "controller/api/http/http.h"
#include "events/base/result.h"

namespace berth::controller::api {

class StaticFiles {
 public:
  // One content as it is sent, and its name for caches.
  struct Body {
    std::string bytes;
    std::string etag;
  };
  struct File {
    std::string type;
    bool immutable = false;  // its name has a hash of it
    Body plain;
    Body gzip;    // FILE.gz; no bytes: there is none
    Body brotli;  // FILE.br
  };

  // Files of the folder and of those below it; links and names that begin with a dot are left out. Codes:
  // console-unreadable, console-too-large.
  static Result<StaticFiles> read(const std::string& folder);

  bool has_console() const { return find("index.html") != nullptr; }
  // "assets/index-1a2b3c4d.js"; nullptr if there is none.
  const File* find(std::string_view path) const;

 private:
  std::map<std::string, File, std::less<>> files_;
};

// 200 with what the client can unpack, or 304. `forms_to`: another source that forms of the page may be sent
// to
// ("http://*.localhost:7410"), which learns this page's origin then; empty: none.
HttpReply file_reply(const StaticFiles::File& file, const HttpRequest& request,
                     const std::string& forms_to = {});
// A page that this server writes itself.
HttpReply page_reply(unsigned status, std::string html);

}  // namespace berth::controller::api
