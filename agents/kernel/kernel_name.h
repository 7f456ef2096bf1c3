// A kernel's name on disk: "<uuid>.<attempt>".
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agents/kernel/backend.h"

namespace berth::agents {

inline std::string kernel_name(const KernelKey& key) {
  return to_string(key.kernel) + "." + std::to_string(key.attempt);
}

inline std::optional<KernelKey> parse_kernel_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto id = Uuid::parse(name.substr(0, dot));
  std::uint32_t attempt = 0;
  const auto [end, error] = std::from_chars(name.data() + dot + 1, name.data() + name.size(), attempt);
  if (!id || error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return KernelKey{KernelId(*id), attempt};
}

}  // namespace berth::agents
