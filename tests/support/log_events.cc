#include "tests/support/events.h"

namespace berth::testing {

v1::Event request_refused(const std::string& code) {
  v1::Event e;
  e.mutable_request_refused()->set_code(record_code(code));
  return e;
}

v1::Event request_repeated() {
  v1::Event e;
  e.mutable_request_repeated()->mutable_first()->set_epoch(1);
  return e;
}

v1::Event request_expired() {
  v1::Event e;
  e.mutable_request_expired()->set_not_after_ms(1);
  return e;
}

v1::Event input_rewound(std::uint32_t stream, std::uint32_t partition, std::uint64_t to) {
  v1::Event e;
  e.mutable_input_rewound()->set_stream(stream);
  e.mutable_input_rewound()->set_partition(partition);
  e.mutable_input_rewound()->set_to(to);
  return e;
}

v1::Event internal_error_recorded(std::uint32_t stream, std::uint32_t partition, std::uint64_t offset) {
  v1::Event e;
  auto* body = e.mutable_internal_error_recorded();
  body->set_stream(stream);
  body->set_partition(partition);
  body->set_offset(offset);
  return e;
}

v1::Event internal_error_recorded(const std::string& subject) {
  v1::Event e;
  e.mutable_internal_error_recorded()->set_subject(subject);
  return e;
}

v1::Event quarantine_released(const std::string& subject) {
  v1::Event e;
  e.mutable_quarantine_released()->set_subject(subject);
  return e;
}

v1::Event clock_jumped() {
  v1::Event e;
  e.mutable_clock_jumped()->set_wall_ns(1);
  return e;
}

v1::Event clock_confirmed() {
  v1::Event e;
  e.mutable_clock_confirmed()->set_wall_ns(1);
  return e;
}

}  // namespace berth::testing
