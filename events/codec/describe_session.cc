// Lines of session and kernel events.
#include "events/codec/describe_lines.h"
#include "events/codec/words/codes.h"
#include "events/codec/words/enum_words.h"

namespace berth {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::string attempt(std::uint32_t number) { return "attempt " + std::to_string(number); }

std::string because(v1::Code number, const std::string& message) {
  const Code code = code_of(number);
  if (code.empty() && message.empty()) return {};
  return ": " + code.word() + (!code.empty() && !message.empty() ? ", " : "") + message;
}

std::string requested(const v1::SessionRequested& e) {
  std::string text = e.name().empty() ? "(no name)" : e.name();
  if (e.count() > 1) text += " (" + std::to_string(e.number()) + " of " + std::to_string(e.count()) + ")";
  text += " by " + e.owner().user() + ": " + lower(v1::SessionType_Name(e.spec().type()));
  if (!e.spec().image().empty()) text += " " + e.spec().image();
  for (const auto& role : e.spec().roles())
    text += "; " + role.role() + (role.count() > 1 ? " x" + std::to_string(role.count()) : "") + " " +
            describe_slots(role.slots());
  for (const auto& mount : e.spec().mounts())
    text += "; folder at " + mount.target() + (mount.read_only() ? ", read-only" : "");
  return text + "; group " + e.spec().group();
}

std::string places(const google::protobuf::RepeatedPtrField<v1::Placement>& placements) {
  std::string text;
  bool first = true;
  for (const auto& p : placements) {
    text += (first ? " " : ", ") + p.role() + std::to_string(p.index()) + " on " + p.agent();
    first = false;
    std::string devices;
    for (const auto& d : p.devices())
      devices += (devices.empty() ? "" : ", ") + d.device() + " " + describe_amount(d.slot(), d.amount());
    if (!devices.empty()) text += " (" + devices + ")";
  }
  return text;
}

std::string scheduled(const v1::SessionScheduled& e, const NameBook& names) {
  return names.session(e.session_id()) + " " + attempt(e.attempt()) + ":" + places(e.placements());
}

std::string for_whom(const std::string& preemptor, const NameBook& names) {
  return preemptor.empty() ? std::string() : " for " + names.session(preemptor);
}

// "ran 12.3 s"; nothing for what never started.
std::string ran_for(std::int64_t started_ns, std::int64_t ended_ns) {
  if (started_ns <= 0 || ended_ns < started_ns) return {};
  const std::int64_t tenths = (ended_ns - started_ns) / 100'000'000;
  return ", ran " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

std::string terminated(const v1::KernelTerminated& e, const NameBook& names) {
  std::string text =
      names.kernel(e.kernel_id()) + " " + attempt(e.attempt()) + ": " + lower(v1::KernelEnd_Name(e.end()));
  if (e.end() == v1::EXITED || e.end() == v1::SIGNALLED || e.end() == v1::STOPPED)
    text += " " + std::to_string(e.exit_code());
  return text + because(e.code(), e.message()) + ran_for(e.started_ns(), e.ended_ns());
}

std::string opened(const v1::KernelOpened& e, const NameBook& names) {
  return names.kernel(e.kernel_id()) + ": " + word(e.kind()) + (e.name().empty() ? "" : " " + e.name()) +
         " by " + e.user();
}

std::string shared(const v1::SessionShared& e, const NameBook& names) {
  return names.session(e.session_id()) + " with " + word(e.scope()) + " " + e.id() +
         (e.withdrawn() ? ": no more" : "");
}

}  // namespace

std::string describe_session_event(const v1::Event& event, const NameBook& names) {
  if (event.has_session_requested()) return requested(event.session_requested());
  if (event.has_session_reason_changed()) {
    const auto& e = event.session_reason_changed();
    return names.session(e.session_id()) + " waits: " + code_of(e.code()) +
           (e.slot().empty() ? "" : " " + e.slot());
  }
  if (event.has_session_retried())
    return names.session(event.session_retried().session_id()) + " refused " +
           std::to_string(event.session_retried().retries()) + " times";
  if (event.has_session_scheduled()) return scheduled(event.session_scheduled(), names);
  if (event.has_session_terminating()) {
    const auto& e = event.session_terminating();
    return names.session(e.session_id()) + ": " + code_of(e.reason()) + for_whom(e.preemptor(), names) +
           (e.forced() ? ", forced" : "");
  }
  if (event.has_session_cancelled())
    return names.session(event.session_cancelled().session_id()) + ": " +
           code_of(event.session_cancelled().reason());
  if (event.has_session_requeued()) {
    const auto& e = event.session_requeued();
    return names.session(e.session_id()) + " after " + std::to_string(e.attempts()) + " failed starts" +
           because(e.reason(), e.message()) + for_whom(e.preemptor(), names);
  }
  if (event.has_session_reserved())
    return names.session(event.session_reserved().session_id()) +
           " has held for it:" + places(event.session_reserved().placements());
  if (event.has_session_unreserved())
    return names.session(event.session_unreserved().session_id()) +
           " waits again: its place will not come free";
  if (event.has_session_shared()) return shared(event.session_shared(), names);
  if (event.has_session_failed()) {
    const auto& e = event.session_failed();
    return names.session(e.session_id()) + because(e.code(), e.message());
  }
  return {};
}

std::string describe_kernel_event(const v1::Event& event, const NameBook& names) {
  const auto line = [&](const auto& e) { return names.kernel(e.kernel_id()) + " " + attempt(e.attempt()); };
  if (event.has_kernel_preparing()) return line(event.kernel_preparing());
  if (event.has_kernel_pulling())
    return line(event.kernel_pulling()) + ": " + std::to_string(event.kernel_pulling().percent()) + " %";
  if (event.has_kernel_prepared()) return line(event.kernel_prepared());
  if (event.has_kernel_creating()) return line(event.kernel_creating());
  if (event.has_kernel_running())
    return line(event.kernel_running()) + ": pid " + std::to_string(event.kernel_running().pid());
  if (event.has_kernel_terminated()) return terminated(event.kernel_terminated(), names);
  if (event.has_kernel_opened()) return opened(event.kernel_opened(), names);
  return {};
}

}  // namespace berth
