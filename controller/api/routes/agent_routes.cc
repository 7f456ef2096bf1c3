#include <algorithm>

#include "controller/api/auth/enrolment_token.h"
#include "controller/api/auth/signature.h"
#include "controller/api/map/agent_json.h"
#include "controller/api/map/define_request.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/map/json_values.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"
#include "controller/api/routes/page.h"
#include "controller/api/routes/user_in_group.h"
#include "projections/subjects.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

Error unknown_agent(const std::string& name) {
  return make_error("unknown-agent", "no agent is named '" + clipped(name) + "'",
                    "berth agent ls lists them");
}

struct AgentFilter {
  std::string group;
  std::vector<std::string> states;
  bool matches(const projections::AgentRow& agent) const {
    if (!group.empty() && agent.group != group) return false;
    return states.empty() ||
           std::find(states.begin(), states.end(), projections::name_of(agent.state)) != states.end();
  }
};

std::vector<std::string> read_states(Query& query) {
  using projections::AgentState;
  std::vector<std::string> states = query.list("state");
  for (const std::string& state : states) {
    bool known = false;
    for (int i = 0; i <= static_cast<int>(AgentState::kLeft); ++i)
      known = known || state == projections::name_of(static_cast<AgentState>(i));
    if (!known)
      query.fail("invalid-parameter", "state", "'" + clipped(state) + "' is no state of an agent",
                 "ENROLLED, ALIVE, LOST or LEFT");
  }
  return states;
}

void list(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const AgentFilter filter{query.text("group").value_or(""), read_states(query)};
  const Page page = read_page(query);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    if (const auto missing = missing_group(view.state, call->caller, filter.group)) {
      out = problem_reply(*missing, *call);
      return;
    }
    const SlotKinds kinds(view.state);
    const projections::Actor actor = actor_of(view.state, call->caller);
    out = page_reply(view, page, "agents", view.state.agents,
                     [&](const projections::AgentRow& agent) -> json::value {
                       if (!filter.matches(agent) || !sees_agent(view.state, actor, agent)) return nullptr;
                       return agent_to_json(view.state, kinds, agent, actor);
                     });
  });
  reply(std::move(out));
}

void show(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const auto* agent = view.state.agents.find(call->path[0]);
    const projections::Actor actor = actor_of(view.state, call->caller);
    out = agent == nullptr || !sees_agent(view.state, actor, *agent)
              ? problem_reply(to_problem(unknown_agent(call->path[0])), *call)
              : json_reply(view, agent_to_json(view.state, SlotKinds(view.state), *agent, actor));
  });
  reply(std::move(out));
}

constexpr Duration kTokenTimeMax = kHour;

json::object agent_and_position(const Services& services, const Call& call, const RequestAnswer& answer,
                                std::uint32_t* generation = nullptr) {
  const std::string& name = call.path[0];
  json::object out;
  services.context.with_state([&](const StateView& view) {
    const auto* agent = view.state.agents.find(name);
    if (agent == nullptr) return;
    out["agent"] =
        agent_to_json(view.state, SlotKinds(view.state), *agent, actor_of(view.state, call.caller));
    if (generation != nullptr) *generation = agent->generation;
  });
  out["position"] = answer.position;
  return out;
}

// A request about the agent in the path, with a body that must be empty.
void change(const Services& services, const CallPtr& call, const Reply& reply,
            void (*fill)(v1::Request&, const std::string&)) {
  const auto fill_for_agent = [&](v1::Request& request, const json::object& body, Errors& errors) {
    read_nothing(body, errors);
    fill(request, call->path[0]);
  };
  ask_with_body(services, call, reply, fill_for_agent, [services, call](const RequestAnswer& answer) {
    return json_reply(200, agent_and_position(services, *call, answer));
  });
}

void fence(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto body = body_of(*call);
  if (!body.ok()) return reply(problem_reply(to_problem(body.error()), *call));
  Errors errors;
  Query query(call->target, errors);
  v1::Request request = request_of(services, *call);
  request.set_reason(read_reason(query));
  const bool force = query.flag("force", false);
  query.finish();
  read_nothing(*body, errors);
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  request.mutable_fence_agent()->set_agent(call->path[0]);
  request.mutable_fence_agent()->set_force(force);
  ask_and_reply(services, call, reply, request, [services, call](const RequestAnswer& answer) {
    return json_reply(200, agent_and_position(services, *call, answer));
  });
}

void drain(const Services& services, const CallPtr& call, const Reply& reply) {
  change(services, call, reply, [](v1::Request& request, const std::string& agent) {
    request.mutable_drain_agent()->set_agent(agent);
    request.mutable_drain_agent()->set_draining(true);
  });
}

void undrain(const Services& services, const CallPtr& call, const Reply& reply) {
  change(services, call, reply, [](v1::Request& request, const std::string& agent) {
    request.mutable_drain_agent()->set_agent(agent);
  });
}

