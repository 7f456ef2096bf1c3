// berth agent
#include "controller/api/auth/enrolment_token.h"
#include "events/base/hash.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr Duration kTokenTime = 15 * kMinute;

// POST to an agent's verb; prints the agent as it is now.
CLI::App* add_agent_action(Registry& registry, CLI::App* noun, const char* name, const char* about,
                           const char* example, const std::shared_ptr<bool>& force = nullptr) {
  auto agent = std::make_shared<std::string>();
  auto* app = registry.verb(noun, name, about);
  app->add_option("AGENT", *agent, "Its name")->required();
  registry.on(app, example, [agent, verb = std::string(name), force](Shell& shell) -> Outcome<int> {
    const auto api = shell.api();
    if (!api) return api.failure();
    const bool forced = force != nullptr && *force;
    const auto reply = having((*api)->post(with_query("/v1/agents/" + percent_encoded(*agent) + "/" + verb,
                                                      {{"force", forced ? "true" : ""}}),
                                           nullptr),
                              {"position"});
    if (!reply) return reply.failure();
    const auto* body = find_path(reply->body, "agent");
    shell.out() << print_one(body == nullptr ? reply->body : *body, agent_listing(shell.now()),
                             shell.style());
    return kOk;
  });
  return app;
}

void add_agent_fence(Registry& registry, CLI::App* noun) {
  auto force = std::make_shared<bool>(false);
  auto* fence = add_agent_action(
      registry, noun, "fence",
      "Say that the machine is gone for certain: frees the slots of its kernels. Two kernels may hold one "
      "device if it is not",
      "  berth agent fence a1", force);
  fence->add_flag("-f,--force", *force, "Though it is ALIVE: its kernels are lost");
}

// Of an agent that works with the key that the next one replaces.
void warn_of_live_agent(Shell& shell, Api& api, const std::string& agent) {
  const auto reply = api.get("/v1/agents/" + percent_encoded(agent));
  if (!reply || text_at(reply->body, "state") != "ALIVE") return;
  shell.note("warning: agent " + agent +
             " is ALIVE: what it reports with its key of before is refused from now on, "
             "until it is started with the new one");
}

// "-": stdin. The first line, so that a file may end in a line break.
Outcome<std::string> read_token(Shell& shell, const std::string& path) {
  const auto text = shell.world().read_file(path == "-" ? "/dev/stdin" : path);
  const std::string token = text ? text->substr(0, text->find('\n')) : "";
  if (!token.empty()) return token;
  return usage_failure("there is no token in " + (path == "-" ? "stdin" : path.substr(0, 200)),
                       "its first line is what `berth agent token NAME -o name` printed");
}

void add_agent_enroll(Registry& registry, CLI::App* noun) {
  struct Enroll {
    std::string agent;
    std::uint32_t generation = 0;
  };
  auto o = std::make_shared<Enroll>();
  auto* app = registry.verb(noun, "enroll", "Make or renew an agent's own key; it is shown this once");
  app->add_option("AGENT", o->agent, "Its name")->required();
  app->add_option("--generation", o->generation,
                  "Of the key (default: the next); older ones are refused from then on")
      ->type_name("N");
  registry.on(
      app,
      "  (umask 077; berth agent enroll a2 > a2.json)\n  berth-agent --key-file a2.json      # on the agent",
      [o](Shell& shell) -> Outcome<int> {
        const auto api = shell.api();
        if (!api) return api.failure();
        json::value body = nullptr;
        if (o->generation != 0) body = json::object{{"generation", o->generation}};
        warn_of_live_agent(shell, **api, o->agent);
        const auto reply =
            having((*api)->post("/v1/agents/" + percent_encoded(o->agent) + "/enroll", body), {"key"});
        if (!reply) return reply.failure();
        // The answer is the agent's key file, so it is what a table would be, too: berth agent enroll a2 >
        // a2.json
        Listing listing;
        listing.columns = {column("AGENT", "agent.name"), column("GENERATION", "generation"),
                           column("KEY", "key")};
        listing.name_path = "key";
        const bool file = shell.style().format == Format::kTable;
        shell.out() << (file ? pretty_json(reply->body) + "\n"
                             : print_one(reply->body, listing, shell.style()));
        return kOk;
      });
}

