#include "events/codec/environment_seal.h"

#include "events/codec/request_hash.h"

namespace berth {
namespace {

constexpr std::string_view kField = "environment";

v1::Sealed parsed(std::string_view bytes) {
  v1::Sealed sealed;
  sealed.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));  // malformed: it does not open
  return sealed;
}

void open_start(v1::StartKernel& start, const SealingKey& key, const Uuid& cluster, std::string_view agent) {
  if (!start.has_environment()) return;
  const auto opened = key.open(start.environment(),
                               SealBinding::of_order(cluster, agent, start.kernel_id(), start.attempt()));
  v1::Environment environment;
  if (!opened || !environment.ParseFromString(*opened)) return;
  *start.mutable_spec()->mutable_env() = environment.env();
  start.clear_environment();
}

}  // namespace

void EnvironmentSeal::seal(v1::Request& request, std::string_view nonce) const {
  if (!request.has_request_session() || request.request_session().spec().env().empty() || ring_.empty())
    return;
  const Hash128 hash = ring_.oldest().keyed_hash(hashed_bytes(request));
  v1::RequestSession& body = *request.mutable_request_session();
  v1::Environment environment;
  environment.mutable_env()->Swap(body.mutable_spec()->mutable_env());
  *body.mutable_environment() =
      ring_.newest().seal(environment.SerializeAsString(),
                          SealBinding::of_request(cluster_, request.actor(), request.id(), kField), nonce);
  request.set_keyed_hash(std::string(as_view(hash)));
}

Result<v1::Environment> EnvironmentSeal::open(std::string_view sealed, std::string_view actor,
                                              std::string_view request_id) const {
  const auto opened =
      ring_.open(parsed(sealed), SealBinding::of_request(cluster_, actor, request_id, kField));
  if (!opened) return opened.error();
  v1::Environment environment;
  if (!environment.ParseFromString(*opened))
    return make_error("seal-broken", "a sealed environment holds none");
  return environment;
}

v1::Sealed EnvironmentSeal::seal_for_agent(std::string_view sealed, std::string_view actor,
                                           std::string_view request_id, std::string_view agent,
                                           const std::string& agent_key, const v1::StartKernel& start) const {
  const v1::Sealed asked = parsed(sealed);
  const auto opened = ring_.open(asked, SealBinding::of_request(cluster_, actor, request_id, kField));
  if (!opened) return asked;
  return SealingKey::of_agent(agent_key).seal(
      *opened, SealBinding::of_order(cluster_, agent, start.kernel_id(), start.attempt()));
}

void open_environments(v1::Order& order, const Signer& agent) {
  const SealingKey key = SealingKey::of_agent(agent.key());
  for (auto& start : *order.mutable_start()) open_start(start, key, agent.cluster(), order.agent());
  if (!order.has_snapshot()) return;
  for (auto& kernel : *order.mutable_snapshot()->mutable_kernels())
    open_start(*kernel.mutable_start(), key, agent.cluster(), order.agent());
}

}  // namespace berth
