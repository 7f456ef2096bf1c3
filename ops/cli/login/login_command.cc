// berth login, logout, login-link, user passwd
#include <algorithm>

#include "controller/api/auth/host_key.h"
#include "events/base/name.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/login/given_password.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct Login {
  std::string user, name, context;
  std::string link;  // the token of a login link that stood in the URL's place
  std::string expires_in = "90d";
  bool read_only = false;
  bool password_from_stdin = false;
  bool insecure_http = false;
};

// A host's name as the name of a key pair.
std::string key_name(const std::string& host) {
  std::string name = host.substr(0, kNameMax);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_valid_name(std::string("a") + c); }, '-');
  return is_valid_name(name) ? name : "login";
}

// "http://host:port/#/link/TOKEN" -> "http://host:port", and its token.
std::string without_token(const std::string& url, std::string& token) {
  const auto mark = url.find('#');
  if (mark == std::string::npos) return url;
  token = url.substr(url.rfind('/') + 1);
  if (token.starts_with('#')) token.erase(0, 1);
  const auto scheme = url.find("://");
  return url.substr(0, url.find_first_of("/#", scheme == std::string::npos ? 0 : scheme + 3));
}

// Whose link it is; its password is what is given now.
Outcome<bool> set_password_by_link(Shell& shell, Api& api, Login& o, std::string& password) {
  const auto link = api.post("/v1/login/link/check", json::object{{"token", o.link}});
  if (!link) return link.failure();
  o.user = text_at(link->body, "user");
  const auto given =
      given_password(shell, o.password_from_stdin, "New password of " + printable(o.user) + ": ");
  if (!given) return given.failure();
  if (!o.password_from_stdin) {
    const auto again = given_password(shell, false, "New password again: ");
    if (!again) return again.failure();
    if (*again != *given) return usage_failure("the new passwords differ");
  }
  const auto set = api.post("/v1/login/link", json::object{{"token", o.link}, {"password", *given}});
  if (!set) return set.failure();
  password = *given;
  return true;
}

Outcome<std::string> user_of(Shell& shell, const Login& o) {
  if (!o.user.empty()) return o.user;
  if (o.password_from_stdin) return usage_failure("--password-stdin needs --user");
  auto typed = shell.world().ask("User: ");
  if (!typed) return failure_of(typed.error());
  return *typed;
}

Outcome<bool> ask_password(Shell& shell, Login& o, std::string& password) {
  const auto user = user_of(shell, o);
  if (!user) return user.failure();
  o.user = *user;
  const auto given = given_password(shell, o.password_from_stdin, "Password of " + printable(o.user) + ": ");
  if (!given) return given.failure();
  password = *given;
  return true;
}

// HOST:PORT, or with the user's name in front where that is another user's.
std::string context_name(const Contexts& contexts, const Server& server, const Login& o) {
  if (!o.context.empty()) return o.context;
  const std::string plain = server.host + ":" + server.port;
  const auto taken = contexts.all.find(plain);
  return taken == contexts.all.end() || taken->second.user == o.user ? plain : o.user + "@" + plain;
}

Outcome<int> login(Shell& shell, Login o) {
  const auto server = shell.server();
  if (!server) return server.failure();
  if (!server->tls && !is_loopback(*server) && !o.insecure_http)
    return usage_failure("without TLS others on the way to " + server->endpoint.value +
                             " could read the password and the key pair",
                         "write https://HOST:PORT, or add --insecure-http if something else protects the "
                         "network");
  auto contexts = shell.contexts();
  if (!contexts) return contexts.failure();
  const auto api = shell.api_without_key();
  if (!api) return api.failure();
  std::string password;
  const auto known =
      o.link.empty() ? ask_password(shell, o, password) : set_password_by_link(shell, **api, o, password);
  if (!known) return known.failure();
  const json::object body{{"user", o.user},
                          {"password", password},
                          {"name", o.name.empty() ? key_name(shell.world().host_name()) : o.name},
                          {"expires_in", o.expires_in},
                          {"read_only", o.read_only}};
  const auto reply = having((*api)->post("/v1/login/key", body), {"access_key", "secret_key", "expires_at"});
  if (!reply) return reply.failure();
  const std::string name = context_name(*contexts, *server, o);
  const std::string replaced = contexts->all[name].access_key;
  contexts->all[name] = {server->endpoint.value,
                         o.user,
                         text_at(reply->body, "access_key"),
                         text_at(reply->body, "secret_key"),
                         text_at(reply->body, "expires_at"),
                         server->fingerprint,
                         server->ca};
  contexts->current = name;
  if (const auto kept = shell.keep(*contexts); !kept) return kept.failure();
  shell.note("logged in to " + server->endpoint.value + " as " + o.user + " until " +
             local_time(text_at(reply->body, "expires_at"), shell.style().utc_offset) + ", context " + name);
  if (!replaced.empty())
    shell.note("the key pair of before stays active until it expires: berth key rm " + replaced + " ends it");
  return kOk;
}

