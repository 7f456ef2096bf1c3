#include "events/codec/describe_lines.h"

#include "events/base/amount.h"
#include "events/base/hash.h"
#include "events/base/slots/slot_name.h"
#include "events/codec/words/codes.h"
#include "events/codec/words/enum_words.h"

namespace berth {
namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string position(const v1::Position& at) {
  return number(at.epoch()) + "." + number(at.sequence()) + "." + number(at.index());
}

std::string claim(const v1::Claim& claim) {
  return "offset " + number(claim.offset()) + " rolling " + to_hex(claim.rolling().substr(0, 6));
}

std::string input(std::uint32_t stream, std::uint32_t partition, std::uint64_t offset) {
  const char* name = stream == 1 ? "requests" : stream == 2 ? "reports" : "no input";
  return std::string(name) + "/" + number(partition) + "@" + number(offset);
}

std::string first_digits(std::string_view id) { return to_hex(id.substr(0, 4)); }

std::string with(std::string text, const std::string& label, const std::string& value) {
  return value.empty() ? text : text + (text.empty() ? "" : " ") + label + value;
}

}  // namespace

std::string describe_amount(const std::string& slot, std::int64_t amount) {
  return slot + " " + format_amount_human(kind_by_name(slot), amount);
}

std::string describe_slots(const google::protobuf::RepeatedPtrField<v1::SlotAmount>& slots) {
  std::string text;
  for (const auto& slot : slots)
    text += (text.empty() ? "" : ", ") + describe_amount(slot.slot(), slot.amount());
  return text;
}

std::string describe_log_event(const v1::Event& event) {
  if (event.has_controller_elected()) {
    const auto& e = event.controller_elected();
    return e.controller() + " rules " + number(e.rules()) + " (had read up to " + claim(e.claim()) + ")";
  }
  if (event.has_chain_head_recorded()) {
    const auto& e = event.chain_head_recorded();
    const std::string key = e.signature().empty() ? "" : to_hex(e.head_key().substr(0, 6));
    return with(claim(e.claim()) + " state " + to_hex(e.state_hash().substr(0, 6)) + " routed " +
                    position(e.routed()),
                "signed by ", key);
  }
  if (event.has_head_key_changed()) {
    const auto& e = event.head_key_changed();
    return with("key " + to_hex(e.public_key().substr(0, 6)), "after ",
                to_hex(e.previous_key().substr(0, 6)));
  }
  if (event.has_clock_jumped())
    return "clock said " + std::to_string(event.clock_jumped().wall_ns()) + " ns: not believed";
  if (event.has_clock_behind())
    return "clock said " + std::to_string(event.clock_behind().wall_ns()) + " ns: behind the records";
  if (event.has_clock_confirmed())
    return "clock " + std::to_string(event.clock_confirmed().wall_ns()) + " ns confirmed";
  return {};
}

std::string describe_input_event(const v1::Event& event) {
  if (event.has_request_refused()) {
    const auto& e = event.request_refused();
    std::string text = code_of(e.code()) + ": " + e.message();
    return e.hint().empty() ? text : text + " (" + e.hint() + ")";
  }
  if (event.has_request_repeated()) return "first answered at " + position(event.request_repeated().first());
  if (event.has_request_expired())
    return "not after " + std::to_string(event.request_expired().not_after_ms()) + " ms";
  if (event.has_termination_begun())
    return "of " + std::to_string(event.termination_begun().selected_size()) + " sessions";
  if (event.has_input_rewound()) {
    const auto& e = event.input_rewound();
    return "back to " + input(e.stream(), e.partition(), e.to());
  }
  if (event.has_internal_error_recorded()) {
    const auto& e = event.internal_error_recorded();
    return e.subject().empty() ? input(e.stream(), e.partition(), e.offset()) : e.subject();
  }
  if (event.has_quarantine_released()) return event.quarantine_released().subject();
  return {};
}

