#include "ops/cli/log_shell/log_tree.h"

#include <algorithm>
#include <map>

#include "controller/api/map/event_json.h"
#include "controller/api/map/time_text.h"
#include "controller/api/past/diff_nouns.h"
#include "events/base/text.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace api = controller::api;

constexpr const char* kEvents = "events";

std::string folder_of(const api::DiffNoun& noun) {
  const std::string name = noun.name;
  return name == "quarantine" ? name : name + "s";
}

const api::DiffNoun* noun_of(const std::string& folder) {
  for (const api::DiffNoun& noun : api::diff_nouns())
    if (folder_of(noun) == folder) return &noun;
  return nullptr;
}

// Whoever has the folder has it all.
projections::Actor everybody() {
  projections::Actor actor;
  actor.role = v1::ROLE_SUPERADMIN;
  return actor;
}

// A name of a row as a file's: no slash.
std::string file_name(std::string text) {
  std::replace(text.begin(), text.end(), '/', '%');
  return text;
}

// Keys by the names of their files. Rows of one name have their id behind it.
std::map<std::string, std::string> files_of(const api::DiffNoun& noun, const projections::State& state) {
  const projections::State nothing;
  std::set<std::string> keys;
  noun.changed(nothing, state, keys);
  std::map<std::string, std::string> files;
  for (const std::string& key : keys) {
    const std::string name = noun.name_of(state, key);
    std::string file = file_name(name.empty() ? noun.id_of(key) : name);
    if (files.contains(file)) file += "~" + noun.id_of(key);
    files.emplace(std::move(file), key);
  }
  return files;
}

Error no_such(const std::string& path) {
  return make_error("no-such-file", "there is no '" + clipped(path) + "' at this moment",
                    "`ls` shows what there is");
}

std::pair<std::string, std::string> split(const std::string& path) {
  const auto slash = path.find('/');
  if (slash == std::string::npos) return {path, ""};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

Result<LogTree> LogTree::open(OfflineLog& log) {
  auto state = log.state(log.next() - 1);
  if (!state) return state.error();
  return LogTree(log, std::move(*state));
}

Result<void> LogTree::go_to(Offset position) {
  if (position < log_->first() || position >= log_->next())
    return make_error(
        "no-such-moment", "the journal has no record " + std::to_string(position),
        "its records are " + std::to_string(log_->first()) + " to " + std::to_string(log_->next() - 1));
  auto state = log_->state(position);
  if (!state) return state.error();
  state_ = std::move(*state);
  return {};
}

Result<void> LogTree::go_to_time(Timestamp time) {
  const auto position = log_->position_of(time);
  if (!position) return position.error();
  if (!*position)
    return make_error("no-such-moment", "the journal begins after " + format_time(time), "cd @now");
  return go_to(**position);
}

Result<std::vector<std::string>> LogTree::list(const std::string& folder) const {
  std::vector<std::string> names;
  if (folder.empty()) {
    for (const api::DiffNoun& noun : api::diff_nouns()) names.push_back(folder_of(noun) + "/");
    names.emplace_back("events/");
    return names;
  }
  if (folder == kEvents) return events();
  const api::DiffNoun* noun = noun_of(folder);
  if (noun == nullptr) return no_such(folder);
  for (const auto& [file, key] : files_of(*noun, state_->state())) names.push_back(file);
  return names;
}

bool LogTree::is_folder(const std::string& path) const {
  return path.empty() || path == kEvents || noun_of(path) != nullptr;
}

Result<std::string> LogTree::read(const std::string& path) const {
  const auto [folder, file] = split(path);
  if (folder == kEvents) return event(file);
  const api::DiffNoun* noun = noun_of(folder);
  if (noun == nullptr || file.empty()) return no_such(path);
  const auto files = files_of(*noun, state_->state());
  auto found = files.find(file);
  if (found == files.end())  // by its id
    found = std::find_if(files.begin(), files.end(),
                         [&](const auto& one) { return noun->id_of(one.second) == file; });
  if (found == files.end()) return no_such(path);
  const api::SlotKinds kinds(state_->state());
  const projections::Actor actor = everybody();
  return pretty_json(noun->show({state_->state(), kinds, actor}, found->second)) + "\n";
}

// The newest up to this moment, oldest first.
Result<std::vector<std::string>> LogTree::events() const {
  std::vector<std::string> lines;
  for (Offset at = state_->point.position + 1; at > log_->first() && lines.size() < kEventsShown; --at) {
    const auto record = log_->record(at - 1);
    if (!record) return record.error();
    if (!*record) continue;
    const NameBook names = api::names_for(state_->state(), **record);
    for (int i = (*record)->events_size(); i > 0 && lines.size() < kEventsShown; --i)
      lines.push_back(api::to_string(api::EventId{at - 1, static_cast<std::uint32_t>(i - 1)}) + "  " +
                      format_time((*record)->header().time_ns()) + "  " +
                      event_name((*record)->events(i - 1)) + "  " +
                      describe((*record)->events(i - 1), names));
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

Result<std::string> LogTree::event(const std::string& name) const {
  const auto id = api::parse_event_id(name);
  if (!id || id->offset < log_->first() || id->offset > state_->point.position)
    return no_such("events/" + name);
  const auto record = log_->record(id->offset);
  if (!record) return record.error();
  if (!*record || static_cast<int>(id->index) >= (*record)->events_size()) return no_such("events/" + name);
  const api::SlotKinds kinds(state_->state());
  const auto& event = (*record)->events(static_cast<int>(id->index));
  return pretty_json(api::event_to_json(**record, static_cast<int>(id->index), id->offset, kinds,
                                        api::names_for(state_->state(), **record),
                                        api::session_of(state_->state(), event))) +
         "\n";
}

}  // namespace berth::cli
