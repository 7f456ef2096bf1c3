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
  const auto wanted = [&](const v1::Sealed& sealed) {
    return sealed.key() < number && !is_destroyed(state, sealed.key());
  };
  if (const HeadRow* row = state.heads.find("head"); row != nullptr && wanted(row->secret_key))
    if (!f({v1::SECRET_KIND_HEAD, {}, {}, row->secret_key})) return;
  for (const std::string& id : state.key_pairs.sorted_keys()) {
    const auto& def = state.key_pairs.find(id)->def;
    if (def.has_secret() && wanted(def.secret()) && !f({v1::SECRET_KIND_KEY, id, {}, def.secret()})) return;
  }
  for (const std::string& user : state.passwords.sorted_keys()) {
    const auto& def = state.passwords.find(user)->def;
    if (wanted(def.hash()) && !f({v1::SECRET_KIND_PASSWORD, user, {}, def.hash()})) return;
  }
  for (const SessionId& id : state.sessions.sorted_keys()) {
    const auto sealed = environment_of(*state.sessions.find(id));
    if (sealed && wanted(*sealed) && !f({v1::SECRET_KIND_ENVIRONMENT, {}, id, *sealed})) return;
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

std::set<std::uint32_t> keys_needed(const State& state) {
  std::set<std::uint32_t> out;
  for_each_sealed_before(state, UINT32_MAX, [&](const SealedSecret& secret) {
    out.insert(secret.sealed.key());
    return true;
  });
  return out;
}

bool is_destroyed(const State& state, std::uint32_t number) {
  const SealKeyRow* row = state.seal_keys.find(SealKeyRow::make_key(number));
  return row != nullptr && row->destroyed;
}

const SealerRow* find_lagging_sealer(const State& state, std::uint32_t number, Timestamp now,
                                     const std::set<std::string>& without) {
  for (const std::string& server : state.sealers.sorted_keys()) {
    const SealerRow* row = state.sealers.find(server);
    if (row->number <= number && now - row->said_at < kSealerHeard && !without.contains(server)) return row;
  }
  return nullptr;
}

}  // namespace berth::projections
