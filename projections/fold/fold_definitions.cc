// Definitions: the row is the event. How far an image is being built stands in the image's row.
#include "events/codec/words/enum_words.h"
#include "projections/fold/event_context.h"
#include "projections/fold/net.h"
#include "projections/sealed_secrets.h"

namespace berth::projections {
namespace {

template <class Row, class M> Forbidden define(EventContext& c, Table<Row>& table, const M& def) {
  Row row;
  row.def = def;
  if (row.key().empty()) return "a definition without a name";
  table.put(std::move(row));
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

// What may be removed and then never comes back.
template <class Row, class M>
Forbidden define_once(EventContext& c, Table<Row>& table, v1::DefinitionKind kind, const M& def,
                      const std::string& name) {
  if (c.state.is_retired(kind, name)) return net::kRetired;
  return define(c, table, def);
}

void forget_with_shares(State& state, v1::ScopeKind scope, const std::string& id) {
  forget_shares(state, scope, id);
  forget_session_shares(state, scope, id);
  state.limits.erase(word(scope) + "/" + id);
}

// REQUIRES: check_removal() of it.
void forget(State& state, v1::DefinitionKind kind, const std::string& name) {
  switch (kind) {
    case v1::DEFINITION_KIND_GROUP: state.groups.erase(name); return forget_group(state, name);
    case v1::DEFINITION_KIND_IMAGE: state.images.erase(name); return;
    case v1::DEFINITION_KIND_PRESET: state.presets.erase(name); return;
    case v1::DEFINITION_KIND_KEY: return forget_key_pair(state, name);
    case v1::DEFINITION_KIND_PRODUCER: state.producers.erase(name); return;
    case v1::DEFINITION_KIND_USER:
      forget_user(state, name);
      return forget_with_shares(state, v1::SCOPE_KIND_USER, name);
    case v1::DEFINITION_KIND_PROJECT:
      state.projects.erase(name);
      return forget_with_shares(state, v1::SCOPE_KIND_PROJECT, name);
    case v1::DEFINITION_KIND_DOMAIN:
      state.domains.erase(name);
      state.limits.erase("domain/" + name);
      return;
    default: return;
  }
}

}  // namespace

Forbidden apply(EventContext& c, const v1::SlotTypeRegistered& e) {
  if (e.kind() > 2) return "a slot kind that does not exist";
  return define(c, c.state.slot_types, e);
}
Forbidden apply(EventContext& c, const v1::ResourceGroupDefined& e) {
  if (auto reason = net::check_group(e); !reason.empty()) return reason;
  return define_once(c, c.state.groups, v1::DEFINITION_KIND_GROUP, e, e.name());
}
Forbidden apply(EventContext& c, const v1::DomainDefined& e) {
  return define_once(c, c.state.domains, v1::DEFINITION_KIND_DOMAIN, e, e.name());
}
Forbidden apply(EventContext& c, const v1::ProjectDefined& e) {
  if (c.state.domains.find(e.domain()) == nullptr) return "a project of a domain that does not exist";
  return define_once(c, c.state.projects, v1::DEFINITION_KIND_PROJECT, e, e.domain() + "/" + e.name());
}
Forbidden apply(EventContext& c, const v1::UserDefined& e) {
  if (auto reason = net::check_user(c.state, e); !reason.empty()) return reason;
  return define_once(c, c.state.users, v1::DEFINITION_KIND_USER, e, e.name());
}
Forbidden apply(EventContext& c, const v1::KeyPairDefined& e) {
  if (c.state.users.find(e.user()) == nullptr) return "a key pair of a user that does not exist";
  const KeyPairRow* known = c.state.key_pairs.find(e.id());
  const bool is_new = known == nullptr || known->def.secret().key() != e.secret().key();
  if (is_new && is_destroyed(c.state, e.secret().key())) return "a secret that a destroyed key sealed";
  return define_once(c, c.state.key_pairs, v1::DEFINITION_KIND_KEY, e, e.id());
}
Forbidden apply(EventContext& c, const v1::ImageRegistered& e) {
  return define_once(c, c.state.images, v1::DEFINITION_KIND_IMAGE, e, e.reference());
}

Forbidden apply(EventContext& c, const v1::ImageBuildChanged& e) {
  if (e.reference().empty()) return "a build of no image";
  if (e.percent() > 100) return "a build's percent out of range";
  if (c.state.is_retired(v1::DEFINITION_KIND_IMAGE, e.reference())) return net::kRetired;
  const ImageRow* known = c.state.images.find(e.reference());
  ImageRow row = known != nullptr ? *known : ImageRow();
  row.def.set_reference(e.reference());
  if (!row.build || canonical_bytes(*row.build) != canonical_bytes(e)) row.build_moved_at = c.time;
  row.build = e;
  c.state.images.put(std::move(row));
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

Forbidden apply(EventContext& c, const v1::PresetDefined& e) {
  return define_once(c, c.state.presets, v1::DEFINITION_KIND_PRESET, e, e.name());
}

Forbidden apply(EventContext& c, const v1::LimitSet& e) {
  if (auto reason = net::check_limit(c.state, e); !reason.empty()) return reason;
  return define(c, c.state.limits, e);
}

Forbidden apply(EventContext& c, const v1::LimitRemoved& e) {
  const std::string key = word(e.scope()) + "/" + e.id();
  if (c.state.limits.find(key) == nullptr) return "there is no such limit";
  c.state.limits.erase(key);
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

Forbidden apply(EventContext& c, const v1::DefinitionRemoved& e) {
  if (auto reason = net::check_removal(c.state, e.kind(), e.name()); !reason.empty()) return reason;
  forget(c.state, e.kind(), e.name());
  c.state.retired.put({RetiredRow::make_key(e.kind(), e.name())});
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

}  // namespace berth::projections
