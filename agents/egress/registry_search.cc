#include "agents/egress/registry_search.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <optional>

#include "agents/egress/address_kind.h"
#include "agents/egress/site_url.h"

namespace berth::agents {
namespace {

constexpr std::size_t kHostsOfIndexMax = 16;  // of one page, so that a page cannot fill the list

// Arguments: the bundle of certificates or "", then the indexes; "" is pip's own default. Prints a line
// "index URL" for each index, then "file URL" for each site on which files of the page lie; "silent URL" for
// an index that did not answer. The page is that of pip itself, which an index that mirrors others has.
constexpr const char* kAskIndexes = R"python(
import html, re, ssl, sys, urllib.error, urllib.parse, urllib.request
context = ssl.create_default_context(cafile=sys.argv[1] or None)
for index in sys.argv[2:]:
    if not index:
        try:
            from pip._internal.models.index import PyPI
            index = PyPI.simple_url
        except Exception:
            print("no-pip -")
            continue
    print("index", index)
    page = index.rstrip("/") + "/pip/"
    request = urllib.request.Request(page, headers={"Accept": "text/html"})
    try:
        with urllib.request.urlopen(request, timeout=20, context=context) as reply:
            text, page = reply.read(4 << 20).decode("utf-8", "replace"), reply.geturl()
    except urllib.error.HTTPError:
        continue
    except Exception:
        print("silent", index)
        continue
    sites = set()
    for link in re.findall(r"<a\s[^>]*href=[\"']([^\"']+)", text):
        try:
            parts = urllib.parse.urlsplit(urllib.parse.urljoin(page, html.unescape(link)))
            sites.add(parts.scheme + "://" + parts.netloc.rpartition("@")[2] + "/")
        except ValueError:
            pass
    for site in sorted(sites):
        print("file", site)
)python";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

class Search {
 public:
  Search(const RegistrySettings& settings, const SearchTools& tools) : settings_(settings), tools_(tools) {
    found_.allowed = settings.allowed;
  }

  Found run() {
    ask_indexes();
    if (settings_.asks_npm) ask_npm();
    return std::move(found_);
  }

 private:
  void ask_indexes() {
    std::vector<std::string> words{"python3", "-c", kAskIndexes, settings_.ca_bundle};
    if (settings_.asks_pip) words.emplace_back();
    words.insert(words.end(), settings_.indexes.begin(), settings_.indexes.end());
    const bool asks = words.size() > 4;
    if (!asks) return;
    const ToolResult asked = tools_.run(words);
    if (!asked.ended || asked.exit_code != 0) {
      found_.notes.emplace_back("the hosts of pip's indexes are not known: python3 cannot be run");
      return;
    }
    bool index_private = false;
    std::size_t hosts = 0;
    for (const std::string& line : lines_of(asked.output)) {
      const std::size_t blank = line.find(' ');
      if (blank == std::string::npos) continue;
      const std::string what = line.substr(0, blank);
      const auto url = parse_site_url(std::string_view(line).substr(blank + 1));
      if (what == "no-pip") found_.notes.emplace_back("pip is not installed: its own index is not known");
      if (what == "silent") {
        found_.whole = false;
        if (url) found_.notes.push_back("the index at " + url->host + " does not answer");
      }
      if (!url) continue;
      if (what == "index") {
        index_private = tools_.is_private(url->host);
        hosts = 0;
        allow(*url, index_private);
      } else if (what == "file" && ++hosts <= kHostsOfIndexMax) {
        allow(*url, index_private && tools_.is_private(url->host));
      }
    }
  }

  void ask_npm() {
    const ToolResult asked = tools_.run({"npm", "config", "get", "registry"});
    const auto lines = lines_of(asked.output);
    const auto url =
        asked.ended && asked.exit_code == 0 && !lines.empty() ? parse_site_url(lines.back()) : std::nullopt;
    if (url)
      allow(*url, tools_.is_private(url->host));
    else
      found_.notes.emplace_back("npm is not installed: its own registry is not known");
  }

  void allow(const SiteUrl& url, bool may_be_private) {
    if (found_.allowed.find(url.host, url.port) != nullptr) return;
    if (!found_.allowed.add(url.host, url.port, may_be_private))
      found_.notes.push_back(url.host + " is left out: the list is full");
  }

  const RegistrySettings& settings_;
  const SearchTools& tools_;
  Found found_;
};

bool leads_into_private(const std::string& host) {
  boost::asio::io_context io;
  boost::system::error_code error;
  boost::asio::ip::tcp::resolver resolver(io);
  const auto found = resolver.resolve(host, "", error);
  return !error && std::any_of(found.begin(), found.end(), [](const auto& one) {
    return kind_of(one.endpoint().address()) == AddressKind::kPrivate;
  });
}

}  // namespace

SearchTools own_tools(const std::atomic<bool>& cancel) {
  return {[&cancel](const std::vector<std::string>& words) { return run_tool(words, cancel, [] {}); },
          // A name that nobody answers for takes seconds, which one that stops does not wait for each time.
          [&cancel](const std::string& host) { return !cancel && leads_into_private(host); }};
}

Found search_registries(const RegistrySettings& settings, const SearchTools& tools) {
  return Search(settings, tools).run();
}

}  // namespace berth::agents
