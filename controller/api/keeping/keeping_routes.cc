// How the cluster is kept: what history keeps, and the keys that seal secrets.
#include <algorithm>
#include <set>

#include "controller/api/keeping/seal_key_place.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/map/json_values.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"
#include "events/base/secrets.h"
#include "projections/sealed_secrets.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::SealedSecret;
using projections::Verb;

constexpr std::size_t kResealedAtOnce = 100;
constexpr std::size_t kKeysShown = 500;
constexpr std::size_t kServersMax = 256, kServerNameMax = 128, kBackupIdMax = 64;
constexpr std::int64_t kDaysMax = 36'500;
constexpr std::int64_t kDayMs = 24 * kHour / kMillisecond;

HttpReply kept_position(const RequestAnswer& answer) {
  return json_reply(200, json::object{{"position", answer.position}});
}

void get_history(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  json::object out;
  services.context.with_state([&](const StateView& view) {
    const auto& kept = view.state.kept();
    const std::int64_t days = kept.history_keep_ms / kDayMs;
    out["keep_days"] = days == 0 ? json::value() : json::value(days);
    out["pruned_before"] = time_or_null(kept.pruned_before);
    out["backup"] = kept.backup.empty() ? json::value() : json::value(kept.backup);
    out["backup_taken_at"] = time_or_null(kept.backup_taken);
    out["restored_from"] = kept.restored_from.empty() ? json::value() : json::value(kept.restored_from);
    out["restored_taken_at"] = time_or_null(kept.restored_taken);
    out["restored_at"] = time_or_null(kept.restored_at);
  });
  reply(json_reply(200, out));
}

void set_history(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader reader(body, "", errors);
    const auto days = reader.integer("keep_days", 0, kDaysMax);
    reader.finish();
    request.mutable_set_history_rule()->set_keep_ms(days.value_or(0) * kDayMs);
  };
  ask_with_body(services, call, reply, fill, kept_position);
}

void prune_history(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader reader(body, "", errors);
    const auto before = reader.time("before");
    reader.require("before", before.has_value());
    reader.finish();
    request.mutable_prune_history()->set_before_ms(before.value_or(0) / kMillisecond);
  };
  ask_with_body(services, call, reply, fill, kept_position);
}

// The number of the key with which this server seals.
std::uint32_t sealing_key(const Services& services) {
  return services.context.passwords().seal("", "").key();
}

// Whether this server has the key: the first one, and those of a cluster.json of another time, are in no log.
bool opens_with(const Services& services, std::uint32_t number) {
  v1::Sealed box;
  box.set_key(number);
  const auto opened = services.context.passwords().open("", box);
  return opened.ok() || opened.error().code != Code("unknown-sealing-key");
}

json::object sealing_json(const Services& services) {
  const std::uint32_t sealing = sealing_key(services);
  std::set<std::uint32_t> destroyed, known;
  std::uint32_t newest = sealing;
  std::size_t left = 0;
  json::array servers;
  services.context.with_state([&](const StateView& view) {
    for (const std::string& key : view.state.seal_keys.sorted_keys()) {
      const auto& row = *view.state.seal_keys.find(key);
      newest = std::max(newest, row.number);
      known.insert(row.number);
      if (row.destroyed) destroyed.insert(row.number);
    }
    left = projections::count_sealed_before(view.state, newest);
    for (const std::string& server : view.state.sealers.sorted_keys()) {
      const auto& row = *view.state.sealers.find(server);
      servers.push_back(
          json::object{{"name", server}, {"sealing", row.number}, {"said_at", time_or_null(row.said_at)}});
    }
  });
  json::array live;
  for (std::uint32_t number = 1; number <= newest && live.size() < kKeysShown; ++number)
    if (!destroyed.contains(number) && (known.contains(number) || opens_with(services, number)))
      live.push_back(number);
  return {{"sealing", sealing},
          {"newest", newest},
          {"to_reseal", left},
          {"live", std::move(live)},
          {"servers", std::move(servers)}};
}

void get_sealing(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  reply(json_reply(200, sealing_json(services)));
}

// The new key is sealed with the one that seals now: every server has that.
void add_seal_key(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto seal = [services](v1::Request& request) {
    const auto newest = sealing_json(services).at("newest").to_number<std::uint32_t>();
    auto* add = request.mutable_add_seal_key();
    add->set_number(newest + 1);
    *add->mutable_key() =
        services.context.passwords().seal(seal_key_place(newest + 1), random_bytes(kSealKeyBytes));
  };
  const auto fill = [&seal](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader(body, "", errors).finish();
    seal(request);
  };
  ask_with_body(services, call, reply, fill, kept_position, seal);
}

