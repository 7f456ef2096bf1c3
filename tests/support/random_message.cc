#include "tests/support/random_message.h"

#include <array>
#include <limits>

namespace berth::testing {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr int kDepthMax = 4;

}  // namespace

std::string RandomMessage::text(bool bytes) {
  const auto& known = bytes ? ids_ : names_;
  if (!known.empty() && rng_.chance(3, 4)) return known[rng_.below(known.size())];
  if (bytes) return rng_.chance(1, 2) ? std::string(rng_.uuid().view()) : std::string(rng_.below(40), '\x80');
  constexpr std::array<std::size_t, 9> kSizes = {0, 1, 55, 64, 65, 200, 4'096, 30'000, 300'000};
  return std::string(kSizes[rng_.below(rng_.chance(1, 8) ? kSizes.size() : 6)], 'x');
}

std::int64_t RandomMessage::number() {
  constexpr std::array<std::int64_t, 12> kNumbers = {0,
                                                     1,
                                                     2,
                                                     -1,
                                                     7,
                                                     100,
                                                     256,
                                                     1'000'000,
                                                     std::int64_t{1} << 30,
                                                     std::numeric_limits<std::uint32_t>::max(),
                                                     std::numeric_limits<std::int64_t>::max(),
                                                     std::numeric_limits<std::int64_t>::min()};
  return kNumbers[rng_.below(kNumbers.size())];
}

void RandomMessage::set_value(Message& message, const Field* field) {
  const auto* r = message.GetReflection();
  const bool many = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string value = text(field->type() == FieldDescriptor::TYPE_BYTES);
      many ? r->AddString(&message, field, std::move(value))
           : r->SetString(&message, field, std::move(value));
      return;
    }
    case FieldDescriptor::CPPTYPE_BOOL: {
      const bool value = rng_.chance(1, 2);
      return many ? r->AddBool(&message, field, value) : r->SetBool(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      const int value = static_cast<int>(rng_.below(14));
      return many ? r->AddEnumValue(&message, field, value) : r->SetEnumValue(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_INT32: {
      const auto value = static_cast<std::int32_t>(number());
      return many ? r->AddInt32(&message, field, value) : r->SetInt32(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      const auto value = static_cast<std::uint32_t>(number());
      return many ? r->AddUInt32(&message, field, value) : r->SetUInt32(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_UINT64: {
      const auto value = static_cast<std::uint64_t>(number());
      return many ? r->AddUInt64(&message, field, value) : r->SetUInt64(&message, field, value);
    }
    default: {  // the schema has no floating point
      const std::int64_t value = number();
      return many ? r->AddInt64(&message, field, value) : r->SetInt64(&message, field, value);
    }
  }
}

void RandomMessage::set(Message& message, const Field* field, int depth) {
  const auto* r = message.GetReflection();
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return set_value(message, field);
  if (depth >= kDepthMax) return;
  fill(field->is_repeated() ? *r->AddMessage(&message, field) : *r->MutableMessage(&message, field),
       depth + 1);
}

void RandomMessage::fill(Message& message, int depth) {
  const auto* descriptor = message.GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const Field* field = descriptor->field(i);
    if (rng_.chance(1, 2)) continue;
    const std::uint64_t times = !field->is_repeated() ? 1 : rng_.chance(1, 40) ? 300 : rng_.below(3);
    for (std::uint64_t n = 0; n < times; ++n) set(message, field, depth);
  }
}

void RandomMessage::change(Message& message) {
  const auto* descriptor = message.GetDescriptor();
  const auto* r = message.GetReflection();
  if (descriptor->field_count() == 0) return;
  const Field* field = descriptor->field(static_cast<int>(rng_.below(descriptor->field_count())));
  const bool there = field->is_repeated() ? r->FieldSize(message, field) > 0 : r->HasField(message, field);
  if (there && rng_.chance(1, 8)) return r->ClearField(&message, field);
  if (there && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && rng_.chance(3, 4)) {
    if (!field->is_repeated()) return change(*r->MutableMessage(&message, field));
    const int size = r->FieldSize(message, field);
    const int one = static_cast<int>(rng_.below(size));
    if (rng_.chance(3, 4)) return change(*r->MutableRepeatedMessage(&message, field, one));
    return r->AddMessage(&message, field)->CopyFrom(r->GetRepeatedMessage(message, field, one));
  }
  set(message, field, 1);
}

}  // namespace berth::testing