struct Logout {
  std::string context;
  bool forget = false;
};

// The server's word that the key pair is gone; also if it does not know it any more.
Outcome<bool> remove_key(Shell& shell, const std::string& name, const Context& context) {
  auto server = parse_endpoint({context.endpoint, Origin::kContext, "context " + name});
  if (!server) return server.failure();
  server->fingerprint = context.fingerprint;
  server->ca = context.ca;
  Api* api = shell.api_of(*server, {context.access_key, context.secret_key});
  const auto reply = api->remove("/v1/keys/" + percent_encoded(context.access_key));
  if (reply) return true;
  for (const Code gone :
       {Code("unknown-key"), Code("key-inactive"), Code("key-expired"), Code("user-disabled")})
    if (reply.failure().code == gone) return true;
  Failure failure = reply.failure();
  failure.hint = "berth logout --forget drops the context here; the key pair lives on until it expires";
  return failure;
}

Outcome<int> logout(Shell& shell, const Logout& o) {
  auto contexts = shell.contexts();
  if (!contexts) return contexts.failure();
  const std::string name = o.context.empty() ? contexts->current : o.context;
  const auto found = contexts->all.find(name);
  if (found == contexts->all.end())
    return usage_failure(name.empty() ? "you are not logged in" : "there is no context '" + name + "'",
                         "berth context ls");
  if (!o.forget)
    if (const auto removed = remove_key(shell, name, found->second); !removed) return removed.failure();
  contexts->all.erase(found);
  if (contexts->current == name) contexts->current.clear();
  if (const auto kept = shell.keep(*contexts); !kept) return kept.failure();
  shell.note("logged out of " + name);
  return kOk;
}

// Whether the key would be that of the data folder: none is named before it.
bool is_key_of_data_folder(const Settings& settings) {
  for (const Origin level : {Origin::kFlag, Origin::kEnvironment, Origin::kFile, Origin::kContext}) {
    for (const char* key : {"api.key_file", "api.access_key", "api.secret_key"})
      if (settings.get(key, level)) return false;
    if (settings.get("data.dir", level)) return true;
  }
  return true;
}

// On a server's machine by what its cluster's file gives, which is good for links when no superadmin is
// enabled; elsewhere, and where a key pair is named, by that.
Outcome<Api*> api_for_links(Shell& shell, std::string& user) {
  const auto secret = shell.world().host_secret(shell.settings().get("data.dir")->value + "/cluster.json");
  if (!secret || !is_key_of_data_folder(shell.settings())) {
    const auto api = shell.api();
    if (api || !secret || api.failure().code != kNoKeyCode) return api;
  }
  const auto server = shell.server();
  if (!server) return server.failure();
  if (user.empty()) user = "admin";
  return shell.api_of(*server, {std::string(controller::api::kHostAccessKey), *secret});
}

Outcome<int> login_link(Shell& shell, const std::string& asked, const std::string& expires_in) {
  std::string user = asked;
  const auto api = api_for_links(shell, user);
  if (!api) return api.failure();
  if (user.empty()) {
    const auto me = having((*api)->get("/v1/whoami"), {"user"});
    if (!me) return me.failure();
    user = text_at(me->body, "user");
  }
  json::object body;
  if (!expires_in.empty()) body["expires_in"] = expires_in;
  const auto reply = having((*api)->post("/v1/users/" + percent_encoded(user) + "/link", body), {"url"});
  if (!reply) return reply.failure();
  if (shell.style().format == Format::kTable)
    shell.out() << printable(text_at(reply->body, "url")) << "\n";
  else
    shell.out() << print_one(reply->body, {{column("URL", "url"), column("EXPIRES", "expires_at")}, "url"},
                             shell.style());
  shell.note("whoever opens it sets the password of " + user + ", once, until " +
             local_time(text_at(reply->body, "expires_at"), shell.style().utc_offset));
  return kOk;
}

struct Words {
  std::string old, fresh;
};

