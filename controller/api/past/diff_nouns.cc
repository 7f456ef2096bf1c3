#include "controller/api/past/diff_nouns.h"

#include "controller/api/identity/identity_json.h"
#include "controller/api/map/agent_json.h"
#include "controller/api/map/check_presets.h"
#include "controller/api/map/definition_json.h"
#include "controller/api/map/folders/folder_json.h"
#include "controller/api/map/limit_json.h"
#include "controller/api/map/session_json.h"
#include "projections/folder_access.h"
#include "projections/session_access.h"
#include "projections/subjects.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::State;
using projections::Verb;

template <class Row> std::string encoded(const Row& row) {
  projections::RowEncoder encoder;
  const_cast<Row&>(row).fields(encoder);  // one template for both directions; encoding only reads
  return encoder.take();
}

template <class Row, class F>
void each_change(const projections::Table<Row>& before, const projections::Table<Row>& after, F tell) {
  before.for_each_unordered([&](const Row& row) {
    const Row* now = after.find(row.key());
    if (now == nullptr || encoded(row) != encoded(*now)) tell(row);
  });
  after.for_each_unordered([&](const Row& row) {
    if (before.find(row.key()) == nullptr) tell(row);
  });
}

template <auto Member>
void changed_rows(const State& before, const State& after, std::set<std::string>& keys) {
  each_change(before.*Member, after.*Member,
              [&](const auto& row) { keys.insert(projections::key_bytes(row.key())); });
}

template <auto Member> const auto* find_row(const State& state, const std::string& bytes) {
  using Table = std::remove_cvref_t<decltype(state.*Member)>;
  typename Table::Key key;
  return projections::key_from_bytes(bytes, key) ? (state.*Member).find(key) : nullptr;
}

// A session is its kernels, too.
void changed_sessions(const State& before, const State& after, std::set<std::string>& keys) {
  changed_rows<&State::sessions>(before, after, keys);
  each_change(before.kernels, after.kernels, [&](const projections::KernelRow& kernel) {
    keys.insert(projections::key_bytes(kernel.session));
  });
  each_change(before.session_shares, after.session_shares, [&](const projections::SessionShareRow& row) {
    keys.insert(projections::key_bytes(row.session));
  });
}

json::value show_session(const DiffView& view, const std::string& key) {
  const auto* row = find_row<&State::sessions>(view.state, key);
  if (row == nullptr || !may_see_session(view.state, view.actor, *row)) return nullptr;
  return json::parse(session_to_json(view.state, view.kinds, *row, view.actor));
}

json::value show_agent(const DiffView& view, const std::string& key) {
  const auto* row = view.state.agents.find(key);
  if (row == nullptr || !sees_agent(view.state, view.actor, *row)) return nullptr;
  return agent_to_json(view.state, view.kinds, *row, view.actor);
}

json::value show_group(const DiffView& view, const std::string& key) {
  const auto* row = view.state.groups.find(key);
  if (row == nullptr || !sees_group(view.actor, row->def)) return nullptr;
  json::object group = group_to_json(view.kinds, row->def);
  if (reach(view.actor, Noun::kGroup, Verb::kSee) != projections::Reach::kAll) hide_others(group, view.actor);
  return group;
}

json::value show_image(const DiffView& view, const std::string& key) {
  const auto* row = view.state.images.find(key);
  return row == nullptr ? json::value(nullptr) : json::value(image_to_json(*row));
}

json::value show_slot(const DiffView& view, const std::string& key) {
  const auto* row = view.state.slot_types.find(key);
  return row == nullptr ? json::value(nullptr) : json::value(slot_to_json(row->def));
}

json::value show_preset(const DiffView& view, const std::string& key) {
  const auto* row = view.state.presets.find(key);
  return row == nullptr ? json::value(nullptr) : json::value(preset_to_json(view.kinds, row->def));
}

json::value show_limit(const DiffView& view, const std::string& key) {
  const auto* row = view.state.limits.find(key);
  if (row == nullptr || !may_see_limit(view.state, view.actor, row->def.scope(), row->def.id()))
    return nullptr;
  return limit_to_json(view.state, view.kinds, row->def);
}

