#include "agents/egress/registry_settings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "agents/egress/site_url.h"
#include "agents/kernel/shim/system.h"
#include "events/base/files/home_folder.h"
#include "events/inside/messages.h"

namespace berth::agents {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileMax = 4 << 20;  // bytes of a settings file, or of a bundle

// What is no regular file, is too large or cannot be read is as if it were not there.
std::optional<std::string> read_small_file(const std::string& path) {
  std::error_code error;
  if (path.empty() || !fs::is_regular_file(path, error) || fs::file_size(path, error) > kFileMax || error)
    return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(kFileMax, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return file.bad() ? std::nullopt : std::optional(std::move(text));
}

class Reader {
 public:
  explicit Reader(const SettingsPlaces& places) : places_(places), home_(variable("HOME")) {}

  RegistrySettings read() {
    read_pip();
    read_npm();
    read_apt();
    find_bundle();
    return std::move(settings_);
  }

 private:
  std::string variable(std::string_view name) const {
    const auto found = places_.variables.find(name);
    return found == places_.variables.end() ? "" : found->second;
  }
  std::string in_home(const char* path) const { return home_.empty() ? "" : home_ + path; }
  std::optional<std::string> text_of(const std::string& path) const {
    return path.empty() ? std::nullopt : read_small_file(places_.root + path);
  }

  // The URL as kernels may have it; nullopt: it is none.
  std::optional<std::string> allow(const char* tool, const std::string& text) {
    const auto url = parse_site_url(text);
    if (!url) {
      settings_.notes.push_back(std::string("a registry of ") + tool +
                                " is no http or https URL and is left out");
      return std::nullopt;
    }
    if (!settings_.allowed.add(url->host, url->port, true))
      settings_.notes.push_back(url->host + " is left out: the list is full");
    if (url->had_credentials)
      settings_.notes.push_back("the password of " + url->host + " is not given to kernels");
    return url->text;
  }

  void read_pip() {
    PipSettings pip;
    const std::string own = variable("PIP_CONFIG_FILE");
    const std::string config = variable("XDG_CONFIG_HOME");
    if (own != "/dev/null")
      for (const std::string& path :
           {std::string("/etc/xdg/pip/pip.conf"), std::string("/etc/pip.conf"), in_home("/.pip/pip.conf"),
            config.empty() ? in_home("/.config/pip/pip.conf") : config + "/pip/pip.conf", own})
        if (const auto text = text_of(path)) read_pip_conf(*text, pip);
    read_pip_variables(places_.variables, pip);
    cert_ = pip.cert;
    settings_.asks_pip = pip.index.empty();
    if (!pip.index.empty()) {
      if (const auto url = allow("pip", pip.index)) {
        settings_.indexes.push_back(*url);
        settings_.variables.push_back("PIP_INDEX_URL=" + *url);
      }
    }
    std::string extras;
    for (const std::string& extra : pip.extras) {
      const auto url = allow("pip", extra);
      if (!url) continue;
      settings_.indexes.push_back(*url);
      extras += (extras.empty() ? "" : " ") + *url;
    }
    if (!extras.empty()) settings_.variables.push_back("PIP_EXTRA_INDEX_URL=" + extras);
  }

  void read_npm() {
    NpmSettings npm;
    const std::string global = variable("NPM_CONFIG_GLOBALCONFIG"), user = variable("NPM_CONFIG_USERCONFIG");
    for (const std::string& path :
         {global.empty() ? std::string("/etc/npmrc") : global, user.empty() ? in_home("/.npmrc") : user})
      if (const auto text = text_of(path)) read_npmrc(*text, places_.variables, npm);
    read_npm_variables(places_.variables, npm);
    npm_cafile_ = npm.cafile;
    settings_.asks_npm = npm.registry.empty();
    if (!npm.registry.empty())
      if (const auto url = allow("npm", npm.registry))
        settings_.variables.push_back("NPM_CONFIG_REGISTRY=" + *url);
    for (const std::string& scope : npm.scopes) allow("npm", scope);
  }

  void read_apt() {
    std::vector<std::string> urls;
    if (const auto text = text_of("/etc/apt/sources.list")) read_apt_list(*text, urls);
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(places_.root + "/etc/apt/sources.list.d", error))
      names.push_back("/etc/apt/sources.list.d/" + entry.path().filename().string());
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const bool list = name.ends_with(".list"), sources = name.ends_with(".sources");
      const auto text = list || sources ? text_of(name) : std::nullopt;
      if (text && list) read_apt_list(*text, urls);
      if (text && sources) read_apt_sources(*text, urls);
    }
    // cdrom:, mirror: and file: lead nowhere outside this machine.
    for (const std::string& url : urls)
      if (url.starts_with("http")) allow("apt", url);
  }

  // The first that is a bundle of certificates and holds no key.
  void find_bundle() {
    for (const std::string& path :
         {cert_, variable("SSL_CERT_FILE"), variable("REQUESTS_CA_BUNDLE"), variable("CURL_CA_BUNDLE"),
          npm_cafile_, std::string("/etc/ssl/certs/ca-certificates.crt"),
          std::string("/etc/pki/tls/certs/ca-bundle.crt"), std::string("/etc/ssl/cert.pem")}) {
      const auto text = text_of(path);
      if (!text || text->find("-----BEGIN CERTIFICATE-----") == std::string::npos) continue;
      if (text->find("PRIVATE KEY-----") != std::string::npos) {
        settings_.notes.push_back(path + " holds a private key and is not given to kernels");
        continue;
      }
      settings_.ca_bundle = places_.root + path;
      return;
    }
  }

  const SettingsPlaces& places_;
  const std::string home_;
  std::string cert_, npm_cafile_;
  RegistrySettings settings_;
};

}  // namespace

SettingsPlaces own_places() {
  SettingsPlaces places;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      places.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  places.variables["HOME"] = home_folder();
  return places;
}

RegistrySettings read_registry_settings(const SettingsPlaces& places) { return Reader(places).read(); }

Result<std::string> copy_bundle(const RegistrySettings& settings, const std::string& folder) {
  if (settings.ca_bundle.empty()) return std::string();
  const auto text = read_small_file(settings.ca_bundle);
  const std::string path = folder + "/egress-ca.crt";
  if (text && shim::write_aside(path, path + ".new", *text) && chmod(path.c_str(), 0644) == 0) return path;
  return make_error("ca-bundle-failed", "kernels do not get the certificates of " + settings.ca_bundle +
                                            ": they cannot be copied to " + path);
}

std::vector<std::string> egress_variables(const RegistrySettings& settings, bool has_bundle) {
  std::vector<std::string> variables;
  const std::string proxy = "http://127.0.0.1:" + std::to_string(inside::kEgressPort);
  for (const char* name : {"HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"})
    variables.push_back(std::string(name) + "=" + proxy);
  for (const char* name : {"NO_PROXY", "no_proxy"})
    variables.push_back(std::string(name) + "=localhost,127.0.0.1,::1");
  variables.insert(variables.end(), settings.variables.begin(), settings.variables.end());
  if (has_bundle)
    for (const char* name : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CURL_CA_BUNDLE",
                             "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS"})
      variables.push_back(std::string(name) + "=" + kCaBundleInside);
  return variables;
}

}  // namespace berth::agents
