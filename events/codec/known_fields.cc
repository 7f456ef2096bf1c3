#include "events/codec/known_fields.h"

#include <map>
#include <memory>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "events/base/varint.h"
#include "events/schema/v1/event.pb.h"

namespace berth {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Fields of one message type by number; children for message fields.
struct TypeTable {
  enum : std::uint8_t { kUnknown = 0, kScalar = 1, kMessage = 2 };
  std::string name;
  std::vector<std::uint8_t> kinds;
  std::vector<const TypeTable*> children;
  std::vector<std::string> names;
  std::uint32_t skippable_field = 0;  // Event.skippable
};

class Tables {
 public:
  const TypeTable* of(const Descriptor& type) {
    auto [it, fresh] = tables_.try_emplace(&type);
    if (!fresh) return it->second.get();
    it->second = std::make_unique<TypeTable>();
    TypeTable* table = it->second.get();
    table->name = type.name();
    for (int i = 0; i < type.field_count(); ++i) add(*table, *type.field(i));
    if (&type == v1::Event::descriptor()) table->skippable_field = v1::Event::kSkippableFieldNumber;
    return table;
  }

 private:
  void add(TypeTable& table, const FieldDescriptor& field) {
    const auto number = static_cast<std::size_t>(field.number());
    if (table.kinds.size() <= number) {
      table.kinds.resize(number + 1, TypeTable::kUnknown);
      table.children.resize(number + 1, nullptr);
      table.names.resize(number + 1);
    }
    const bool message = field.type() == FieldDescriptor::TYPE_MESSAGE;
    table.kinds[number] = message ? TypeTable::kMessage : TypeTable::kScalar;
    table.names[number] = field.name();
    if (message) table.children[number] = of(*field.message_type());
  }

  std::map<const Descriptor*, std::unique_ptr<TypeTable>> tables_;
};

// Takes one field's value off `in`; `value` is the payload of a length-delimited one or the number of a
// varint.
bool take_value(std::uint32_t wire_type, std::string_view& in, std::string_view& bytes,
                std::uint64_t& number) {
  switch (wire_type) {
    case 0: return take_varint(in, number);
    case 1:
      if (in.size() < 8) return false;
      in.remove_prefix(8);
      return true;
    case 5:
      if (in.size() < 4) return false;
      in.remove_prefix(4);
      return true;
    case 2:
      if (!take_varint(in, number) || number > in.size()) return false;
      bytes = in.substr(0, number);
      in.remove_prefix(number);
      return true;
    default: return false;
  }
}

constexpr int kDepthMax = 20;

// Path of the first unknown field; malformed bytes are left to the parser.
std::string walk(const TypeTable& table, std::string_view in, int depth) {
  if (depth > kDepthMax) return table.name + ".(too deep)";
  std::string unknown;
  bool skippable = false;
  while (!in.empty()) {
    std::uint64_t tag, number = 0;
    std::string_view bytes;
    if (!take_varint(in, tag)) break;
    if (!take_value(static_cast<std::uint32_t>(tag & 7), in, bytes, number)) break;
    const std::uint64_t field = tag >> 3;
    std::uint8_t kind = TypeTable::kUnknown;
    if (field < table.kinds.size()) kind = table.kinds[field];
    if (kind == TypeTable::kUnknown && unknown.empty()) unknown = table.name + ".#" + std::to_string(field);
    if (table.skippable_field != 0 && field == table.skippable_field) skippable = number != 0;
    if (kind == TypeTable::kMessage && (tag & 7) == 2 && unknown.empty()) {
      unknown = walk(*table.children[field], bytes, depth + 1);
      if (!unknown.empty()) unknown = table.name + "." + table.names[field] + "/" + unknown;
    }
  }
  return skippable ? std::string() : unknown;
}

}  // namespace

std::string first_unknown_field(const Descriptor& type, std::string_view bytes) {
  // A table per thread: building it needs no lock, and there are few threads that fold.
  thread_local Tables tables;
  return walk(*tables.of(type), bytes, 0);
}

}  // namespace berth