json::value show_user(const DiffView& view, const std::string& key) {
  const auto* row = view.state.users.find(key);
  if (row == nullptr || !may(view.actor, Noun::kUser, Verb::kSee, row->def)) return nullptr;
  return user_to_json(view.state, row->def);
}

json::value show_domain(const DiffView& view, const std::string& key) {
  const auto* row = view.state.domains.find(key);
  v1::Owner subject;
  subject.set_domain(key);
  if (row == nullptr || !may(view.actor, Noun::kDomain, Verb::kSee, subject)) return nullptr;
  return domain_to_json(view.state, row->def);
}

json::value show_project(const DiffView& view, const std::string& key) {
  const auto* row = view.state.projects.find(key);
  if (row == nullptr) return nullptr;
  v1::Owner subject;
  subject.set_domain(row->def.domain());
  subject.set_project(row->def.name());
  if (!may(view.actor, Noun::kProject, Verb::kSee, subject)) return nullptr;
  Members members(view.state);
  return project_to_json(view.state, members, row->def, view.actor);
}

json::value show_folder(const DiffView& view, const std::string& key) {
  const auto* row = find_row<&State::folders>(view.state, key);
  if (row == nullptr || !may_see_folder(view.actor, *row)) return nullptr;
  return folder_to_json(view.state, *row, view.actor);
}

json::value show_volume(const DiffView& view, const std::string& key) {
  const auto* row = find_row<&State::volumes>(view.state, key);
  return row == nullptr ? json::value(nullptr) : json::value(volume_to_json(view.state, *row, view.actor));
}

// How people signed in is for superadmins.
json::value show_key(const DiffView& view, const std::string& key) {
  const auto* row = view.state.key_pairs.find(key);
  if (row == nullptr || view.actor.role != v1::ROLE_SUPERADMIN) return nullptr;
  return key_to_json(row->def);
}

json::value show_browser_session(const DiffView& view, const std::string& key) {
  const auto* row = find_row<&State::browser_sessions>(view.state, key);
  if (row == nullptr || view.actor.role != v1::ROLE_SUPERADMIN) return nullptr;
  return browser_session_to_json(*row);
}

json::value show_quarantine(const DiffView& view, const std::string& key) {
  const auto* row = view.state.quarantine.find(key);
  if (row == nullptr || reach(view.actor, Noun::kQuarantine, Verb::kSee) == projections::Reach::kNone)
    return nullptr;
  return json::object{{"subject", row->what}, {"failures", row->failures}, {"answered", row->answered}};
}

std::string text_id(const std::string& key) { return key; }
std::string uuid_id(const std::string& key) { return to_string(Uuid::from_bytes(key).value_or(Uuid{})); }
std::string no_name(const State&, const std::string&) { return {}; }
template <auto Member> std::string row_name(const State& state, const std::string& key) {
  const auto* row = find_row<Member>(state, key);
  return row == nullptr ? std::string() : row->name;
}

constexpr DiffNoun kNouns[] = {
    {"session", changed_sessions, show_session, row_name<&State::sessions>, uuid_id},
    {"agent", changed_rows<&State::agents>, show_agent, no_name, text_id},
    {"folder", changed_rows<&State::folders>, show_folder, row_name<&State::folders>, uuid_id},
    {"volume", changed_rows<&State::volumes>, show_volume, no_name, uuid_id},
    {"group", changed_rows<&State::groups>, show_group, no_name, text_id},
    {"image", changed_rows<&State::images>, show_image, no_name, text_id},
    {"preset", changed_rows<&State::presets>, show_preset, no_name, text_id},
    {"slot", changed_rows<&State::slot_types>, show_slot, no_name, text_id},
    {"limit", changed_rows<&State::limits>, show_limit, no_name, text_id},
    {"domain", changed_rows<&State::domains>, show_domain, no_name, text_id},
    {"project", changed_rows<&State::projects>, show_project, no_name, text_id},
    {"user", changed_rows<&State::users>, show_user, no_name, text_id},
    {"key", changed_rows<&State::key_pairs>, show_key, no_name, text_id},
    {"browser-session", changed_rows<&State::browser_sessions>, show_browser_session, no_name, uuid_id},
    {"quarantine", changed_rows<&State::quarantine>, show_quarantine, no_name, text_id},
};

}  // namespace

std::span<const DiffNoun> diff_nouns() { return kNouns; }

}  // namespace berth::controller::api
