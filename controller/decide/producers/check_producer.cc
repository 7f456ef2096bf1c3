#include "controller/decide/producers/check_producer.h"

#include "events/base/text.h"
#include "events/codec/signing.h"
#include "projections/producer_scope.h"

namespace berth::controller {

std::optional<Refusal> check_producer(const DecisionContext& c, const v1::Request& request) {
  const auto name = producer_of(request.actor());
  if (!name) return std::nullopt;
  if (request.has_collect_producer_key() && request.collect_producer_key().name() == *name)
    return std::nullopt;  // by the token, whatever its scope
  const auto* row = c.state.producers.find(std::string(*name));
  if (row == nullptr) return unknown_producer(std::string(*name));
  if (row->def.disabled())
    return Refusal{"producer-disabled", "producer " + row->def.name() + " is disabled",
                   "ask an administrator"};
  const std::string_view body = projections::name_of_body(request);
  if (!projections::has_in_scope(row->def, body))
    return Refusal{"out-of-scope",
                   "producer " + row->def.name() + " may not ask for " +
                       (body.empty() ? "what is not known" : std::string(body)),
                   "its scope says which requests it may ask: berth producer show " + row->def.name()};
  const v1::Owner& owner = request.owner();
  if (!projections::has_in_scope(c.state, row->def, owner))
    return Refusal{"out-of-scope",
                   "producer " + row->def.name() + " may not ask for user '" + clipped(owner.user()) +
                       "' in project '" + clipped(owner.domain() + "/" + owner.project(), 160) + "'",
                   "its scope says for whom it may ask: berth producer show " + row->def.name()};
  const auto* user = c.state.users.find(owner.user());
  if (user == nullptr)
    return Refusal{"unknown-owner", "no user is named '" + clipped(owner.user()) + "'", ""};
  if (user->def.disabled())
    return Refusal{"owner-disabled", "user " + owner.user() + " is disabled", "ask an administrator"};
  return std::nullopt;
}

bool may_act_on(const DecisionContext& c, const v1::Request& request, const v1::Owner& subject) {
  const auto name = producer_of(request.actor());
  if (!name) return true;
  const auto* row = c.state.producers.find(std::string(*name));
  return row != nullptr && subject.user() == request.owner().user() &&
         projections::has_in_scope(c.state, row->def, subject);
}

std::string whose_rights(const v1::Request& request) {
  return producer_of(request.actor()) ? "user:" + request.owner().user() : request.actor();
}

Refusal unknown_producer(const std::string& name) {
  return {"unknown-producer", "no producer is named '" + clipped(name) + "'", "berth producer ls"};
}

}  // namespace berth::controller
