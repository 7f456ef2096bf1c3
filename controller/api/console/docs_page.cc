#include "controller/api/console/docs_page.h"

#include <boost/json.hpp>

#include "controller/api/routes/openapi.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string page(const std::string& title, const std::string& body) {
  return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
         "</title><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><style>"
         "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
         "color-scheme:light dark}table{border-collapse:collapse}td{padding:.2rem .8rem .2rem 0;"
         "vertical-align:top}code{overflow-wrap:anywhere}</style></head><body>" +
         body + "</body></html>\n";
}

std::string operations() {
  std::string rows;
  const json::value document = json::parse(openapi_text());
  for (const auto& path : document.at("paths").as_object())
    for (const auto& operation : path.value().as_object())
      rows += "<tr><td><code>" + upper(operation.key()) + "</code></td><td><code>" + escaped(path.key()) +
              "</code></td><td>" + escaped(std::string(operation.value().at("summary").as_string())) +
              "</td></tr>\n";
  return rows;
}

}  // namespace

const std::string& docs_page() {
  static const std::string html =
      page("Berth API",
           "<h1>Berth API</h1><p>The whole description, with fields and examples: <a "
           "href=\"/openapi.json\">openapi.json</a> (OpenAPI 3.1).</p><table>\n" +
               operations() + "</table>");
  return html;
}

std::string no_console_page(const std::string& version) {
  return page("Berth",
              "<h1>Berth " + escaped(version) +
                  "</h1><p>This is the HTTP API of a cluster controller. This server was built without "
                  "the web console.</p><ul><li><a href=\"/docs\">What it can be asked</a></li><li>On a "
                  "terminal: <code>berth login URL</code>, then <code>berth --help</code></li></ul>");
}

}  // namespace berth::controller::api
