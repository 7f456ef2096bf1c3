// What an audit needs of a record, read without its other events: a quarter of a record's bytes are looked at
// twice at most.
#pragma once

#include <string_view>
#include <vector>

#include "events/schema/v1/event.pb.h"
#include "events/schema/v1/record.pb.h"

namespace berth::projections {

struct RecordGlance {
  v1::RecordHeader header;
  int events = 0;
  std::vector<v1::Event> told;  // elections, chain heads, head keys, rewound inputs; in order
};

// False: the bytes are no record.
bool glance(std::string_view body, RecordGlance& out);

}  // namespace berth::projections
