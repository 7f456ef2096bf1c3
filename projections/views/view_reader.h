// ViewReader: reads rows of views as they lie in a store. Thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "events/base/result.h"

namespace berth::projections {

class ViewReader {
 public:
  using OnRow = std::function<bool(std::string_view key, std::string_view bytes)>;  // false: enough
  virtual ~ViewReader() = default;
  // In key order from `from` on. Code: store-failed.
  virtual Result<void> scan_views(std::string_view from, const OnRow& row) const = 0;
  // The greatest key below `key`, or none. Code: store-failed.
  virtual Result<std::optional<std::string>> last_view_before(std::string_view key) const = 0;
};

}  // namespace berth::projections