namespace {

std::string limit(const v1::LimitSet& e) {
  std::string text = word(e.scope()) + " " + e.id() + ":";
  for (const auto& slot : e.slots())
    text += " " +
            (slot.unlimited() ? slot.slot() + " unlimited" : describe_amount(slot.slot(), slot.most())) + ",";
  const auto count = [&text](const char* what, bool set, const v1::Count& most) {
    if (set) text += std::string(" ") + what + " " + std::to_string(most.most()) + ",";
  };
  count("sessions", e.has_sessions(), e.sessions());
  count("system sessions", e.has_system_sessions(), e.system_sessions());
  count("pending", e.has_pending(), e.pending());
  count("kernels a session", e.has_kernels_per_session(), e.kernels_per_session());
  count("priority", e.has_priority(), e.priority());
  for (const auto& slot : e.pending_slots())
    text += " pending " + describe_amount(slot.slot(), slot.most()) + ",";
  return text + (e.unlisted_is_zero() ? " nothing else" : " else unlimited");
}

std::string learned(const v1::SelectionLearned& e) {
  std::int64_t kernels = 0;
  for (const auto& one : e.classes()) kernels += one.count();
  std::string text = e.group() + ": " + std::to_string(e.classes_size()) + " classes of " +
                     std::to_string(kernels) + " kernels";
  for (int i = 0; i < e.shape_size(); ++i) text += (i == 0 ? ", shape " : " ") + std::to_string(e.shape(i));
  return e.simulations() == 0 ? text : text + " after " + std::to_string(e.simulations()) + " simulations";
}

std::string build(const v1::ImageBuildChanged& e) {
  const std::string text = e.reference() + (e.failed() ? " failed" : " " + number(e.percent()) + " %");
  return with(text, "by ", e.builder()) + (e.failed()         ? ": " + e.message()
                                           : e.step().empty() ? ""
                                                              : ": " + e.step());
}

}  // namespace

std::string describe_definition(const v1::Event& event) {
  if (event.has_slot_type_registered()) {
    const auto& e = event.slot_type_registered();
    const char* kind = e.kind() == 1 ? "bytes" : e.kind() == 2 ? "unique" : "count";
    const auto step = format_amount_human(e.kind() == 1 ? SlotKind::kBytes : SlotKind::kCount, e.quantum());
    return e.name() + " " + kind + (e.quantum() == 0 ? "" : ", step " + step);
  }
  if (event.has_resource_group_defined()) {
    const auto& e = event.resource_group_defined();
    return e.name() + " order " + e.order() + ", head of line " + e.head_of_line() +
           (e.head_of_line() == "skip-after-n" ? " " + number(e.skip_after()) : "") + ", select " +
           e.select() + (e.egress() == "registries" ? ", egress registries" : "");
  }
  if (event.has_domain_defined()) return event.domain_defined().name();
  if (event.has_project_defined())
    return event.project_defined().name() + " in domain " + event.project_defined().domain();
  if (event.has_user_defined()) {
    const auto& e = event.user_defined();
    return with(e.name() + " role " + word(e.role()), "in domain ", e.domain());
  }
  if (event.has_key_pair_defined()) {
    const auto& e = event.key_pair_defined();
    return e.id() + " of " + e.user() + (e.active() ? "" : ", switched off");
  }
  if (event.has_image_registered()) {
    const auto& e = event.image_registered();
    return with(e.reference() + " from " + e.source(), "", e.digest());
  }
  if (event.has_image_build_changed()) return build(event.image_build_changed());
  if (event.has_limit_set()) return limit(event.limit_set());
  if (event.has_selection_learned()) return learned(event.selection_learned());
  if (event.has_limit_removed())
    return word(event.limit_removed().scope()) + " " + event.limit_removed().id();
  if (event.has_definition_removed())
    return word(event.definition_removed().kind()) + " " + event.definition_removed().name() +
           ": its name is never given again";
  if (event.has_preset_defined())
    return event.preset_defined().name() + ": " + describe_slots(event.preset_defined().slots());
  return {};
}

