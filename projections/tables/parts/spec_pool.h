// SpecPool: one shared copy of each spec and owner that rows of a State name. Many sessions ask for the same.
//
// A copy of the pool shares what it holds: a spec never changes once it is in a row.
#pragma once

#include <string>
#include <unordered_map>

#include "projections/tables/parts/loaded_parts.h"
#include "projections/tables/session_table.h"

namespace berth::projections {

class SpecPool {
 public:
  SpecPtr share(const v1::SessionSpec& spec);
  OwnerPtr share(const v1::Owner& owner);
  // Those that it lacks.
  void adopt(const LoadedParts& parts);

 private:
  void drop_unused();

  // By protobuf's own bytes: they are quick to make, and equal bytes mean equal messages. Rows and hashes
  // take SharedSpec::bytes instead, which are the same on every build.
  std::unordered_map<std::string, SpecPtr> specs_;
  std::unordered_map<std::string, OwnerPtr> owners_;
  std::string scratch_;
  std::size_t size_limit_ = 1024;  // at this size specs and owners that no row names are dropped
};

}  // namespace berth::projections