void add_agent_token(Registry& registry, CLI::App* noun) {
  auto agent = std::make_shared<std::string>();
  auto* app =
      registry.verb(noun, "token", "Enroll an agent whose machine gets the key for a one-time token: join");
  app->add_option("AGENT", *agent, "Its name")->required();
  registry.on(
      app, "  berth agent token a2\n  berth agent token a2 -o name > token",
      [agent](Shell& shell) -> Outcome<int> {
        const auto api = shell.api();
        if (!api) return api.failure();
        warn_of_live_agent(shell, **api, *agent);
        const std::string token = shell.world().new_token();  // the server is told its hash alone
        const std::string expires = format_time((shell.now() + kTokenTime) / kSecond * kSecond);
        const auto reply =
            (*api)->post("/v1/agents/" + percent_encoded(*agent) + "/token",
                         json::object{{"token_hash", to_hex(as_view(controller::api::hash_of_token(token)))},
                                      {"expires_at", expires}});
        if (!reply) return reply.failure();
        Listing listing;
        listing.columns = {column("AGENT", "agent"), column("TOKEN", "token"),
                           time_column("EXPIRES", "expires_at")};
        listing.name_path = "token";
        shell.out() << print_one(json::object{{"agent", *agent}, {"token", token}, {"expires_at", expires}},
                                 listing, shell.style());
        shell.note("on the agent's machine, within 15 minutes: berth agent join " + *agent +
                   " --token-file FILE (- for stdin) --endpoint https://THIS_SERVER:7410 --fingerprint "
                   "sha256:... > " +
                   *agent + ".json");
        return kOk;
      });
}

void add_agent_join(Registry& registry, CLI::App* noun) {
  struct Join {
    std::string agent, token, token_file;
  };
  auto o = std::make_shared<Join>();
  auto* app = registry.verb(noun, "join",
                            "Exchange a one-time token for this machine's agent key; needs no key pair");
  app->add_option("AGENT", o->agent, "Its name")->required();
  auto* token =
      app->add_option("--token", o->token,
                      "What `berth agent token` printed; other users of this machine can see it here")
          ->type_name("TOKEN");
  app->add_option("--token-file", o->token_file, "A file with the token; - is stdin")
      ->type_name("FILE")
      ->excludes(token);
  registry.on(app,
              "  (umask 077; berth agent join a2 --token-file - --endpoint https://HOST:7410 --fingerprint "
              "sha256:... > a2.json)\n  berth-agent --key-file a2.json",
              [o](Shell& shell) -> Outcome<int> {
                if (o->token.empty() && o->token_file.empty())
                  return usage_failure("no token is given", "--token-file FILE, or - for stdin");
                if (!o->token_file.empty()) {
                  const auto read = read_token(shell, o->token_file);
                  if (!read) return read.failure();
                  o->token = *read;
                }
                const auto api = shell.api_without_key();
                if (!api) return api.failure();
                const auto reply = having((*api)->post("/v1/agents/" + percent_encoded(o->agent) + "/join",
                                                       json::object{{"token", o->token}}),
                                          {"key"});
                if (!reply) return reply.failure();
                shell.out() << pretty_json(reply->body) << "\n";
                return kOk;
              });
}

}  // namespace

void add_agent_commands(Registry& registry) {
  auto* noun = registry.noun("agent", "Agents: the worker nodes", {"agents"});
  struct Ls {
    std::string group, state;
    bool watch = false;
  };
  auto o = std::make_shared<Ls>();
  auto* ls = registry.verb(noun, "ls", "List agents: what they have, what is taken", {"list"});
  ls->add_option("-g,--group", o->group, "Only of this resource group")->type_name("GROUP");
  ls->add_option("-s,--state", o->state, "Only in this state, like ALIVE")->type_name("STATE");
  ls->add_flag("-w,--watch", o->watch, "Again at every change, until Ctrl-C");
  registry.on(ls, "  berth agent ls\n  berth agent ls -o wide", [o](Shell& shell) {
    return show_list(shell, with_query("/v1/agents", {{"group", o->group}, {"state", o->state}}), "agents",
                     agent_listing(shell.now()), o->watch);
  });
  auto agent = std::make_shared<std::string>();
  auto* show = registry.verb(noun, "show", "One agent: its devices and kernels", {"get", "describe"});
  show->add_option("AGENT", *agent, "Its name")->required();
  registry.on(show, "  berth agent show a1", [agent](Shell& shell) {
    return show_or_watch(shell, false, "/v1/agents/" + percent_encoded(*agent), "name",
                         [&](const ApiReply& reply) {
                           return shell.style().format == Format::kTable
                                      ? agent_text(reply.body, shell.style())
                                      : print_one(reply.body, agent_listing(shell.now()), shell.style());
                         });
  });
  add_agent_action(registry, noun, "drain", "Take no new sessions; what runs goes on",
                   "  berth agent drain a1");
  add_agent_action(registry, noun, "undrain", "Take sessions again", "  berth agent undrain a1");
  add_agent_fence(registry, noun);
  add_agent_enroll(registry, noun);
  add_agent_token(registry, noun);
  add_agent_join(registry, noun);
  add_agent_check(registry, noun);
  add_removal(registry, noun, "/v1/agents/", "AGENT",
              "Remove an agent that is not alive and has no kernels: its key is refused from then on",
              "  berth agent rm a1");
}

}  // namespace berth::cli
