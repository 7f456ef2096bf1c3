#include "ops/cli/events/event_types.h"

#include "events/schema/v1/event.pb.h"

namespace berth::cli {

const std::vector<std::string>& event_types() {
  static const std::vector<std::string> types = [] {
    std::vector<std::string> names;
    const auto* body = v1::Event::descriptor()->FindOneofByName("body");
    for (int i = 0; body != nullptr && i < body->field_count(); ++i)
      names.push_back(body->field(i)->message_type()->name());
    return names;
  }();
  return types;
}

}  // namespace berth::cli
