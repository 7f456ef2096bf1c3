// berth producer
#include "controller/api/auth/enrolment_token.h"
#include "events/base/hash.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/people/people.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr Duration kProducerTokenTime = 15 * kMinute;

struct ProducerWords {
  std::string name, reason;
  std::optional<std::string> display_name;
  std::vector<std::string> requests, owners;
  bool disable = false, enable = false;
};

std::string producer_path(const std::string& name) { return "/v1/producers/" + percent_encoded(name); }

std::string texts_in(const json::value& producer, const char* member) {
  std::string text;
  const auto* all = find_path(producer, member);
  if (all == nullptr || !all->is_array()) return text;
  for (const auto& one : all->get_array()) {
    const std::string id = one.is_string() ? "" : text_at(one, "id");
    const std::string name = one.is_string() ? std::string(one.get_string()) : text_at(one, "scope");
    text += (text.empty() ? "" : ", ") + name + (id.empty() ? "" : ":" + id);
  }
  return text;
}

Listing producer_listing() {
  Listing listing;
  const auto list = [](const char* member) {
    return [member](const json::value& producer) { return texts_in(producer, member); };
  };
  listing.columns = {column("NAME", "name"),
                     column("DISPLAY NAME", "display_name", true),
                     {"REQUESTS", list("requests"), false, false, "requests"},
                     {"OWNERS", list("owners"), false, false, "owners"},
                     column("KEY", "generation"),
                     column("DISABLED", "disabled"),
                     time_column("TOKEN UNTIL", "token_expires_at"),
                     time_column("CREATED", "created_at", true),
                     column("MADE BY", "made_by", true)};
  listing.least = {"TOKEN UNTIL", "KEY", "OWNERS", "REQUESTS"};
  return listing;
}

// "user:alice", "project:DOMAIN/NAME", "domain:NAME", "cluster".
json::array owners_of(const std::vector<std::string>& texts) {
  json::array owners;
  for (const std::string& text : texts) {
    const auto colon = text.find(':');
    json::object owner{{"scope", text.substr(0, colon)}};
    if (colon != std::string::npos) owner["id"] = text.substr(colon + 1);
    owners.push_back(std::move(owner));
  }
  return owners;
}

void set_scope(json::object& body, const ProducerWords& o) {
  body["requests"] = json::array(o.requests.begin(), o.requests.end());
  body["owners"] = owners_of(o.owners);
}

void add_scope_options(CLI::App* verb, ProducerWords& o) {
  verb->add_option("--request", o.requests,
                   "A kind of request that it may ask, like request_session; repeat it")
      ->type_name("KIND")
      ->allow_extra_args(false);
  verb->add_option("--owner", o.owners,
                   "For whom it may ask: user:NAME, project:DOMAIN/NAME, domain:NAME or cluster; repeat it")
      ->type_name("SCOPE:NAME")
      ->allow_extra_args(false);
}

// The server is told the token's hash alone; whoever brings the token gets the key, once.
struct NewToken {
  std::string token, expires;
};

NewToken put_token(Shell& shell, json::object& body) {
  NewToken made{shell.world().new_token(),
                format_time((shell.now() + kProducerTokenTime) / kSecond * kSecond)};
  body["token_hash"] = to_hex(as_view(controller::api::hash_of_token(made.token)));
  body["expires_at"] = made.expires;
  return made;
}

int print_token(Shell& shell, const std::string& name, const NewToken& made) {
  Listing listing;
  listing.columns = {column("PRODUCER", "producer"), column("TOKEN", "token"),
                     time_column("EXPIRES", "expires_at")};
  listing.name_path = "token";
  shell.out() << print_one(
      json::object{{"producer", name}, {"token", made.token}, {"expires_at", made.expires}}, listing,
      shell.style());
  shell.note("where it runs, within 15 minutes: (umask 077; berth producer join " + name +
             " --token-file - > " + name + ".json)");
  return kOk;
}

void add_producer_add(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<ProducerWords>();
  auto* add = registry.verb(noun, "add", "Register a producer; it gets its key for a one-time token: join",
                            {"create"});
  add->add_option("NAME", o->name, "What it is called from now on")->required();
  add_scope_options(add, *o);
  add->add_option("--display-name", o->display_name, "For people")->type_name("TEXT");
  add_reason_option(add, o->reason);
  registry.on(add,
              "  berth producer add web --request request_session --request terminate_session --owner "
              "user:alice --owner project:default/labs",
              [o](Shell& shell) -> Outcome<int> {
                if (o->requests.empty() || o->owners.empty())
                  return usage_failure("its scope is not said", "--request KIND and --owner SCOPE:NAME");
                json::object body{{"name", o->name}};
                set_scope(body, *o);
                if (o->display_name) body["display_name"] = *o->display_name;
                const NewToken made = put_token(shell, body);
                const auto api = shell.api();
                if (!api) return api.failure();
                const auto reply = (*api)->post(with_query("/v1/producers", {{"reason", o->reason}}), body);
                if (!reply) return reply.failure();
                return print_token(shell, o->name, made);
              });
}

