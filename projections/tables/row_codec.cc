#include "projections/tables/row_codec.h"

#include <algorithm>

#include "events/base/checks.h"
#include "events/base/varint.h"

namespace berth::projections {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_bytes(std::string& out, int number, std::string_view bytes) {
  put_varint(out, static_cast<std::uint64_t>(number) << 3 | 2);
  put_varint(out, bytes.size());
  out.append(bytes);
}

std::uint64_t integer(const Message& m, const FieldDescriptor& f, int index) {
  const auto* r = m.GetReflection();
  const bool many = f.is_repeated();
  switch (f.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return static_cast<std::uint64_t>(
          static_cast<std::int64_t>(many ? r->GetRepeatedInt32(m, &f, index) : r->GetInt32(m, &f)));
    case FieldDescriptor::CPPTYPE_INT64:
      return static_cast<std::uint64_t>(many ? r->GetRepeatedInt64(m, &f, index) : r->GetInt64(m, &f));
    case FieldDescriptor::CPPTYPE_UINT32:
      return many ? r->GetRepeatedUInt32(m, &f, index) : r->GetUInt32(m, &f);
    case FieldDescriptor::CPPTYPE_UINT64:
      return many ? r->GetRepeatedUInt64(m, &f, index) : r->GetUInt64(m, &f);
    case FieldDescriptor::CPPTYPE_BOOL:
      return (many ? r->GetRepeatedBool(m, &f, index) : r->GetBool(m, &f)) ? 1 : 0;
    case FieldDescriptor::CPPTYPE_ENUM:
      return static_cast<std::uint64_t>(many ? r->GetRepeatedEnumValue(m, &f, index)
                                             : r->GetEnumValue(m, &f));
    default: BERTH_CHECK(false, "a field type that rows do not use");
  }
}

void put_field(std::string& out, const Message& m, const FieldDescriptor& f, int index) {
  const auto* r = m.GetReflection();
  const bool many = f.is_repeated();
  if (f.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    std::string scratch;
    put_bytes(out, f.number(),
              many ? r->GetRepeatedStringReference(m, &f, index, &scratch)
                   : r->GetStringReference(m, &f, &scratch));
  } else if (f.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    put_bytes(out, f.number(),
              canonical_bytes(many ? r->GetRepeatedMessage(m, &f, index) : r->GetMessage(m, &f)));
  } else {
    put_varint(out, static_cast<std::uint64_t>(f.number()) << 3);
    put_varint(out, integer(m, f, index));
  }
}

}  // namespace

bool RowDecoder::split(std::string_view in) {
  fields_.reserve(std::min<std::size_t>(in.size() / 4 + 1, 40));  // most rows have fewer
  while (!in.empty()) {
    std::uint64_t tag, value;
    if (!take_varint(in, tag) || !take_varint(in, value)) return false;
    Field field{static_cast<int>(tag >> 3), value, {}};
    if ((tag & 7) == 2) {
      if (value > in.size()) return false;
      field.bytes = in.substr(0, value);
      in.remove_prefix(value);
    } else if ((tag & 7) != 0) {
      return false;
    }
    fields_.push_back(field);
  }
  return true;
}

std::string canonical_bytes(const Message& message) {
  std::vector<const FieldDescriptor*> present;
  message.GetReflection()->ListFields(message, &present);  // set ones only, in number order
  std::string out;
  for (const FieldDescriptor* f : present) {
    const int count = f->is_repeated() ? message.GetReflection()->FieldSize(message, f) : 1;
    for (int i = 0; i < count; ++i) put_field(out, message, *f, i);
  }
  return out;
}

}  // namespace berth::projections
