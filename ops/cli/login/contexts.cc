#include "ops/cli/login/contexts.h"

#include <boost/json.hpp>

namespace berth::cli {
namespace {

namespace json = boost::json;

struct Field {
  const char* name;
  std::string Context::*value;
};
constexpr Field kFields[] = {{"endpoint", &Context::endpoint},
                             {"user", &Context::user},
                             {"access_key", &Context::access_key},
                             {"secret_key", &Context::secret_key},
                             {"expires_at", &Context::expires_at},
                             {"fingerprint", &Context::fingerprint},
                             {"ca", &Context::ca}};

std::string text_in(const json::object& object, const char* name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

}  // namespace

const Context* Contexts::find_current() const {
  const auto found = all.find(current);
  return found == all.end() ? nullptr : &found->second;
}

std::string contexts_path(const std::string& config_path) {
  return config_path.substr(0, config_path.rfind('/') + 1) + "contexts.json";
}

Outcome<Contexts> read_contexts(const std::string& path, const std::string& text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  const auto* list = !error && value.is_object() ? value.get_object().if_contains("contexts") : nullptr;
  if (list == nullptr || !list->is_object())
    return usage_failure(path + " is not what `berth login` writes", "move it aside, and log in again");
  Contexts out;
  out.current = text_in(value.get_object(), "current");
  for (const auto& entry : list->get_object()) {
    if (!entry.value().is_object()) continue;
    Context& context = out.all[std::string(entry.key())];
    for (const Field& field : kFields) context.*field.value = text_in(entry.value().get_object(), field.name);
  }
  return out;
}

std::string to_text(const Contexts& contexts) {
  json::object list;
  for (const auto& [name, context] : contexts.all) {
    json::object object;
    for (const Field& field : kFields)
      if (!(context.*field.value).empty()) object[field.name] = context.*field.value;
    list[name] = std::move(object);
  }
  return json::serialize(json::object{{"current", contexts.current}, {"contexts", std::move(list)}}) + "\n";
}

std::map<std::string, std::string> settings_of(const Context& context) {
  return {{"api.endpoint", context.endpoint},
          {"api.access_key", context.access_key},
          {"api.secret_key", context.secret_key},
          {"api.fingerprint", context.fingerprint},
          {"api.ca", context.ca}};
}

}  // namespace berth::cli
