#include "controller/api/past/diff_subjects.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <optional>

#include "events/codec/words/enum_words.h"

namespace berth::controller::api {
namespace {

using google::protobuf::FieldDescriptor;

// A field of the event's body by name; nullopt: it has none.
std::optional<std::string> field_of(const v1::Event& event, const char* name) {
  const auto* body = v1::Event::descriptor()->FindFieldByNumber(event.body_case());
  if (body == nullptr) return std::nullopt;
  const auto& message = event.GetReflection()->GetMessage(event, body);
  const auto* field = message.GetDescriptor()->FindFieldByName(name);
  if (field == nullptr || field->is_repeated() || field->cpp_type() != FieldDescriptor::CPPTYPE_STRING)
    return std::nullopt;
  return message.GetReflection()->GetString(message, field);
}

std::vector<DiffSubject> by(const char* noun, const v1::Event& event, const char* field) {
  const auto key = field_of(event, field);
  if (!key || key->empty()) return {};
  return {{noun, *key}};
}

std::vector<DiffSubject> of_definition(const v1::Event& event) {
  switch (event.body_case()) {
    case v1::Event::kSlotTypeRegistered: return by("slot", event, "name");
    case v1::Event::kResourceGroupDefined: return by("group", event, "name");
    case v1::Event::kDomainDefined: return by("domain", event, "name");
    case v1::Event::kUserDefined: return by("user", event, "name");
    case v1::Event::kPresetDefined: return by("preset", event, "name");
    case v1::Event::kKeyPairDefined:
    case v1::Event::kKeyPairUsed: return by("key", event, "id");
    case v1::Event::kImageRegistered:
    case v1::Event::kImageBuildChanged: return by("image", event, "reference");
    case v1::Event::kProjectDefined:
      return {{"project", event.project_defined().domain() + "/" + event.project_defined().name()}};
    case v1::Event::kLimitSet:
      return {{"limit", word(event.limit_set().scope()) + "/" + event.limit_set().id()}};
    case v1::Event::kLimitRemoved:
      return {{"limit", word(event.limit_removed().scope()) + "/" + event.limit_removed().id()}};
    case v1::Event::kDefinitionRemoved:
      return {{word(event.definition_removed().kind()), event.definition_removed().name()}};
    default: return {};
  }
}

}  // namespace

std::vector<DiffSubject> diff_subjects(const v1::Event& event) {
  switch (event.body_case()) {
    case v1::Event::kKernelPreparing:
    case v1::Event::kKernelPulling:
    case v1::Event::kKernelPrepared:
    case v1::Event::kKernelCreating:
    case v1::Event::kKernelRunning:
    case v1::Event::kKernelTerminated:
    case v1::Event::kKernelOpened: return by("kernel", event, "kernel_id");
    case v1::Event::kFolderCreated:
    case v1::Event::kFolderReady:
    case v1::Event::kFolderFailed:
    case v1::Event::kFolderRenamed:
    case v1::Event::kFolderTrashed:
    case v1::Event::kFolderRestored:
    case v1::Event::kFolderPurging:
    case v1::Event::kFolderPurged:
    case v1::Event::kFolderShared: return by("folder", event, "folder");
    case v1::Event::kVolumeAgentNamed:
    case v1::Event::kVolumeForgotten: return by("volume", event, "volume");
    case v1::Event::kBrowserSessionStarted:
    case v1::Event::kBrowserSessionUsed:
    case v1::Event::kBrowserSessionEnded: return by("browser-session", event, "id");
    default: break;
  }
  if (auto session = by("session", event, "session_id"); !session.empty()) return session;
  if (auto definition = of_definition(event); !definition.empty()) return definition;
  return by("agent", event, "agent");
}

std::span<const std::string_view> event_nouns() {
  static constexpr std::string_view kNouns[] = {
      "session", "agent", "folder", "volume", "user",  "project",  "domain",          "key",
      "group",   "image", "preset", "slot",   "limit", "producer", "browser-session", "cluster"};
  return kNouns;
}

std::string noun_of(const v1::Event& event) {
  if (event.has_producer_defined()) return "producer";
  const auto subjects = diff_subjects(event);
  std::string noun = subjects.empty() ? "cluster" : subjects.front().first;
  if (noun == "kernel") noun = "session";
  const auto nouns = event_nouns();
  return std::ranges::find(nouns, noun) == nouns.end() ? "cluster" : noun;
}

}  // namespace berth::controller::api
