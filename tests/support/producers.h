// Producers, for the fold and for decisions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "events/schema/v1/request.pb.h"
#include "tests/support/events.h"
#include "tests/support/ids.h"
#include "tests/support/words.h"

namespace berth::testing {

using OwnerScopes = std::vector<std::pair<std::string, std::string>>;  // scope, id

inline v1::Event producer_defined(const std::string& name, const std::vector<std::string>& requests,
                                  const OwnerScopes& owners, std::uint32_t generation = 1) {
  v1::Event e;
  auto* def = e.mutable_producer_defined();
  def->set_name(name);
  def->set_generation(generation);
  for (const auto& request : requests) def->add_requests(request);
  for (const auto& [scope, id] : owners) {
    auto* added = def->add_owners();
    added->set_scope(value_of<v1::ScopeKind>(scope));
    added->set_id(id);
  }
  return e;
}
inline v1::Event with_token(v1::Event producer, const std::string& token_hash, Timestamp expires) {
  producer.mutable_producer_defined()->set_token_hash(token_hash);
  producer.mutable_producer_defined()->set_token_expires_ns(expires);
  return producer;
}
inline v1::Event switched_off(v1::Event producer) {
  producer.mutable_producer_defined()->set_disabled(true);
  return producer;
}
inline v1::Event producer_key_collected(const std::string& name, std::uint32_t generation = 1) {
  v1::Event e;
  e.mutable_producer_key_collected()->set_name(name);
  e.mutable_producer_key_collected()->set_generation(generation);
  return e;
}

// "web", which asks for and ends sessions of alice.
inline v1::Event web_producer() {
  return producer_defined("web", {"request_session", "terminate_session"}, {{"user", "alice"}});
}

inline v1::Request sent_by_producer(v1::Request request, const std::string& producer) {
  request.set_actor("producer:" + producer);
  return request;
}
// As the API sends it for an administrator; of whom no rights are asked.
inline v1::Request put_producer(const v1::Event& event) {
  const v1::ProducerDefined& def = event.producer_defined();
  v1::Request r;
  r.set_actor("controller");
  auto* put = r.mutable_put_producer();
  put->set_name(def.name());
  put->set_create(true);
  put->set_set_scope(true);
  *put->mutable_requests() = def.requests();
  *put->mutable_owners() = def.owners();
  put->set_token_hash(def.token_hash());
  put->set_token_expires_ms(def.token_expires_ns() / kMillisecond);
  return r;
}
inline v1::Request change_producer(const std::string& name) {
  v1::Request r;
  r.set_actor("controller");
  r.mutable_put_producer()->set_name(name);
  return r;
}
inline v1::Request collect_producer_key(const std::string& name, const std::string& token) {
  v1::Request r;
  r.set_actor("producer:" + name);
  r.mutable_collect_producer_key()->set_name(name);
  r.mutable_collect_producer_key()->set_token_hash(token);
  return r;
}

}  // namespace berth::testing
