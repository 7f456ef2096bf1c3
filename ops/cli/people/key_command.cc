// berth key
#include <filesystem>

#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/people/people.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct NewKey {
  std::string name, user, expires_in, out, reason;
  bool read_only = false;
};

std::string key_path(const std::string& key, const std::string& reason) {
  return with_query("/v1/keys/" + percent_encoded(key), {{"reason", reason}});
}

void add_key_ls(Registry& registry, CLI::App* noun) {
  auto user = std::make_shared<std::string>();
  auto* ls = registry.verb(noun, "ls", "List your key pairs, or a user's; secrets are not shown", {"list"});
  ls->add_option("-u,--user", *user, "Of this user")->type_name("USER");
  registry.on(ls, "  berth key ls -o wide\n  berth key ls --user alice", [user](Shell& shell) {
    return show_list(shell, with_query("/v1/keys", {{"user", *user}}), "keys", key_listing(), false);
  });
}

// The file that --key-file reads. The key pair is removed again where the file cannot be written: nobody else
// has its secret.
Outcome<int> write_key(Shell& shell, Api& api, const std::string& path, const json::value& key,
                       const std::string& secret) {
  const auto server = shell.server();
  if (!server) return server.failure();
  const std::string id = text_at(key, "id");
  const json::object file{{"access_key", id}, {"secret_key", secret}, {"endpoint", server->endpoint.value}};
  std::error_code error;
  const auto written = shell.world().write_private(std::filesystem::absolute(path, error).string(),
                                                   json::serialize(file) + "\n");
  if (!written) {
    const auto removed = api.remove(key_path(id, ""));
    Failure failure = failure_of(written.error());
    failure.message += removed ? "; the key pair is removed again"
                               : "; the key pair stays and its secret is lost: berth key rm " + id;
    return failure;
  }
  shell.out() << print_one(key, key_listing(), shell.style());
  shell.note("key pair and secret are in " + path);
  return kOk;
}

// In a table no narrow terminal may cut the secret: each stands on a line of its own.
void print_key(Shell& shell, const json::value& key, const std::string& secret) {
  if (shell.style().format == Format::kTable || shell.style().format == Format::kWide) {
    shell.out() << "access key  " << printable(text_at(key, "id")) << "\nsecret key  " << printable(secret)
                << "\n";
  } else {
    json::value with_secret = key;
    if (with_secret.is_object()) with_secret.get_object()["secret_key"] = secret;
    Listing listing = key_listing();
    listing.columns.push_back(column("SECRET KEY", "secret_key"));
    shell.out() << print_one(with_secret, listing, shell.style());
  }
  shell.note("the secret is shown this once");
}

Outcome<int> make_key(Shell& shell, const NewKey& o) {
  if (!o.out.empty() && shell.world().read_file(o.out))
    return usage_failure(o.out.substr(0, 200) + " is there already", "name another file");
  json::object body{{"name", o.name}};
  if (!o.user.empty()) body["user"] = o.user;
  if (!o.expires_in.empty()) body["expires_in"] = o.expires_in;
  if (o.read_only) body["read_only"] = true;
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply =
      having((*api)->post(with_query("/v1/keys", {{"reason", o.reason}}), body), {"secret_key"});
  if (!reply) return reply.failure();
  const auto* found = find_path(reply->body, "key");
  const json::value key = found == nullptr ? reply->body : *found;
  const std::string secret = text_at(reply->body, "secret_key");
  if (!o.out.empty()) return write_key(shell, **api, o.out, key, secret);
  print_key(shell, key, secret);
  return kOk;
}

void add_key_add(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<NewKey>();
  auto* add =
      registry.verb(noun, "add", "Make a key pair for a program; its secret is shown this once", {"create"});
  add->add_option("--name", o->name, "What it is for")->type_name("TEXT")->required()->check(not_empty());
  add->add_option("-u,--user", o->user, "Whose (default: yours)")->type_name("USER");
  add->add_option("--expires-in", o->expires_in, "When it ends, like 90d (default: never)")
      ->type_name("DURATION");
  add->add_flag("--read-only", o->read_only, "It changes nothing");
  add->add_option("--out", o->out, "Write a key file that you alone read, and show no secret")
      ->type_name("FILE");
  add_reason_option(add, o->reason);
  registry.on(add,
              "  berth key add --name nightly --expires-in 90d --out ~/nightly.json\n"
              "  berth session ls --key-file ~/nightly.json",
              [o](Shell& shell) { return make_key(shell, *o); });
}

struct KeyWords {
  std::string key, reason;
};

std::shared_ptr<KeyWords> add_key_words(CLI::App* verb) {
  auto o = std::make_shared<KeyWords>();
  verb->add_option("KEY", o->key, "Its access key, BK...")->required();
  add_reason_option(verb, o->reason);
  return o;
}

void add_key_switch(Registry& registry, CLI::App* noun, const char* name, const char* about,
                    const char* example, bool active) {
  auto* verb = registry.verb(noun, name, about);
  registry.on(verb, example, [o = add_key_words(verb), active](Shell& shell) -> Outcome<int> {
    const auto api = shell.api();
    if (!api) return api.failure();
    return print_changed(shell, (*api)->patch(key_path(o->key, o->reason), json::object{{"active", active}}),
                         "key", key_listing());
  });
}

}  // namespace

void add_key_commands(Registry& registry) {
  auto* noun = registry.noun("key", "Key pairs: how programs sign in", {"keys"});
  add_key_ls(registry, noun);
  add_key_add(registry, noun);
  add_key_rotate(registry, noun);
  add_key_switch(registry, noun, "off", "Switch a key pair off: its requests are refused",
                 "  berth key off BK0123456789abcdef0123 --reason leaked", false);
  add_key_switch(registry, noun, "on", "Switch a key pair on again", "  berth key on BK0123456789abcdef0123",
                 true);
  auto* rm = registry.verb(noun, "rm", "Remove a key pair", {"delete"});
  registry.on(rm, "  berth key rm BK0123456789abcdef0123",
              [o = add_key_words(rm)](Shell& shell) -> Outcome<int> {
                const auto api = shell.api();
                if (!api) return api.failure();
                const auto reply = (*api)->remove(key_path(o->key, o->reason));
                if (!reply) return reply.failure();
                shell.out() << o->key << "\n";
                return kOk;
              });
}

}  // namespace berth::cli
