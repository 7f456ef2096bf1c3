#include "projections/sealed_secrets.h"

namespace berth::projections {
namespace {

std::optional<v1::Sealed> environment_of(const SessionRow& session) {
  v1::Sealed sealed;
  if (!session.environment || !sealed.ParseFromString(*session.environment)) return std::nullopt;
  return sealed;
}

}  // namespace

std::optional<SealedSecret> find_secret(const State& state, const v1::SecretResealed& which) {
  if (which.kind() == v1::SECRET_KIND_KEY) {
    const auto* row = state.key_pairs.find(which.name());
    if (row == nullptr || !row->def.has_secret()) return std::nullopt;
    return SealedSecret{which.kind(), which.name(), {}, row->def.secret()};
  }
  if (which.kind() == v1::SECRET_KIND_PASSWORD) {
    const auto* row = state.passwords.find(which.name());
    if (row == nullptr) return std::nullopt;
    return SealedSecret{which.kind(), which.name(), {}, row->def.hash()};
  }
  if (which.kind() == v1::SECRET_KIND_HEAD) {
    const HeadRow* row = state.heads.find("head");
    if (row == nullptr || !which.name().empty()) return std::nullopt;
    return SealedSecret{which.kind(), {}, {}, row->secret_key};
  }
  if (which.kind() != v1::SECRET_KIND_ENVIRONMENT) return std::nullopt;
  const auto id = Uuid::from_bytes(which.session());
  const auto* row = id ? state.sessions.find(SessionId(*id)) : nullptr;
  const auto sealed = row != nullptr ? environment_of(*row) : std::nullopt;
  if (!sealed) return std::nullopt;
  return SealedSecret{which.kind(), {}, row->id, *sealed};
}

void for_each_sealed_before(const State& state, std::uint32_t number,
                            const std::function<bool(const SealedSecret&)>& f) {
  if (const HeadRow* row = state.heads.find("head"); row != nullptr && row->secret_key.key() < number)
    if (!f({v1::SECRET_KIND_HEAD, {}, {}, row->secret_key})) return;
  for (const std::string& id : state.key_pairs.sorted_keys()) {
    const auto& def = state.key_pairs.find(id)->def;
    if (def.has_secret() && def.secret().key() < number && !f({v1::SECRET_KIND_KEY, id, {}, def.secret()}))
      return;
  }
  for (const std::string& user : state.passwords.sorted_keys()) {
    const auto& def = state.passwords.find(user)->def;
    if (def.hash().key() < number && !f({v1::SECRET_KIND_PASSWORD, user, {}, def.hash()})) return;
  }
  for (const SessionId& id : state.sessions.sorted_keys()) {
    const auto sealed = environment_of(*state.sessions.find(id));
    if (sealed && sealed->key() < number && !f({v1::SECRET_KIND_ENVIRONMENT, {}, id, *sealed})) return;
  }
}

std::size_t count_sealed_before(const State& state, std::uint32_t number) {
  std::size_t count = 0;
  for_each_sealed_before(state, number, [&](const SealedSecret&) {
    ++count;
    return true;
  });
  return count;
}

}  // namespace berth::projections
