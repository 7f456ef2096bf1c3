#include <algorithm>

#include "controller/decide/decide.h"
#include "controller/decide/identity/identity_checks.h"
#include "controller/decide/name_retired.h"
#include "controller/decide/producers/check_producer.h"
#include "events/base/generation.h"
#include "events/base/text.h"
#include "events/base/wire_time.h"
#include "events/codec/words/enum_words.h"
#include "projections/producer_scope.h"

namespace berth::controller {
namespace {

using projections::Noun;
using projections::Verb;

constexpr Duration kTokenLife = kHour;  // at most

std::string listed_requests() {
  std::vector<std::string> names;
  for (const auto name : projections::producer_requests()) names.emplace_back(name);
  return listed(names, names.size());
}

std::optional<Refusal> check_requests(const v1::PutProducer& body) {
  for (const std::string& request : body.requests())
    if (!projections::is_producer_request(request))
      return Refusal{"unknown-request-kind", "a producer cannot be given '" + clipped(request) + "'",
                     listed_requests()};
  return std::nullopt;
}

// Names are never given again, so that a scope means for ever whom it meant when it was given.
std::optional<Refusal> check_owners(const projections::State& state, const v1::ProducerOwners& owners) {
  const v1::ScopeKind scope = owners.scope();
  const std::string& id = owners.id();
  if (!projections::is_owner_scope(scope))
    return Refusal{"unknown-scope", "there is no scope '" + word(scope) + "'",
                   "user, project, domain or cluster"};
  if (scope == v1::SCOPE_KIND_CLUSTER)
    return id.empty() ? std::nullopt
                      : std::optional(Refusal{"invalid-definition", "the scope cluster has no name", ""});
  if (scope == v1::SCOPE_KIND_USER && state.users.find(id) == nullptr) return unknown("user", id);
  if (scope == v1::SCOPE_KIND_PROJECT && state.projects.find(id) == nullptr) return unknown("project", id);
  if (scope == v1::SCOPE_KIND_DOMAIN && state.domains.find(id) == nullptr) return unknown("domain", id);
  return std::nullopt;
}

std::optional<Refusal> check_scope(const DecisionContext& c, const v1::PutProducer& body) {
  if (!body.set_scope() && (body.requests_size() > 0 || body.owners_size() > 0))
    return Refusal{"invalid-definition", "a scope is named and not set", ""};
  if (body.owners_size() > projections::kProducerOwnersMax)
    return Refusal{"invalid-definition",
                   "a producer has at most " + std::to_string(projections::kProducerOwnersMax) + " owners",
                   "name their project or domain"};
  if (auto refusal = check_requests(body)) return refusal;
  for (const auto& owners : body.owners())
    if (auto refusal = check_owners(c.state, owners)) return refusal;
  return std::nullopt;
}

std::optional<Refusal> check_token(const DecisionContext& c, const v1::PutProducer& body) {
  if (body.token_hash().empty()) return std::nullopt;
  if (body.token_hash().size() != sizeof(Hash128))
    return Refusal{"invalid-spec", "the hash of a token has 16 bytes", ""};
  if (!body.create() && !body.rotate())
    return Refusal{"invalid-definition", "a token comes with a new key alone", "rotate the key"};
  const Timestamp expires = from_wire_ms(body.token_expires_ms());
  if (expires <= c.now || expires > c.now + kTokenLife + kMinute)
    return Refusal{"invalid-spec", "a token lives for an hour at most", ""};
  return std::nullopt;
}

std::optional<Refusal> check_name(const DecisionContext& c, const v1::PutProducer& body) {
  const bool known = c.state.producers.find(body.name()) != nullptr;
  if (!body.create()) return known ? std::nullopt : std::optional(unknown_producer(body.name()));
  if (auto refusal = check_new_name("producer", body.name())) return refusal;
  if (known)
    return Refusal{"name-in-use", "there is a producer " + body.name() + " already", "choose another name"};
  if (auto retired = check_not_retired(c.state, v1::DEFINITION_KIND_PRODUCER, body.name())) return retired;
  return std::nullopt;
}

void set_scope(const v1::PutProducer& body, v1::ProducerDefined& producer) {
  producer.clear_requests();
  for (const std::string& request : body.requests())
    if (std::ranges::find(producer.requests(), request) == producer.requests().end())
      producer.add_requests(request);
  *producer.mutable_owners() = body.owners();
}

// A new generation: what the key before signs is refused from here on, and its open token is void.
void set_generation(const v1::PutProducer& body, v1::ProducerDefined& producer) {
  producer.set_generation(producer.generation() + 1);
  producer.set_token_hash(body.token_hash());
  producer.set_token_expires_ns(body.token_hash().empty() ? 0 : from_wire_ms(body.token_expires_ms()));
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::PutProducer& body) {
  if (auto refusal = check_name(c, body)) return *refusal;
  if (auto refusal = check_display_name(body.display_name())) return *refusal;
  if (auto refusal = check_scope(c, body)) return *refusal;
  if (auto refusal = check_token(c, body)) return *refusal;
  v1::ProducerDefined producer;
  if (body.create()) {
    producer.set_name(body.name());
    producer.set_created_ns(c.now);
    if (c.actor) producer.set_made_by(c.actor->user);
  } else {
    producer = c.state.producers.find(body.name())->def;
  }
  if (body.has_display_name()) producer.set_display_name(body.display_name());
  if (body.set_scope()) set_scope(body, producer);
  if (body.has_disabled()) producer.set_disabled(body.disabled());
  if (body.create() || body.rotate()) {
    if (producer.generation() + 1 >= kGenerationEnd)
      return Refusal{"invalid-generation", "this producer has had all keys that there are",
                     "make another one"};
    set_generation(body, producer);
  }
  EventList events;
  *events.add(c.stamp).mutable_producer_defined() = std::move(producer);
  return events;
}

}  // namespace berth::controller
