// Definitions: the row is the event. How far an image is being built stands in the image's row.
#include "projections/fold/event_context.h"
#include "projections/fold/net.h"

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
Forbidden define_once(EventContext& c, Table<Row>& table, const char* kind, const M& def,
                      const std::string& name) {
  if (c.state.is_retired(kind, name)) return net::kRetired;
  return define(c, table, def);
}

}  // namespace

Forbidden apply(EventContext& c, const v1::SlotTypeRegistered& e) {
  if (e.kind() > 2) return "a slot kind that does not exist";
  return define(c, c.state.slot_types, e);
}
Forbidden apply(EventContext& c, const v1::ResourceGroupDefined& e) {
  return define_once(c, c.state.groups, "group", e, e.name());
}
Forbidden apply(EventContext& c, const v1::DomainDefined& e) {
  return define_once(c, c.state.domains, "domain", e, e.name());
}
Forbidden apply(EventContext& c, const v1::ProjectDefined& e) {
  if (c.state.domains.find(e.domain()) == nullptr) return "a project of a domain that does not exist";
  return define_once(c, c.state.projects, "project", e, e.domain() + "/" + e.name());
}
Forbidden apply(EventContext& c, const v1::UserDefined& e) {
  if (auto reason = net::check_user(c.state, e); !reason.empty()) return reason;
  return define_once(c, c.state.users, "user", e, e.name());
}
Forbidden apply(EventContext& c, const v1::KeyPairDefined& e) {
  if (c.state.users.find(e.user()) == nullptr) return "a key pair of a user that does not exist";
  return define_once(c, c.state.key_pairs, "key", e, e.id());
}
Forbidden apply(EventContext& c, const v1::ImageRegistered& e) {
  return define_once(c, c.state.images, "image", e, e.reference());
}

Forbidden apply(EventContext& c, const v1::ImageBuildChanged& e) {
  if (e.reference().empty()) return "a build of no image";
  if (e.percent() > 100) return "a build's percent out of range";
  if (c.state.is_retired("image", e.reference())) return net::kRetired;
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
  return define_once(c, c.state.presets, "preset", e, e.name());
}

Forbidden apply(EventContext& c, const v1::LimitSet& e) {
  if (auto reason = net::check_limit(c.state, e); !reason.empty()) return reason;
  return define(c, c.state.limits, e);
}

Forbidden apply(EventContext& c, const v1::LimitRemoved& e) {
  const std::string key = e.scope() + "/" + e.id();
  if (c.state.limits.find(key) == nullptr) return "there is no such limit";
  c.state.limits.erase(key);
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

Forbidden apply(EventContext& c, const v1::DefinitionRemoved& e) {
  if (auto reason = net::check_removal(c.state, e.kind(), e.name()); !reason.empty()) return reason;
  if (e.kind() == "group") {
    c.state.groups.erase(e.name());
    forget_group(c.state, e.name());
  } else if (e.kind() == "image") {
    c.state.images.erase(e.name());
  } else if (e.kind() == "preset") {
    c.state.presets.erase(e.name());
  } else if (e.kind() == "user") {
    forget_user(c.state, e.name());
  } else if (e.kind() == "key") {
    forget_key_pair(c.state, e.name());
  } else if (e.kind() == "producer") {
    c.state.producers.erase(e.name());
  } else {
    if (e.kind() == "domain") c.state.domains.erase(e.name());
    if (e.kind() == "project") c.state.projects.erase(e.name());
    c.state.limits.erase(e.kind() + "/" + e.name());
  }
  if (e.kind() == "user" || e.kind() == "project") {
    forget_shares(c.state, e.kind(), e.name());
    forget_session_shares(c.state, e.kind(), e.name());
  }
  c.state.retired.put({RetiredRow::make_key(e.kind(), e.name())});
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

}  // namespace berth::projections
