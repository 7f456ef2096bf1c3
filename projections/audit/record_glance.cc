#include "projections/audit/record_glance.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace berth::projections {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

bool is_told(int field) {
  return field == v1::Event::kControllerElectedFieldNumber ||
         field == v1::Event::kChainHeadRecordedFieldNumber || field == v1::Event::kInputRewoundFieldNumber ||
         field == v1::Event::kHeadKeyChangedFieldNumber || field == v1::Event::kClusterRestoredFieldNumber;
}

// Calls f(field, bytes) for each field with a length; false: cut.
template <class F> bool each_field(std::string_view bytes, F f) {
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  while (const std::uint32_t tag = in.ReadTag()) {
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&in, tag)) return false;
      continue;
    }
    std::uint32_t size = 0;
    if (!in.ReadVarint32(&size)) return false;
    const auto at = static_cast<std::size_t>(in.CurrentPosition());
    if (size > bytes.size() - at || !in.Skip(static_cast<int>(size))) return false;
    if (!f(field, bytes.substr(at, size))) return false;
  }
  return in.ConsumedEntireMessage();
}

}  // namespace

bool glance(std::string_view body, RecordGlance& out) {
  out.header.Clear();
  out.told.clear();
  out.events = 0;
  bool has_header = false;
  const bool whole = each_field(body, [&](int field, std::string_view bytes) {
    if (field == v1::Record::kHeaderFieldNumber) {
      has_header = true;
      return out.header.MergeFromString(std::string(bytes));
    }
    if (field != v1::Record::kEventsFieldNumber) return true;
    ++out.events;
    bool is_wanted = false;
    if (!each_field(bytes, [&](int inner, std::string_view) {
          is_wanted = is_wanted || is_told(inner);
          return true;
        }))
      return false;
    if (!is_wanted) return true;
    return out.told.emplace_back().ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  });
  return whole && has_header;
}

}  // namespace berth::projections
