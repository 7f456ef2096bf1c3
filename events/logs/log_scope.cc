#include "events/logs/log_scope.h"

namespace berth {
namespace {

LogFields& fields_of_thread() {
  thread_local LogFields fields;
  return fields;
}

}  // namespace

LogScope::LogScope(std::initializer_list<std::pair<const char*, std::string>> fields)
    : before_(fields_of_thread().size()) {
  for (const auto& field : fields)
    if (!field.second.empty()) fields_of_thread().push_back(field);
}

LogScope::~LogScope() { fields_of_thread().resize(before_); }

const LogFields& LogScope::fields() { return fields_of_thread(); }

}  // namespace berth
