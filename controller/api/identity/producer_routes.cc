// Producers: /v1/producers. Their keys are derived, so whoever brings the one-time token is told the key,
// once.
#include "controller/api/auth/enrolment_token.h"
#include "controller/api/auth/signature.h"
#include "controller/api/identity/identity_json.h"
#include "controller/api/identity/named_reply.h"
#include "controller/api/login/by_producer.h"
#include "controller/api/map/define_request.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/routes/page.h"
#include "controller/api/routes/remove.h"
#include "events/base/hex.h"
#include "projections/producer_scope.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::ProducerRow;
using projections::Verb;

constexpr std::size_t kRequestsMax = 32;
constexpr std::size_t kOwnerIdMax = 129;  // DOMAIN/NAME

void list_producers(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(
      services, call, reply, "producers", &projections::StateRows::producers,
      [](const ListView&, const ProducerRow& row) -> json::value { return producer_to_json(row.def); });
}

json::value shown_producer(const StateView& view, const std::string& name) {
  const auto* row = view.state.producers.find(name);
  return row == nullptr ? json::value(nullptr) : json::value(producer_to_json(row->def));
}

void show_producer(const Services& services, const CallPtr& call, const Reply& reply) {
  const std::string& name = call->path[0];
  if (!may_see_producer(services, *call, name))
    return reply(problem_reply(make_problem("denied", "this producer is not yours to see"), *call));
  show_and_reply(services, call, reply, "producer", name,
                 [&](const StateView& view) { return shown_producer(view, name); });
}

void read_owners(ObjectReader& in, v1::PutProducer& put, Errors& errors) {
  const json::array* owners = in.array("owners", projections::kProducerOwnersMax);
  if (owners == nullptr) return;
  const UnknownWord unknown{"unknown-scope", "there is no scope ", "", "user, project, domain or cluster"};
  for (std::size_t i = 0; i < owners->size(); ++i) {
    const std::string place = in.place_of("owners") + "[" + std::to_string(i) + "]";
    const json::object* one = (*owners)[i].if_object();
    if (one == nullptr) {
      errors.add("invalid-value", place, "must be an object");
      continue;
    }
    ObjectReader item(*one, place, errors);
    auto& added = *put.add_owners();
    added.set_scope(item.required_word<v1::ScopeKind>("scope", unknown));
    added.set_id(item.text("id", kOwnerIdMax).value_or(""));
    item.finish();
  }
}

// A scope is replaced as a whole, so that what is not named is not kept by mistake.
void read_scope(ObjectReader& in, v1::PutProducer& put, bool needed, Errors& errors) {
  const json::value *requests = in.raw("requests"), *owners = in.raw("owners");
  const bool set = requests != nullptr || owners != nullptr;
  if (needed || set) {
    in.require("requests", requests != nullptr);
    in.require("owners", owners != nullptr);
  }
  put.set_set_scope(set);
  if (const json::array* names = in.array("requests", kRequestsMax))
    for (std::string& name : texts_of(*names, in.place_of("requests"), 64, errors))
      put.add_requests(std::move(name));
  read_owners(in, put, errors);
}

// The last that is read.
void read_token(ObjectReader& in, v1::PutProducer& put, Timestamp now) {
  const auto digits = in.text("token_hash", 2 * sizeof(Hash128));
  in.require("token_hash", digits.has_value());
  const auto expires = in.time("expires_at");
  in.require("expires_at", expires.has_value());
  in.finish();
  if (!digits || !expires) return;
  put.set_token_hash(from_hex(*digits).value_or(""));
  put.set_token_expires_ms(*expires / kMillisecond);
  if (put.token_hash().size() != sizeof(Hash128))
    in.fail("invalid-value", "token_hash", "must be 32 hex digits", "BLAKE2b-128 of the token's text");
  if (*expires <= now || *expires > now + kHour)
    in.fail("invalid-value", "expires_at", "must be in the next hour", "15 minutes are enough");
}

void create_producer(const Services& services, const CallPtr& call, const Reply& reply) {
  const Name name = std::make_shared<std::string>();
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader in(body, "", errors);
    v1::PutProducer& put = *request.mutable_put_producer();
    *name = in.required_text("name", kNameTextMax);
    put.set_name(*name);
    put.set_create(true);
    if (const auto text = in.text("display_name", kDisplayTextMax)) put.set_display_name(*text);
    read_scope(in, put, true, errors);
    read_token(in, put, services.context.now());
  };
  put_and_reply(services, call, reply, fill, "producer", 201,
                [name](const StateView& view) { return shown_producer(view, *name); });
}