std::string describe_agent_event(const v1::Event& event) {
  if (event.has_agent_enrolled())
    return event.agent_enrolled().agent() + " key generation " + number(event.agent_enrolled().generation());
  if (event.has_agent_joined()) {
    const auto& e = event.agent_joined();
    std::string text = e.agent() + " group " + e.group() + ": " + describe_slots(e.slots());
    for (const auto& device : e.devices()) text += "; " + device.id() + " " + describe_slots(device.slots());
    for (const auto& volume : e.volumes()) text += "; volume " + volume.name();
    text = with(text + " (", "", e.backend()) + ")";
    return e.unfit().empty() ? text : text + "; unfit: " + e.unfit();
  }
  if (event.has_agent_lost()) return event.agent_lost().agent() + ": its lease and margin are over";
  if (event.has_agent_left()) return event.agent_left().agent();
  if (event.has_agent_fenced()) return event.agent_fenced().agent() + ": an operator said that it is gone";
  if (event.has_agent_key_collected()) return event.agent_key_collected().agent() + ": its token is spent";
  if (event.has_agent_removed()) return event.agent_removed().agent() + ": its name is never given again";
  if (event.has_agent_drain_changed())
    return event.agent_drain_changed().agent() +
           (event.agent_drain_changed().draining() ? ": takes nothing new" : ": takes sessions");
  if (event.has_unreachable_changed()) {
    const auto& e = event.unreachable_changed();
    return "silent: " + number(static_cast<std::uint64_t>(e.lost_size())) +
           ", heard again: " + number(static_cast<std::uint64_t>(e.back_size()));
  }
  return {};
}

namespace {

std::string ended(const v1::BrowserSessionEnded& e) {
  return with(first_digits(e.id()), "of ", e.user()) + ": " + code_of(e.reason());
}

}  // namespace

std::string describe_identity_event(const v1::Event& event) {
  if (event.has_password_set()) return event.password_set().user();
  if (event.has_login_link_issued()) return "for " + event.login_link_issued().user();
  if (event.has_login_link_ended())
    return "of " + event.login_link_ended().user() + ": " + code_of(event.login_link_ended().reason());
  if (event.has_browser_session_started()) {
    const auto& e = event.browser_session_started();
    return with(with(e.user(), "from ", e.address()), "by ", e.client());
  }
  if (event.has_browser_session_used()) return first_digits(event.browser_session_used().id());
  if (event.has_browser_session_ended()) return ended(event.browser_session_ended());
  if (event.has_key_pair_used()) return event.key_pair_used().id();
  return {};
}

namespace {

std::string created(const v1::FolderCreated& e) {
  const v1::Owner& owner = e.owner();
  return e.name() + " (" + first_digits(e.folder()) + ") of " +
         (owner.user().empty() ? "project " + owner.domain() + "/" + owner.project() : owner.user()) +
         " on volume " + first_digits(e.volume());
}

std::string shared(const v1::FolderShared& e) {
  const std::string whom = " with " + word(e.scope()) + " " + e.id();
  return first_digits(e.folder()) + (e.access() == "none" ? whom + ": no more" : whom + " to " + e.access());
}

}  // namespace

// The one that creates a folder says its name and the first digits of its id; the others say the digits.
std::string describe_folder_event(const v1::Event& event) {
  if (event.has_folder_created()) return created(event.folder_created());
  if (event.has_folder_ready()) return first_digits(event.folder_ready().folder());
  if (event.has_folder_failed()) {
    const auto& e = event.folder_failed();
    return with(first_digits(e.folder()) + ": " + code_of(e.code()), "", e.message());
  }
  if (event.has_folder_renamed())
    return first_digits(event.folder_renamed().folder()) + " to " + event.folder_renamed().name();
  if (event.has_folder_trashed()) return first_digits(event.folder_trashed().folder());
  if (event.has_folder_restored()) return first_digits(event.folder_restored().folder());
  if (event.has_folder_purging()) return first_digits(event.folder_purging().folder());
  if (event.has_folder_purged()) return first_digits(event.folder_purged().folder());
  if (event.has_folder_shared()) return shared(event.folder_shared());
  if (event.has_volume_agent_named())
    return first_digits(event.volume_agent_named().volume()) + ": " + event.volume_agent_named().agent() +
           " makes and removes its folders";
  if (event.has_volume_forgotten())
    return first_digits(event.volume_forgotten().volume()) + " and its " +
           number(event.volume_forgotten().folders()) + " folders";
  return {};
}

std::string describe_body(const v1::Event& event, const NameBook& names) {
  for (auto* part :
       {describe_log_event, describe_input_event, describe_definition, describe_agent_event,
        describe_producer_event, describe_identity_event, describe_folder_event, describe_keeping_event})
    if (auto text = part(event); !text.empty()) return text;
  if (auto text = describe_session_event(event, names); !text.empty()) return text;
  return describe_kernel_event(event, names);
}

}  // namespace berth
