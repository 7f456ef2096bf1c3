#include "events/codec/image_labels.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "events/base/plain_text.h"
#include "events/base/strict_json.h"
#include "events/base/text.h"

namespace berth {
namespace {

namespace json = boost::json;

using Labels = std::map<std::string, std::string>;

constexpr std::string_view kAppsLabel = "berth.apps";
constexpr std::string_view kAppPrefix = "berth.app";  // of berth.apps too
constexpr std::string_view kMinimumLabel = "berth.min.mem";
constexpr std::string_view kRecommendedLabel = "berth.recommended.mem";
constexpr std::size_t kVariableMax = 64;  // bytes
constexpr std::uint16_t kReservedPorts[] = {2000, 2001, 2200, 7681};
constexpr std::pair<std::string_view, AppProtocol> kProtocols[] = {{"http", AppProtocol::kHttp},
                                                                   {"tcp", AppProtocol::kTcp},
                                                                   {"pty", AppProtocol::kPty},
                                                                   {"preopen", AppProtocol::kPreopen}};

Error bad_label(std::string_view label, const std::string& what, std::string hint = {}) {
  return make_error("image-label-invalid", "label " + clipped(label) + ": " + what, std::move(hint));
}

std::string in_quotes(std::string_view text) { return "'" + clipped(text) + "'"; }

constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyz-0123456789";
constexpr std::string_view kVariableCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

// Of these characters alone, and the first one no digit.
bool is_word_of(std::string_view characters, std::string_view text) {
  return !text.empty() && (text.front() < '0' || text.front() > '9') &&
         text.find_first_not_of(characters) == std::string_view::npos;
}

// An app is the first part of a host name, before "--" and the session; a number there is a port.
bool is_app_name(std::string_view name) {
  return is_word_of(kNameCharacters, name) && name.size() <= kAppNameMax && name.front() != '-' &&
         name.back() != '-' && name.find("--") == std::string_view::npos;
}

// A decimal number without sign and leading zero.
std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || text.front() == '0') return std::nullopt;
  return port;
}

// "NAME:PROTOCOL:PORT"
Result<ImageApp> parse_declaration(std::string_view text) {
  const auto bad = [](const std::string& what, std::string hint) {
    return bad_label(kAppsLabel, what, std::move(hint));
  };
  const std::size_t first = text.find(':'), last = text.rfind(':');
  if (first == last || text.find(':', first + 1) != last)
    return bad(in_quotes(text) + " is no app", "NAME:PROTOCOL:PORT, several parted by commas");
  ImageApp app;
  app.name = text.substr(0, first);
  if (!is_app_name(app.name))
    return bad(in_quotes(app.name) + " is no name of an app",
               "at most 29 of a-z, 0-9 and single '-' between them, beginning with a letter");
  if (app.name == "console") return bad("the name 'console' is Berth's own", "choose another one");
  const std::string_view protocol = text.substr(first + 1, last - first - 1);
  const auto* known =
      std::ranges::find(kProtocols, protocol, &std::pair<std::string_view, AppProtocol>::first);
  if (known == std::end(kProtocols))
    return bad("app " + app.name + ": " + in_quotes(protocol) + " is no protocol",
               "http, tcp, pty or preopen");
  app.protocol = known->second;
  const auto port = port_of(text.substr(last + 1));
  if (!port)
    return bad("app " + app.name + ": " + in_quotes(text.substr(last + 1)) + " is no port", "1 to 65535");
  if (is_reserved_port(*port))
    return bad("app " + app.name + ": port " + std::to_string(*port) + " is one of Berth's own",
               "any but 2000, 2001, 2200 and 7681");
  app.port = *port;
  return app;
}

Result<std::vector<ImageApp>> parse_apps(std::string_view text) {
  std::vector<ImageApp> apps;
  for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(',', begin);
    if (apps.size() == kImageAppsMax)
      return bad_label(kAppsLabel, "more than " + std::to_string(kImageAppsMax) + " apps");
    auto app = parse_declaration(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (!app.ok()) return app.error();
    for (const ImageApp& other : apps) {
      if (other.name == app->name) return bad_label(kAppsLabel, "app " + app->name + " is named twice");
      if (other.port == app->port)
        return bad_label(kAppsLabel, "apps " + other.name + " and " + app->name + " have one port, " +
                                         std::to_string(app->port));
    }
    apps.push_back(*std::move(app));
  }
  return apps;
}

Result<void> read_command(const std::string& label, const std::string& text, ImageApp& app) {
  constexpr char kForm[] = "a JSON array of strings, as [\"jupyter\",\"lab\"]";
  if (app.protocol == AppProtocol::kPreopen)
    return bad_label(label, "an app of protocol preopen has no command",
                     "the session's own program starts it");
  if (text.size() > kAppCommandMax)
    return bad_label(label, "longer than " + std::to_string(kAppCommandMax) + " bytes");
  const auto value = read_strict_json(text, 1);
  if (!value.ok()) return bad_label(label, value.error().message, kForm);
  const json::array* words = value->if_array();
  if (words == nullptr || words->empty()) return bad_label(label, "is no command", kForm);
  for (const json::value& word : *words) {
    if (!word.is_string()) return bad_label(label, "has an argument that is no string", kForm);
    const json::string& argument = word.get_string();
    if (argument.find('\0') != json::string::npos)
      return bad_label(label, "has an argument with a zero byte", kForm);
    app.command.emplace_back(argument);
  }
  if (app.command.front().empty()) return bad_label(label, "names no program", kForm);
  return {};
}

