#include "controller/api/login/by_producer.h"

#include <algorithm>

#include "events/base/text.h"
#include "events/codec/signing.h"
#include "projections/producer_scope.h"

namespace berth::controller::api {
namespace {

using projections::Noun;
using projections::Verb;

Problem out_of_scope(const std::string& producer, const std::string& what) {
  return make_problem("out-of-scope", "producer " + producer + " may not ask for " + what,
                      "its scope: berth producer show " + producer);
}

std::optional<Problem> become(const projections::State& state, const std::string& user,
                              const Route::Producers& route, Caller& caller) {
  const auto* row = state.producers.find(caller.producer);
  if (row == nullptr) return make_problem("key-inactive", "the producer was removed");
  if (route.use == Route::kAsk) {
    const std::string& request = v1::Request::descriptor()->FindFieldByNumber(route.request)->name();
    if (!projections::has_in_scope(row->def, request)) return out_of_scope(caller.producer, request);
  }
  const v1::Owner owner = projections::owner_in_scope(state, row->def, user);
  const auto* of = state.users.find(user);
  if (owner.user().empty() || of == nullptr)
    return out_of_scope(caller.producer, "user '" + clipped(user) + "'");
  if (of->def.disabled())
    return make_problem("owner-disabled", "user " + user + " is disabled", "ask an administrator");
  caller.user = user;
  caller.own_alone = route.use == Route::kRead;
  caller.role = caller.own_alone ? v1::ROLE_USER : of->def.role();
  caller.domain = owner.domain();
  caller.project = owner.project();
  return std::nullopt;
}

}  // namespace

std::optional<ProducerKey> find_producer_key(ApiContext& context, const std::string& access_key) {
  const auto name = producer_of(access_key);
  if (!name) return std::nullopt;
  ProducerKey key{std::string(*name), {}, false};
  std::uint32_t generation = 0;
  context.with_state([&](const StateView& view) {
    const auto* row = view.state.producers.find(key.name);
    if (row == nullptr) return;
    generation = row->def.generation();
    key.disabled = row->def.disabled();
  });
  if (generation == 0) return std::nullopt;
  auto secret = context.writer_key(access_key, generation);
  if (!secret.ok()) return std::nullopt;
  key.secret = std::move(*secret);
  return key;
}

std::optional<Problem> take_owner(const Services& services, Call& call) {
  if (call.caller.producer.empty() || call.route == nullptr) return std::nullopt;
  const Route::Producers& route = call.route->traits.producers;
  if (route.use == Route::kThemselves) return std::nullopt;
  if (route.use == Route::kNothing)
    return make_problem("denied", "this route is none of a producer's", "a person asks here");
  Errors errors;
  Query query(call.target, errors);
  const auto user = query.text("owner");
  const auto named =
      std::erase_if(call.target.parameters, [](const auto& parameter) { return parameter.first == "owner"; });
  if (named > 1)
    return make_problem("invalid-parameter", "owner= is named twice", "one request asks for one user");
  if (!user || user->empty())
    return make_problem("owner-missing", "a producer names for whom it asks: ?owner=USER", "");
  std::optional<Problem> problem;
  services.context.with_state(
      [&](const StateView& view) { problem = become(view.state, *user, route, call.caller); });
  return problem;
}

bool may_see_producer(const Services& services, const Call& call, const std::string& name) {
  if (!call.caller.producer.empty()) return call.caller.producer == name;
  return reach(actor_of(services, call), Noun::kProducer, Verb::kSee) == projections::Reach::kAll;
}

}  // namespace berth::controller::api
