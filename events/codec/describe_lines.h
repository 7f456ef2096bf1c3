// The text behind an event's name in its line (describe.h): one function a noun, chosen by the event's body.
#pragma once

#include <cstdint>
#include <string>

#include "events/codec/describe.h"

namespace berth {

// Empty for a body that this build does not know.
std::string describe_body(const v1::Event& event, const NameBook& names);

// The functions by noun; empty for an event of another noun.
std::string describe_log_event(const v1::Event& event);
std::string describe_input_event(const v1::Event& event);
std::string describe_definition(const v1::Event& event);
std::string describe_agent_event(const v1::Event& event);
std::string describe_producer_event(const v1::Event& event);
std::string describe_identity_event(const v1::Event& event);
std::string describe_folder_event(const v1::Event& event);
std::string describe_keeping_event(const v1::Event& event);
std::string describe_session_event(const v1::Event& event, const NameBook& names);
std::string describe_kernel_event(const v1::Event& event, const NameBook& names);

// "cpu 0.5, mem 256m": an amount is in bytes if its slot is named after memory (the schema's own names), else
// a count.
std::string describe_slots(const google::protobuf::RepeatedPtrField<v1::SlotAmount>& slots);
std::string describe_amount(const std::string& slot, std::int64_t amount);

}  // namespace berth