Result<void> read_title(const std::string& label, const std::string& text, ImageApp& app) {
  if (text.empty() || text.size() > kAppTitleMax || has_control_character(text))
    return bad_label(label, in_quotes(text) + " is no title", "1 to 64 bytes on one line");
  app.title = text;
  return {};
}

bool listens(const ImageApp& app) {
  return app.protocol == AppProtocol::kHttp || app.protocol == AppProtocol::kTcp;
}

// Absolute, and as the machine's kernel would write it: no "..", no empty part.
Result<void> read_socket(const std::string& label, const std::string& text, ImageApp& app) {
  if (!listens(app)) return bad_label(label, "only an app of protocol http or tcp listens on a socket");
  const std::string path = text + "/";
  if (text.empty() || text.size() > kAppSocketMax || text.front() != '/' || text.back() == '/' ||
      has_control_character(text) || path.find("//") != std::string::npos ||
      path.find("/./") != std::string::npos || path.find("/../") != std::string::npos)
    return bad_label(label, in_quotes(text) + " is no path of a socket",
                     "absolute, at most 107 bytes, without '.', '..' and '//'");
  app.socket = text;
  return {};
}

Result<void> read_token(const std::string& label, const std::string& text, ImageApp& app) {
  if (app.protocol != AppProtocol::kHttp)
    return bad_label(label, "only an app of protocol http is sent a token");
  if (!is_word_of(kVariableCharacters, text) || text.size() > kVariableMax)
    return bad_label(label, in_quotes(text) + " is no name of an environment variable",
                     "at most 64 of A-Z, 0-9 and '_', as JUPYTER_TOKEN");
  app.token_variable = text;
  return {};
}

// "berth.app.NAME.WHAT"
Result<void> read_app_label(const std::string& label, const std::string& text, std::vector<ImageApp>& apps) {
  constexpr std::pair<std::string_view, decltype(&read_command)> kReaders[] = {
      {"command", read_command}, {"title", read_title}, {"socket", read_socket}, {"token", read_token}};
  const std::string_view key = label, rest = key.substr(std::min(key.size(), kAppPrefix.size()));
  const std::size_t last = rest.rfind('.');
  if (!rest.starts_with('.') || last == 0)
    return bad_label(label, "is not known", "berth.apps, or berth.app.NAME.WHAT");
  const auto app = std::ranges::find(apps, rest.substr(1, last - 1), &ImageApp::name);
  if (app == apps.end()) return bad_label(label, "is of an app that berth.apps does not name");
  for (const auto& [what, read] : kReaders)
    if (what == rest.substr(last + 1)) return read(label, text, *app);
  return bad_label(label, "is not known", "of an app there are command, title, socket and token");
}

Result<Amount> read_memory(const Labels& labels, std::string_view name) {
  const auto found = labels.find(std::string(name));
  if (found == labels.end()) return Amount{0};
  const auto bytes = parse_amount(SlotKind::kBytes, found->second);
  if (!bytes.ok() || *bytes == 0 || *bytes > kAmountMax)
    return bad_label(name, in_quotes(found->second) + " is no amount of memory", "as 512m or 2g");
  return *bytes;
}

Result<void> check_whole(const std::vector<ImageApp>& apps) {
  for (std::size_t i = 0; i < apps.size(); ++i) {
    if (apps[i].command.empty() && apps[i].protocol != AppProtocol::kPreopen)
      return bad_label(kAppsLabel, "app " + apps[i].name + " has no command",
                       "label berth.app." + apps[i].name + ".command");
    for (std::size_t j = 0; j < i; ++j)
      if (!apps[i].socket.empty() && apps[i].socket == apps[j].socket)
        return bad_label(kAppsLabel, "apps " + apps[j].name + " and " + apps[i].name + " have one socket");
  }
  return {};
}

}  // namespace

std::string_view to_string(AppProtocol protocol) {
  for (const auto& [name, value] : kProtocols)
    if (value == protocol) return name;
  return "unknown";
}

const ImageApp* ImageLabels::app(std::string_view name) const {
  const auto found = std::ranges::find(apps, name, &ImageApp::name);
  return found == apps.end() ? nullptr : &*found;
}

bool is_reserved_port(std::uint16_t port) {
  return std::ranges::find(kReservedPorts, port) != std::end(kReservedPorts);
}

Result<ImageLabels> parse_image_labels(const Labels& labels) {
  ImageLabels image;
  if (const auto declared = labels.find(std::string(kAppsLabel)); declared != labels.end()) {
    auto apps = parse_apps(declared->second);
    if (!apps.ok()) return apps.error();
    image.apps = *std::move(apps);
  }
  for (auto label = labels.lower_bound(std::string(kAppPrefix));
       label != labels.end() && label->first.starts_with(kAppPrefix); ++label)
    if (label->first != kAppsLabel)
      if (auto read = read_app_label(label->first, label->second, image.apps); !read.ok())
        return read.error();
  if (auto whole = check_whole(image.apps); !whole.ok()) return whole.error();
  for (ImageApp& app : image.apps)
    if (app.title.empty()) app.title = app.name;

  const auto minimum = read_memory(labels, kMinimumLabel),
             recommended = read_memory(labels, kRecommendedLabel);
  if (!minimum.ok()) return minimum.error();
  if (!recommended.ok()) return recommended.error();
  if (*recommended != 0 && *recommended < *minimum)
    return bad_label(kRecommendedLabel, "is less than " + std::string(kMinimumLabel));
  image.memory_min = *minimum;
  image.memory_recommended = *recommended;
  return image;
}

}  // namespace berth