void change_producer(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader in(body, "", errors);
    v1::PutProducer& put = *request.mutable_put_producer();
    put.set_name(call->path[0]);
    if (const auto text = in.text("display_name", kDisplayTextMax)) put.set_display_name(*text);
    read_scope(in, put, false, errors);
    if (const auto disabled = in.boolean("disabled")) put.set_disabled(*disabled);
    in.finish();
  };
  put_and_reply(services, call, reply, fill, "producer", 200,
                [name = call->path[0]](const StateView& view) { return shown_producer(view, name); });
}

void rotate_key(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader in(body, "", errors);
    v1::PutProducer& put = *request.mutable_put_producer();
    put.set_name(call->path[0]);
    put.set_rotate(true);
    read_token(in, put, services.context.now());
  };
  put_and_reply(services, call, reply, fill, "producer", 200,
                [name = call->path[0]](const StateView& view) { return shown_producer(view, name); });
}

void remove_producer(const Services& services, const CallPtr& call, const Reply& reply) {
  remove_and_reply(services, call, reply, v1::DEFINITION_KIND_PRODUCER, call->path[0], SessionsOf::kNone);
}

// The generation of the key that a token is open for. The journal decides; asked first here, a stranger's
// guesses cost nothing.
Result<std::uint32_t> generation_of(const Services& services, const std::string& name, const Hash128& hash) {
  std::optional<std::uint32_t> generation;
  std::optional<Timestamp> expired;
  const Timestamp now = services.context.now();
  services.context.with_state([&](const StateView& view) {
    const auto* row = view.state.producers.find(name);
    if (row == nullptr || row->def.token_hash().empty()) return;
    if (!equal_signatures(row->def.token_hash(), as_view(hash))) return;
    if (row->def.token_expires_ns() < now)
      expired = row->def.token_expires_ns();
    else
      generation = row->def.generation();
  });
  if (generation) return *generation;
  return token_not_valid("producer", expired, now, "berth producer rotate " + name);
}

HttpReply collected_reply(const Services& services, const Call& call, const RequestAnswer& answer,
                          std::uint32_t generation) {
  const auto key = services.context.writer_key("producer:" + call.path[0], generation);
  if (!key.ok()) return problem_reply(to_problem(key.error()), call);
  json::object out;
  services.context.with_state(
      [&](const StateView& view) { out["producer"] = shown_producer(view, call.path[0]); });
  out["access_key"] = "producer:" + call.path[0];
  out["cluster"] = to_string(services.context.facts().cluster_id);
  out["generation"] = generation;
  out["key"] = *key;
  out["position"] = answer.position;
  return json_reply(answer.replayed ? 200 : 201, out);
}

// Asked without a key, by the producer's machine.
void collect_key(const Services& services, const CallPtr& call, const Reply& reply) {
  std::optional<std::string> token;
  const bool read = read_body(call, reply, [&](ObjectReader& in) { token = in.required_text("token", 200); });
  if (!read) return;
  const Hash128 hash = hash_of_token(*token);
  const auto generation = generation_of(services, call->path[0], hash);
  if (!generation) return reply(problem_reply(to_problem(generation.error()), *call));
  v1::Request request = request_of(services, *call);
  request.set_actor("producer:" + call->path[0]);
  request.clear_owner();
  request.mutable_collect_producer_key()->set_name(call->path[0]);
  request.mutable_collect_producer_key()->set_token_hash(std::string(as_view(hash)));
  ask_and_reply(services, call, reply, request, [services, call, generation](const RequestAnswer& answer) {
    return collected_reply(services, *call, answer, *generation);
  });
}

}  // namespace

std::vector<Route> producer_routes() {
  constexpr const char* kOne = "/v1/producers/{producer}";
  const Route::Need see{Noun::kProducer, Verb::kSee}, create{Noun::kProducer, Verb::kCreate},
      change{Noun::kProducer, Verb::kChange}, end{Noun::kProducer, Verb::kEnd};
  const Route::Traits past_of_superadmins{.past = Route::kOfSuperadmins, .producers = Route::kThemselves};
  return {{"GET", "/v1/producers", "listProducers", list_producers, see, {.past = Route::kOfSuperadmins}},
          {"POST", "/v1/producers", "createProducer", create_producer, create},
          {"GET", kOne, "getProducer", show_producer, Route::kAnybody, past_of_superadmins},
          {"PATCH", kOne, "changeProducer", change_producer, change},
          {"DELETE", kOne, "deleteProducer", remove_producer, end},
          {"POST", "/v1/producers/{producer}/rotate", "rotateProducerKey", rotate_key, change},
          {"POST", "/v1/producers/{producer}/key", "collectProducerKey", collect_key, Route::kOpen}};
}

}  // namespace berth::controller::api