// The same secret in a box of the key that seals now; nullopt: it does not open.
std::optional<v1::Sealed> sealed_anew(const Services& services, const projections::State& state,
                                      const SealedSecret& secret) {
  const ApiContext& context = services.context;
  if (secret.kind == v1::SECRET_KIND_KEY) {
    v1::KeyPairDefined key = state.key_pairs.find(secret.name)->def;
    const auto opened = context.key_pairs().open(key);
    if (!opened) return std::nullopt;
    context.key_pairs().seal(key, *opened);
    return key.secret();
  }
  if (secret.kind == v1::SECRET_KIND_PASSWORD) {
    const auto opened = context.passwords().open(secret.name, secret.sealed);
    return opened ? std::optional(context.passwords().seal(secret.name, *opened)) : std::nullopt;
  }
  if (secret.kind == v1::SECRET_KIND_HEAD) {
    const auto sealed =
        services.context.head_sealed_anew(state.heads.find("head")->public_key, secret.sealed);
    return sealed ? std::optional(*sealed) : std::nullopt;
  }
  const auto* session = state.sessions.find(secret.session);
  const auto opened =
      context.environments().open(*session->environment, session->actor, session->request.view());
  if (!opened) return std::nullopt;
  v1::Request asked;  // as it was sealed: by whom it was asked, and in which request
  asked.set_actor(session->actor);
  asked.set_id(std::string(session->request.view()));
  *asked.mutable_request_session()->mutable_spec()->mutable_env() = opened->env();
  context.environments().seal(asked, random_bytes(kSealNonceBytes));
  return asked.request_session().environment();
}

// At most kResealedAtOnce; `broken` counts those that no key opens.
v1::ResealSecrets resealed(const Services& services, std::size_t& broken) {
  v1::ResealSecrets out;
  const std::uint32_t sealing = sealing_key(services);
  services.context.with_state([&](const StateView& view) {
    projections::for_each_sealed_before(view.state, sealing, [&](const SealedSecret& secret) {
      auto sealed = sealed_anew(services, view.state, secret);
      if (!sealed) {
        ++broken;
        return true;
      }
      auto* one = out.add_secrets();
      one->set_kind(secret.kind);
      one->set_name(secret.name);
      if (secret.kind == v1::SECRET_KIND_ENVIRONMENT) one->set_session(std::string(secret.session.view()));
      one->set_before(secret.sealed.key());
      one->mutable_secret()->Swap(&*sealed);
      return static_cast<std::size_t>(out.secrets_size()) < kResealedAtOnce;
    });
  });
  return out;
}

void reseal(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  query.finish();
  auto body = parse_body(call->request.body);
  if (!body.ok()) return reply(problem_reply(to_problem(body.error()), *call));
  ObjectReader(*body, "", errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const auto told = std::make_shared<json::object>();
  const auto seal = [services, told](v1::Request& asked) {
    std::size_t broken = 0;
    *asked.mutable_reseal_secrets() = resealed(services, broken);
    *told = {{"resealed", asked.reseal_secrets().secrets_size()}, {"broken", broken}};
  };
  v1::Request request = request_of(services, *call);
  seal(request);
  if (request.reseal_secrets().secrets_size() == 0) return reply(json_reply(200, *told));
  const auto answered = [told](const RequestAnswer& answer) {
    (*told)["position"] = answer.position;
    return json_reply(200, *told);
  };
  ask_and_reply(services, call, reply, request, answered, seal);
}

void destroy_seal_key(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader reader(body, "", errors);
    const auto number = reader.integer("number", 1, UINT32_MAX);
    reader.require("number", number.has_value());
    if (const auto* without = reader.array("without", kServersMax))
      for (std::string& server : texts_of(*without, reader.place_of("without"), kServerNameMax, errors))
        request.mutable_destroy_seal_key()->add_without(std::move(server));
    reader.finish();
    request.mutable_destroy_seal_key()->set_number(static_cast<std::uint32_t>(number.value_or(0)));
  };
  ask_with_body(services, call, reply, fill, kept_position);
}

// A backup is taken by a client that reads the journal: it tells, and the cluster remembers the newest.
void record_backup(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader reader(body, "", errors);
    auto& backup = *request.mutable_record_backup()->mutable_backup();
    backup.set_backup(reader.required_text("id", kBackupIdMax));
    const auto taken = reader.time("taken_at");
    reader.require("taken_at", taken.has_value());
    backup.set_taken_ns(taken.value_or(0));
    if (const auto* keys = reader.array("sealing_keys", kKeysShown))
      for (const auto& key : *keys) {
        const std::int64_t number = key.is_int64() ? key.get_int64() : 0;
        if (number < 1 || number > UINT32_MAX)
          reader.fail("invalid-value", "sealing_keys", "no number of a key");
        backup.add_sealing_keys(static_cast<std::uint32_t>(number));
      }
    reader.finish();
  };
  ask_with_body(services, call, reply, fill, kept_position);
}

}  // namespace

std::vector<Route> keeping_routes() {
  const auto sees = Route::Need{Noun::kCluster, Verb::kSee};
  const auto changes = Route::Need{Noun::kCluster, Verb::kChange};
  return {{"GET", "/v1/history", "getHistory", get_history, sees},
          {"PUT", "/v1/history", "setHistory", set_history, changes},
          {"POST", "/v1/history/prune", "pruneHistory", prune_history, changes},
          {"POST", "/v1/history/backups", "recordBackup", record_backup, {Noun::kJournal, Verb::kSee}},
          {"GET", "/v1/sealing", "getSealing", get_sealing, {Noun::kJournal, Verb::kSee}},
          {"POST", "/v1/sealing/keys", "addSealKey", add_seal_key, changes},
          {"POST", "/v1/sealing/reseal", "resealSecrets", reseal, changes},
          {"POST", "/v1/sealing/destroy", "destroySealKey", destroy_seal_key, changes}};
}

}  // namespace berth::controller::api
