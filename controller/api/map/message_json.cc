// message_to_json: the schema's messages by reflection, so that a new event needs no code here.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>

#include "controller/api/map/event_json.h"
#include "controller/api/map/json_values.h"
#include "events/base/hash.h"
#include "events/codec/words/enum_words.h"
#include "projections/tables/position.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

json::value bytes_to_json(const std::string& bytes) {
  if (bytes.empty()) return nullptr;
  if (const auto id = Uuid::from_bytes(bytes)) return json::value(to_string(*id));
  return json::value(to_hex(bytes));
}

bool is_time(const FieldDescriptor& field) { return field.name().ends_with("_ns"); }

// Neither what is sealed nor a hash of a secret leaves, whoever asks.
bool is_secret(const FieldDescriptor& field) {
  return field.name() == "token_hash" || field.name() == "secret_hash";
}

json::value nested_to_json(const Message& message, const SlotKinds& kinds) {
  if (dynamic_cast<const v1::Sealed*>(&message) != nullptr) return "sealed";
  if (const auto* position = dynamic_cast<const v1::Position*>(&message))
    return json::value(projections::to_string(projections::from_proto(*position)));
  return message_to_json(message, kinds);
}

// Its word; of an enum without words its name.
json::value enum_to_json(const Message& message, const FieldDescriptor* field) {
  const auto words = words_of(*field->enum_type());
  const auto number = static_cast<std::size_t>(message.GetReflection()->GetEnumValue(message, field));
  if (number < words.size()) return json::value(words[number]);
  return json::value(message.GetReflection()->GetEnum(message, field)->name());
}

json::value single_to_json(const Message& message, const FieldDescriptor* field, const SlotKinds& kinds) {
  const Reflection& reflection = *message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL: return reflection.GetBool(message, field);
    case FieldDescriptor::CPPTYPE_INT32: return reflection.GetInt32(message, field);
    case FieldDescriptor::CPPTYPE_UINT32: return reflection.GetUInt32(message, field);
    case FieldDescriptor::CPPTYPE_UINT64: return reflection.GetUInt64(message, field);
    case FieldDescriptor::CPPTYPE_INT64: {
      const std::int64_t number = reflection.GetInt64(message, field);
      return is_time(*field) ? time_or_null(number) : json::value(number);
    }
    case FieldDescriptor::CPPTYPE_ENUM: return enum_to_json(message, field);
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text = reflection.GetString(message, field);
      if (is_secret(*field) && !text.empty()) return "sealed";
      return field->type() == FieldDescriptor::TYPE_BYTES ? bytes_to_json(text) : json::value(text);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (!reflection.HasField(message, field)) return nullptr;
      return nested_to_json(reflection.GetMessage(message, field), kinds);
    default: return nullptr;  // floating point is in no message of the schema (P14)
  }
}

json::value repeated_to_json(const Message& message, const FieldDescriptor* field, const SlotKinds& kinds) {
  const Reflection& reflection = *message.GetReflection();
  const int size = reflection.FieldSize(message, field);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
      field->message_type() == v1::SlotAmount::descriptor())
    return slots_to_json(kinds, reflection.GetRepeatedFieldRef<v1::SlotAmount>(message, field));
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
      field->message_type() == v1::KeyValue::descriptor())
    return pairs_to_json(reflection.GetRepeatedFieldRef<v1::KeyValue>(message, field));
  json::array out;
  for (int i = 0; i < size; ++i) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      out.push_back(nested_to_json(reflection.GetRepeatedMessage(message, field, i), kinds));
    else if (field->type() == FieldDescriptor::TYPE_BYTES)
      out.push_back(bytes_to_json(reflection.GetRepeatedString(message, field, i)));
    else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
      out.emplace_back(reflection.GetRepeatedString(message, field, i));
    else if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32)
      out.emplace_back(reflection.GetRepeatedUInt32(message, field, i));
  }
  return out;
}

json::value share_to_json(const v1::DeviceShare& share, const SlotKinds& kinds) {
  return {{"device", share.device()},
          {"slot", share.slot()},
          {"amount", amount_text(kinds, share.slot(), share.amount())}};
}

}  // namespace

json::object message_to_json(const Message& message, const SlotKinds& kinds) {
  if (const auto* share = dynamic_cast<const v1::DeviceShare*>(&message))
    return share_to_json(*share, kinds).get_object();
  json::object out;
  const auto* descriptor = message.GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    out[field->name()] = field->is_repeated() ? repeated_to_json(message, field, kinds)
                                              : single_to_json(message, field, kinds);
  }
  return out;
}

}  // namespace berth::controller::api
