// berth config check|show
#include "ops/cli/command/registry.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

const char* name_of(Origin origin) {
  switch (origin) {
    case Origin::kFlag: return "flag";
    case Origin::kEnvironment: return "environment";
    case Origin::kFile: return "file";
    case Origin::kContext: return "context";
    case Origin::kDefault: return "default";
  }
  return "";
}

json::array rows(Shell& shell) {
  json::array result;
  for (const auto& key : setting_keys()) {
    const auto setting = shell.settings().get(key.name);
    json::object row{{"key", key.name}, {"value", nullptr}, {"origin", nullptr}, {"where", nullptr}};
    if (setting) {
      row["value"] = key.secret ? "(set)" : setting->value;
      row["origin"] = name_of(setting->origin);
      row["where"] = setting->where;
    }
    result.push_back(std::move(row));
  }
  return result;
}

// What the settings lead to.
void add_found(Shell& shell, json::array& result) {
  const auto add = [&](const char* key, const std::string& value, const char* origin,
                       const std::string& where) {
    result.push_back(json::object{{"key", key}, {"value", value}, {"origin", origin}, {"where", where}});
  };
  if (const auto server = find_server(shell.settings(), shell.world().read_file))
    add("(server)", server->endpoint.value, name_of(server->endpoint.origin), server->endpoint.where);
  else
    add("(server)", server.failure().code.word(), "none", server.failure().message);
  if (const auto key = find_credentials(shell.settings(), shell.world().read_key))
    add("(key)", key->access_key, "found", "");
  else
    add("(key)", key.failure().code.word(), "none", key.failure().message);
}

}  // namespace

void add_config_commands(Registry& registry) {
  auto* noun = registry.noun("config", "Where settings come from: flag > environment > file > default");
  auto with_origin = std::make_shared<bool>(false);
  auto* show = registry.verb(noun, "show", "The settings that count");
  show->add_flag("--origin", *with_origin, "Where each comes from");
  registry.on(show, "  berth config show --origin", [with_origin](Shell& shell) -> Outcome<int> {
    Listing listing;
    listing.columns = {column("KEY", "key"), column("VALUE", "value")};
    if (*with_origin)
      listing.columns.push_back(column("ORIGIN", "origin")),
          listing.columns.push_back(column("WHERE", "where"));
    listing.name_path = "key";
    auto all = rows(shell);
    add_found(shell, all);
    shell.out() << print_list(all, listing, shell.style());
    return kOk;
  });
  // Shell::prepare has read and judged everything before this runs; what is left is whether it leads
  // somewhere.
  auto* check = registry.verb(
      noun, "check", "Is every setting known and well-formed, and does it lead to a server and a key?");
  registry.on(check, "  berth config check", [](Shell& shell) -> Outcome<int> {
    if (const auto server = find_server(shell.settings(), shell.world().read_file); !server)
      return server.failure();
    if (const auto key = find_credentials(shell.settings(), shell.world().read_key); !key)
      return key.failure();
    shell.out() << "ok\n";
    return kOk;
  });
}

}  // namespace berth::cli
