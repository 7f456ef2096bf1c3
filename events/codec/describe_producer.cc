#include "events/codec/describe_lines.h"
#include "events/codec/words/enum_words.h"

namespace berth {
namespace {

// "request_session, terminate_session for user alice, domain lab".
std::string scope_of(const v1::ProducerDefined& e) {
  std::string text, owners;
  for (const std::string& request : e.requests()) text += (text.empty() ? "" : ", ") + request;
  for (const v1::ProducerOwners& one : e.owners())
    owners += (owners.empty() ? "" : ", ") + word(one.scope()) + (one.id().empty() ? "" : " " + one.id());
  return (text.empty() ? "nothing" : text) + " for " + (owners.empty() ? "nobody" : owners);
}

}  // namespace

std::string describe_producer_event(const v1::Event& event) {
  if (event.has_producer_key_collected())
    return event.producer_key_collected().name() + ": its token is spent";
  if (!event.has_producer_defined()) return {};
  const auto& e = event.producer_defined();
  return e.name() + " key generation " + std::to_string(e.generation()) + ": " +
         (e.disabled() ? "disabled" : scope_of(e));
}

}  // namespace berth