Outcome<int> change_producer(Shell& shell, const ProducerWords& o) {
  json::object body;
  if (o.requests.empty() != o.owners.empty())
    return usage_failure("a scope is set as a whole",
                         "name each --request and each --owner that it has from now on");
  if (!o.requests.empty()) set_scope(body, o);
  if (o.display_name) body["display_name"] = *o.display_name;
  if (o.disable || o.enable) body["disabled"] = o.disable;
  if (body.empty())
    return usage_failure("nothing is said to change",
                         "--request with --owner, --display-name, --disable or --enable");
  const auto api = shell.api();
  if (!api) return api.failure();
  return print_changed(shell, (*api)->patch(with_query(producer_path(o.name), {{"reason", o.reason}}), body),
                       "producer", producer_listing());
}

void add_producer_set(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<ProducerWords>();
  auto* set = registry.verb(noun, "set", "Change what a producer may ask, switch it off or on", {"update"});
  set->add_option("NAME", o->name, "Its name")->required();
  add_scope_options(set, *o);
  set->add_option("--display-name", o->display_name, "For people; empty: none")->type_name("TEXT");
  auto* disable = set->add_flag("--disable", o->disable, "Its requests are refused, its streams end");
  set->add_flag("--enable", o->enable, "It may ask again")->excludes(disable);
  add_reason_option(set, o->reason);
  registry.on(set,
              "  berth producer set web --disable --reason leaked\n"
              "  berth producer set web --request request_session --owner domain:default",
              [o](Shell& shell) { return change_producer(shell, *o); });
}

void add_producer_rotate(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<ProducerWords>();
  auto* rotate = registry.verb(
      noun, "rotate", "A new key for a one-time token; what the one before signs is refused at once");
  rotate->add_option("NAME", o->name, "Its name")->required();
  add_reason_option(rotate, o->reason);
  registry.on(rotate, "  berth producer rotate web", [o](Shell& shell) -> Outcome<int> {
    json::object body;
    const NewToken made = put_token(shell, body);
    const auto api = shell.api();
    if (!api) return api.failure();
    const auto reply =
        (*api)->post(with_query(producer_path(o->name) + "/rotate", {{"reason", o->reason}}), body);
    if (!reply) return reply.failure();
    return print_token(shell, o->name, made);
  });
}

void add_producer_join(Registry& registry, CLI::App* noun) {
  struct Join {
    std::string name, token_file;
  };
  auto o = std::make_shared<Join>();
  auto* join =
      registry.verb(noun, "join", "Exchange a one-time token for the producer's key; needs no key pair");
  join->add_option("NAME", o->name, "Its name")->required();
  join->add_option("--token-file", o->token_file, "A file with the token; - is stdin")
      ->type_name("FILE")
      ->required();
  registry.on(join, "  (umask 077; berth producer join web --token-file - > web.json)",
              [o](Shell& shell) -> Outcome<int> {
                const auto text =
                    shell.world().read_file(o->token_file == "-" ? "/dev/stdin" : o->token_file);
                const std::string token = text ? text->substr(0, text->find('\n')) : "";
                if (token.empty())
                  return usage_failure("there is no token in " + o->token_file.substr(0, 200),
                                       "its first line is what `berth producer add` printed");
                const auto api = shell.api_without_key();
                if (!api) return api.failure();
                const auto reply = having(
                    (*api)->post(producer_path(o->name) + "/key", json::object{{"token", token}}), {"key"});
                if (!reply) return reply.failure();
                shell.out() << pretty_json(reply->body) << "\n";
                return kOk;
              });
}

}  // namespace

void add_producer_commands(Registry& registry) {
  auto* noun = registry.noun("producer", "Producers: programs that ask for their own users", {"producers"});
  auto* ls = registry.verb(noun, "ls", "List producers and what they may ask", {"list"});
  registry.on(ls, "  berth producer ls", [](Shell& shell) {
    return show_list(shell, "/v1/producers", "producers", producer_listing(), false);
  });
  const PathOf path = [](Api&, const std::string& name) { return producer_path(name); };
  add_show(registry, noun, "NAME", "One producer, with its scope", "  berth producer show web", path,
           producer_listing);
  add_producer_add(registry, noun);
  add_producer_set(registry, noun);
  add_producer_rotate(registry, noun);
  add_producer_join(registry, noun);
  add_removal(registry, noun, "/v1/producers/", "NAME", "Remove a producer: its key is refused from then on",
              "  berth producer rm web");
}

}  // namespace berth::cli