// Of standard input the first two lines.
Outcome<Words> given_words(Shell& shell, bool from_stdin) {
  if (from_stdin) {
    const std::string text = shell.world().read_file("-").value_or("");
    const auto end = text.find('\n');
    if (end == std::string::npos)
      return usage_failure("standard input needs two lines", "the old password, then the new one");
    return Words{text.substr(0, end), text.substr(end + 1, text.find('\n', end + 1) - end - 1)};
  }
  Words words;
  for (const auto& [prompt, word] : {std::pair<const char*, std::string*>{"Old password: ", &words.old},
                                     {"New password: ", &words.fresh}}) {
    const auto typed = given_password(shell, false, prompt);
    if (!typed) return typed.failure();
    *word = *typed;
  }
  const auto again = given_password(shell, false, "New password again: ");
  if (!again) return again.failure();
  if (*again != words.fresh) return usage_failure("the new passwords differ");
  return words;
}

Outcome<int> change_password(Shell& shell, bool from_stdin) {
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto me = having((*api)->get("/v1/whoami"), {"user"});
  if (!me) return me.failure();
  const auto words = given_words(shell, from_stdin);
  if (!words) return words.failure();
  const auto reply = (*api)->put("/v1/users/" + percent_encoded(text_at(me->body, "user")) + "/password",
                                 json::object{{"old", words->old}, {"new", words->fresh}});
  if (!reply) return reply.failure();
  shell.note("the password is changed; your browsers are signed out");
  return kOk;
}

void add_login(Registry& registry) {
  auto o = std::make_shared<Login>();
  auto* login_verb =
      registry.verb(nullptr, "login", "Sign in to a server: a key pair for this machine, by your password");
  login_verb
      ->add_option("URL", registry.options.endpoint,
                   "Server, like https://berth.example:7410; or a login link, which sets your password")
      ->transform([o](const std::string& url) { return without_token(url, o->link); }, "")
      ->required();
  login_verb->add_option("-u,--user", o->user, "Your name; asked for otherwise");
  add_password_option(login_verb, o->password_from_stdin);
  login_verb->add_option("--name", o->name, "Of the key pair (default: this host's name)");
  login_verb->add_option("--expires", o->expires_in, "When the key pair ends")
      ->capture_default_str()
      ->type_name("TIME");
  login_verb->add_flag("--read-only", o->read_only, "A key pair that changes nothing");
  login_verb->add_flag("--insecure-http", o->insecure_http,
                       "Send the password without TLS even to another machine");
  login_verb->add_option("--context", o->context, "Name of the context (default HOST:PORT)");
  registry.on(login_verb,
              "  berth login https://berth.example:7410 --user alice\n"
              "  berth login http://127.0.0.1:7410 --user alice --password-stdin < FILE\n"
              "  berth login 'https://berth.example:7410/#/link/TOKEN'",
              [o](Shell& shell) { return login(shell, *o); });
}

void add_logout(Registry& registry) {
  auto o = std::make_shared<Logout>();
  auto* verb = registry.verb(nullptr, "logout", "Sign out: ends the key pair that `berth login` made");
  verb->add_option("CONTEXT", o->context, "Which (default: the current one)");
  verb->add_flag("--forget", o->forget, "Ask no server: drop the context here");
  registry.on(verb, "  berth logout", [o](Shell& shell) { return logout(shell, *o); });
}

void add_login_link(Registry& registry) {
  auto user = std::make_shared<std::string>();
  auto expires = std::make_shared<std::string>();
  auto* verb = registry.verb(nullptr, "login-link",
                             "A link by which a user sets a password; on a server's machine with --data DIR");
  verb->add_option("USER", *user, "Whose (default: yours)");
  verb->add_option("--expires", *expires, "When the link ends (default 24h)")->type_name("TIME");
  registry.on(verb, "  berth login-link alice\n  berth login-link --data /var/lib/berth",
              [user, expires](Shell& shell) { return login_link(shell, *user, *expires); });
}

}  // namespace

void add_login_commands(Registry& registry) {
  add_login(registry);
  add_logout(registry);
  add_login_link(registry);
}

void add_user_passwd(Registry& registry, CLI::App* noun) {
  auto from_stdin = std::make_shared<bool>(false);
  auto* verb = registry.verb(noun, "passwd", "Change your own password; your browsers are signed out");
  verb->add_flag("--password-stdin", *from_stdin, "Old and new password from standard input, a line each");
  registry.on(verb, "  berth user passwd",
              [from_stdin](Shell& shell) { return change_password(shell, *from_stdin); });
}

}  // namespace berth::cli
