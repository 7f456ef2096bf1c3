// LoadedParts: one shared copy of each spec, owner and sealed environment while rows are loaded, so that each
// is decoded once however many rows name it. State::adopt() takes them over.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "projections/tables/row_codec.h"
#include "projections/tables/session_table.h"

namespace berth::projections {

class LoadedParts {
 public:
  // Of canonical bytes. Null: they are damaged.
  SpecPtr spec(const std::string& bytes);
  OwnerPtr owner(const std::string& bytes);
  SealedPtr sealed(std::string bytes);

  // In any order.
  template <class F> void for_each_spec(F f) const {
    for (const auto& [bytes, spec] : specs_) f(spec);
  }
  template <class F> void for_each_owner(F f) const {
    for (const auto& [bytes, owner] : owners_) f(owner);
  }

 private:
  // A key is a view of what its value holds.
  std::unordered_map<std::string_view, SpecPtr> specs_;
  std::unordered_map<std::string_view, OwnerPtr> owners_;
  std::unordered_map<std::string_view, SealedPtr> sealed_;
};

// Rows decoded by it share their parts.
class SharingDecoder : public RowDecoder {
 public:
  SharingDecoder(std::string_view in, LoadedParts& parts) : RowDecoder(in), parts_(parts) {}
  LoadedParts& parts() { return parts_; }

 private:
  LoadedParts& parts_;
};

}  // namespace berth::projections
