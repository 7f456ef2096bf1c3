// Key pairs: /v1/keys. A new one's secret is sealed here and shown once: to whoever asked, also when the same
// request is asked again.
#include "controller/api/auth/key_file.h"
#include "controller/api/identity/identity_json.h"
#include "controller/api/identity/named_reply.h"
#include "controller/api/login/subject.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/routes/page.h"
#include "controller/api/routes/remove.h"
#include "controller/api/routes/user_in_group.h"
#include "events/base/hex.h"
#include "events/codec/request_hash.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::KeyPairRow;
using projections::Noun;
using projections::Verb;

// Of the caller, or of ?user=.
void list_keys(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const std::string user = query.text("user").value_or(call->caller.user);
  const Page page = read_page(query);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const projections::Actor actor = actor_of(view.state, call->caller);
    const auto* row = view.state.users.find(user);
    if (row == nullptr || !may(actor, Noun::kKey, Verb::kSee, row->def)) {
      const auto missing = missing_user(view.state, call->caller, user);
      out = problem_reply(missing.value_or(make_problem(
                              "denied", "the keys of user '" + clipped(user) + "' are not yours to see")),
                          *call);
      return;
    }
    out = page_reply(view, page, "keys", view.state.key_pairs, [&](const KeyPairRow& key) -> json::value {
      if (key.def.user() != user) return nullptr;
      return key_to_json(key.def);
    });
  });
  reply(std::move(out));
}

// The same for a request that is asked again, so that its answer is found.
std::string id_of_new_key(const v1::Request& request) {
  return "BK" +
         to_hex(as_view(blake2b_128("key pair:" + request.actor() + '\0' + request.id()))).substr(0, 20);
}

void fill_new_key(const Services& services, const Call& call, const json::object& body, v1::Request& request,
                  Errors& errors) {
  ObjectReader in(body, "", errors);
  v1::KeyPairDefined& key = *request.mutable_add_key_pair()->mutable_key();
  key.set_name(in.text("name", kDisplayTextMax).value_or(""));
  in.require("name", !key.name().empty());
  key.set_user(in.text("user", kNameTextMax).value_or(call.caller.user));
  key.set_read_only(in.boolean("read_only").value_or(false));
  const auto expires_in = in.duration_ms("expires_in");
  if (expires_in && *expires_in == 0) in.fail("invalid-value", "expires_in", "must be more than 0");
  in.finish();
  if (!errors.empty()) return;
  key.set_id(id_of_new_key(request));
  // What was asked for, without what differs from try to try: secret, nonce and time.
  request.set_keyed_hash(
      std::string(as_view(blake2b_128(hashed_bytes(request) + std::to_string(expires_in.value_or(0))))));
  if (expires_in) key.set_expires_ns(services.context.now() + *expires_in * kMillisecond);
  services.context.key_pairs().seal(key, new_key_pair().secret_key);
}

// Asked again, it shows the secret to who might make the key pair now.
HttpReply new_key_reply(const Services& services, const Call& call, const RequestAnswer& answer,
                        const std::string& id) {
  std::optional<v1::KeyPairDefined> key;
  std::optional<Problem> problem;
  services.context.with_state([&](const StateView& view) {
    const KeyPairRow* row = view.state.key_pairs.find(id);
    if (row == nullptr) return;
    key = row->def;
    if (answer.replayed)
      problem = check_managed_subject(view.state, call.caller, key->user(), Noun::kKey, Verb::kCreate);
  });
  if (problem) return problem_reply(*problem, call);
  json::object out{{"key", nullptr}, {"secret_key", nullptr}, {"position", answer.position}};
  if (key) {
    out["key"] = key_to_json(*key);
    if (const auto secret = services.context.key_pairs().open(*key); secret.ok()) out["secret_key"] = *secret;
  }
  return json_reply(answer.replayed ? 200 : 201, out);
}

void create_key(const Services& services, const CallPtr& call, const Reply& reply) {
  const Name id = std::make_shared<std::string>();
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    fill_new_key(services, *call, body, request, errors);
    *id = request.add_key_pair().key().id();
  };
  ask_with_body(
      services, call, reply, fill,
      [=](const RequestAnswer& answer) { return new_key_reply(services, *call, answer, *id); },
      [services](v1::Request& request) {
        services.context.key_pairs().seal(*request.mutable_add_key_pair()->mutable_key(),
                                          new_key_pair().secret_key);
      });
}

void change_key(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader in(body, "", errors);
    const auto active = in.boolean("active");
    in.require("active", active.has_value());
    in.finish();
    request.mutable_change_key_pair()->set_id(call->path[0]);
    request.mutable_change_key_pair()->set_active(active.value_or(false));
  };
  put_and_reply(services, call, reply, fill, "key", 200, [id = call->path[0]](const StateView& view) {
    const KeyPairRow* row = view.state.key_pairs.find(id);
    return row == nullptr ? json::value(nullptr) : json::value(key_to_json(row->def));
  });
}

void remove_key(const Services& services, const CallPtr& call, const Reply& reply) {
  remove_and_reply(services, call, reply, v1::DEFINITION_KIND_KEY, call->path[0], SessionsOf::kNone);
}

}  // namespace

std::vector<Route> key_routes() {
  const Route::Need see{Noun::kKey, Verb::kSee}, end{Noun::kKey, Verb::kEnd};
  return {{"GET", "/v1/keys", "listKeys", list_keys, see, {.past = Route::kOfSuperadmins}},
          {"POST", "/v1/keys", "createKey", create_key, {Noun::kKey, Verb::kCreate}},
          {"PATCH", "/v1/keys/{key}", "changeKey", change_key, {Noun::kKey, Verb::kChange}},
          {"DELETE", "/v1/keys/{key}", "deleteKey", remove_key, end, {.ends_own_key = true}}};
}

}  // namespace berth::controller::api