// The reply is the agent's key file.
HttpReply key_reply(const Services& services, const Call& call, const RequestAnswer& answer, json::object out,
                    std::uint32_t generation) {
  if (!out.contains("agent")) return problem_reply(to_problem(unknown_agent(call.path[0])), call);  // removed
  const auto key = services.context.agent_key(call.path[0], generation);
  if (!key.ok()) return problem_reply(to_problem(key.error()), call);
  out["cluster"] = to_string(services.context.facts().cluster_id);
  out["generation"] = generation;
  out["key"] = *key;
  return json_reply(answer.replayed ? 200 : 201, out);
}

void enroll(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    request.mutable_enroll_agent()->set_agent(call->path[0]);
    request.mutable_enroll_agent()->set_generation(read_generation(body, errors));
  };
  ask_with_body(services, call, reply, fill, [services, call](const RequestAnswer& answer) {
    std::uint32_t generation = 0;
    json::object out = agent_and_position(services, *call, answer, &generation);
    return key_reply(services, *call, answer, std::move(out), generation);
  });
}

// Enrols the agent, too; its key is given to who brings the token, and to nobody else.
void take_token(const Services& services, const CallPtr& call, const Reply& reply) {
  const Timestamp now = services.context.now();
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    const auto [hash, expires] = read_token(body, now, now + kTokenTimeMax, errors);
    v1::EnrollAgent& enroll = *request.mutable_enroll_agent();
    enroll.set_agent(call->path[0]);
    enroll.set_token_hash(hash);
    enroll.set_token_expires_ms(expires / kMillisecond);
  };
  ask_with_body(services, call, reply, fill, [services, call](const RequestAnswer& answer) {
    return json_reply(answer.replayed ? 200 : 201, agent_and_position(services, *call, answer));
  });
}

// The generation of the key that a token is open for. The journal decides; asked first here, a stranger's
// guesses cost nothing.
Result<std::uint32_t> generation_of_token(const Services& services, const std::string& agent,
                                          const Hash128& hash) {
  std::optional<std::uint32_t> generation;
  std::optional<Timestamp> expired;
  const Timestamp now = services.context.now();
  services.context.with_state([&](const StateView& view) {
    const auto* row = view.state.agents.find(agent);
    if (row == nullptr || row->token_hash == Hash128{}) return;
    if (!equal_signatures(as_view(row->token_hash), as_view(hash))) return;
    if (row->token_expires < now)
      expired = row->token_expires;
    else
      generation = row->generation;
  });
  if (generation) return *generation;
  return token_not_valid("agent", expired, now, "berth agent token " + agent);
}

// Asked without a key pair, by the agent's machine.
void join(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto body = body_of(*call);
  if (!body.ok()) return reply(problem_reply(to_problem(body.error()), *call));
  Errors errors;
  Query(call->target, errors).finish();
  ObjectReader in(*body, "", errors);
  const auto token = in.text("token", 200);
  in.require("token", token.has_value());
  in.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const std::string& agent = call->path[0];
  const Hash128 hash = hash_of_token(*token);
  const auto generation = generation_of_token(services, agent, hash);
  if (!generation) return reply(problem_reply(to_problem(generation.error()), *call));
  v1::Request request = request_of(services, *call);
  request.set_actor("agent:" + agent);
  request.mutable_collect_agent_key()->set_agent(agent);
  request.mutable_collect_agent_key()->set_token_hash(std::string(as_view(hash)));
  ask_and_reply(services, call, reply, request, [services, call, generation](const RequestAnswer& answer) {
    json::object out = agent_and_position(services, *call, answer);
    return key_reply(services, *call, answer, std::move(out), *generation);
  });
}

}  // namespace

std::vector<Route> agent_routes() {
  const Route::Need see{Noun::kAgent, Verb::kSee}, create{Noun::kAgent, Verb::kCreate};
  return {{"GET", "/v1/agents", "listAgents", list, see, {.past = Route::kPast}},
          {"GET", "/v1/agents/{agent}", "getAgent", show, see, {.past = Route::kPast}},
          {"POST", "/v1/agents/{agent}/fence", "fenceAgent", fence, {Noun::kAgent, Verb::kChange}},
          {"POST", "/v1/agents/{agent}/drain", "drainAgent", drain, {Noun::kAgent, Verb::kChange}},
          {"POST", "/v1/agents/{agent}/undrain", "undrainAgent", undrain, {Noun::kAgent, Verb::kChange}},
          {"POST", "/v1/agents/{agent}/enroll", "enrollAgent", enroll, create},
          {"POST", "/v1/agents/{agent}/token", "takeEnrolmentToken", take_token, create},
          {"POST", "/v1/agents/{agent}/join", "joinAgent", join, Route::kOpen}};
}

}  // namespace berth::controller::api
