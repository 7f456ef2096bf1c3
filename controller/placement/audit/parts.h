// The parts of the audit, one function a table. Each returns the first broken invariant; empty if all hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "controller/placement/model/model.h"

namespace berth::placement::audit {

// audit_agents.cc
std::string agent_names(const Model& model);
std::string agents(const Model& model, AgentIndex begin, AgentIndex end);
// audit_groups.cc
std::string group(const Model& model, GroupIndex index);
// audit_pending.cc
std::string pending(const Model& model);
// audit_catalog.cc
std::string classes(const Model& model);
std::string requirements(const Model& model);
// audit_live.cc
std::string live(const Model& model, LiveIndex begin, LiveIndex end);
std::string holdings(const Model& model);

// "WHERE: WHAT is HAS, the recount is COUNTED"; empty if the two are equal.
template <class A, class B>
std::string differs(std::string_view where, std::string_view what, A has, B counted) {
  const auto left = static_cast<std::int64_t>(has);
  const auto right = static_cast<std::int64_t>(counted);
  if (left == right) return {};
  return std::string(where) + ": " + std::string(what) + " is " + std::to_string(left) + ", the recount is " +
         std::to_string(right);
}

// Which rows of a table are free, from its free list; `wrong` is set if the list names a row twice or one
// that is not there.
inline std::vector<bool> free_rows(std::size_t rows, const std::vector<std::uint32_t>& free_list,
                                   bool* wrong) {
  std::vector<bool> is_free(rows, false);
  *wrong = false;
  for (const std::uint32_t row : free_list) {
    *wrong = *wrong || row >= rows || is_free[row];
    if (row < rows) is_free[row] = true;
  }
  return is_free;
}

}  // namespace berth::placement::audit
