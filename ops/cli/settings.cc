#include "ops/cli/settings.h"

#include <algorithm>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace berth::cli {
namespace {

const SettingKey* find_key(std::string_view name) {
  for (const auto& key : setting_keys())
    if (name == key.name) return &key;
  return nullptr;
}

std::string known_keys() {
  std::string text;
  for (const auto& key : setting_keys()) text += std::string(text.empty() ? "" : ", ") + key.name;
  return text;
}

// Values of a TOML file as key -> value. Sections are one deep; every value is a string.
Outcome<std::map<std::string, std::string>> read_toml(const std::string& path, const std::string& text) {
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const auto at = parsed.error().source().begin;
    return usage_failure(
        path + ":" + std::to_string(at.line) + ": " + std::string(parsed.error().description()),
        "it must be TOML, like:  [api]  endpoint = \"http://127.0.0.1:7410\"");
  }
  std::map<std::string, std::string> values;
  for (const auto& [section, node] : parsed.table()) {
    const auto* table = node.as_table();
    if (table == nullptr)
      return usage_failure(path + ": '" + std::string(section.str()) + "' stands outside a section",
                           "keys: " + known_keys());
    for (const auto& [name, value] : *table) {
      const std::string key = std::string(section.str()) + "." + std::string(name.str());
      const std::string line = path + ":" + std::to_string(value.source().begin.line);
      if (find_key(key) == nullptr)
        return usage_failure(line + ": unknown key '" + key + "'", "keys: " + known_keys());
      const auto string = value.value_exact<std::string>();
      if (!string) return usage_failure(line + ": '" + key + "' must be a string", "put it in quotes");
      values[key] = *string;
    }
  }
  return values;
}

}  // namespace

const std::vector<SettingKey>& setting_keys() {
  static const std::vector<SettingKey> keys = {
      {"api.endpoint", "--endpoint", {"BERTH__API__ENDPOINT"}, nullptr},
      {"api.key_file", "--key-file", {"BERTH__API__KEY_FILE"}, nullptr},
      {"api.access_key", nullptr, {"BERTH_ACCESS_KEY", "BERTH__API__ACCESS_KEY"}, nullptr},
      {"api.secret_key", nullptr, {"BERTH_SECRET_KEY", "BERTH__API__SECRET_KEY"}, nullptr, true},
      {"api.ca", "--ca", {"BERTH__API__CA"}, nullptr},
      {"api.fingerprint", "--fingerprint", {"BERTH__API__FINGERPRINT"}, nullptr},
      {"data.dir", "--data", {"BERTH_DATA", "BERTH__DATA__DIR"}, kDefaultData},
      {"output.format", "--output", {"BERTH__OUTPUT__FORMAT"}, "table"},
      {"output.color", "--color", {"BERTH__OUTPUT__COLOR"}, "auto"},
      {"image.builder", nullptr, {"BERTH__IMAGE__BUILDER"}, nullptr},
      {"image.build_lock", nullptr, {"BERTH__IMAGE__BUILD_LOCK"}, nullptr},
      {"logging.format", nullptr, {"BERTH__LOGGING__FORMAT"}, nullptr},
      {"tracing.otlp_url", nullptr, {"BERTH__TRACING__OTLP_URL"}, nullptr},
      {"scheduler.policies", nullptr, {"BERTH__SCHEDULER__POLICIES"}, nullptr},
  };
  return keys;
}

Outcome<Settings> Settings::load(const Flags& flags, const Environment& environment,
                                 const std::vector<std::string>& environment_names,
                                 const std::string& file_path, const std::optional<std::string>& file_text) {
  Settings settings;
  for (const auto& key : setting_keys()) {
    auto& levels = settings.values_[key.name];
    if (key.fallback != nullptr) levels[Origin::kDefault] = {key.fallback, Origin::kDefault, "default"};
    for (const char* variable : key.environment) {
      const auto value = environment(variable);
      if (!value || value->empty()) continue;
      levels[Origin::kEnvironment] = {*value, Origin::kEnvironment, variable};
      break;
    }
    if (const auto flag = flags.find(key.name); flag != flags.end())
      levels[Origin::kFlag] = {flag->second, Origin::kFlag, key.flag == nullptr ? "flag" : key.flag};
  }
  // A misspelt variable must not be silently ignored. Sections that only the server reads are its own
  // business.
  for (const auto& name : environment_names) {
    const bool ours = name.rfind("BERTH__API__", 0) == 0 || name.rfind("BERTH__OUTPUT__", 0) == 0 ||
                      name.rfind("BERTH__DATA__", 0) == 0 || name.rfind("BERTH__SCHEDULER__", 0) == 0;
    const auto uses = [&](const SettingKey& key) {
      return std::any_of(key.environment.begin(), key.environment.end(),
                         [&](const char* known) { return name == known; });
    };
    if (ours && std::none_of(setting_keys().begin(), setting_keys().end(), uses))
      return usage_failure("unknown environment variable " + name,
                           "`berth config show` lists the keys; BERTH__SECTION__KEY sets one");
  }
  if (file_text) {
    auto values = read_toml(file_path, *file_text);
    if (!values) return values.failure();
    for (const auto& [key, value] : *values)
      settings.values_[key][Origin::kFile] = {value, Origin::kFile, file_path};
  }
  return settings;
}

void Settings::add_context(const std::map<std::string, std::string>& values, const std::string& where) {
  for (const auto& [key, value] : values)
    if (!value.empty()) values_[key][Origin::kContext] = {value, Origin::kContext, where};
}

void Settings::set_flag(const std::string& key, const std::string& value, const std::string& where) {
  values_[key][Origin::kFlag] = {value, Origin::kFlag, where};
}

std::optional<Setting> Settings::get(std::string_view key) const {
  for (const Origin level :
       {Origin::kFlag, Origin::kEnvironment, Origin::kFile, Origin::kContext, Origin::kDefault})
    if (auto found = get(key, level)) return found;
  return std::nullopt;
}

std::optional<Setting> Settings::get(std::string_view key, Origin level) const {
  const auto levels = values_.find(key);
  if (levels == values_.end()) return std::nullopt;
  const auto found = levels->second.find(level);
  return found == levels->second.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace berth::cli
