#include "projections/tables/parts/spec_pool.h"

#include <algorithm>

#include "projections/tables/row_codec.h"

namespace berth::projections {

SpecPtr SpecPool::share(const v1::SessionSpec& spec) {
  spec.SerializeToString(&scratch_);
  if (const auto it = specs_.find(scratch_); it != specs_.end()) return it->second;
  drop_unused();
  auto shared = std::make_shared<SharedSpec>();
  shared->spec = spec;
  shared->bytes = canonical_bytes(spec);
  return specs_.emplace(scratch_, std::move(shared)).first->second;
}

OwnerPtr SpecPool::share(const v1::Owner& owner) {
  owner.SerializeToString(&scratch_);
  if (const auto it = owners_.find(scratch_); it != owners_.end()) return it->second;
  auto shared = std::make_shared<SharedOwner>();
  shared->owner = owner;
  shared->bytes = canonical_bytes(owner);
  shared->scopes = scopes_of(owner);
  return owners_.emplace(scratch_, std::move(shared)).first->second;
}

void SpecPool::adopt(const LoadedParts& parts) {
  parts.for_each_spec([this](const SpecPtr& spec) {
    spec->spec.SerializeToString(&scratch_);
    specs_.emplace(scratch_, spec);
  });
  parts.for_each_owner([this](const OwnerPtr& owner) {
    owner->owner.SerializeToString(&scratch_);
    owners_.emplace(scratch_, owner);
  });
  size_limit_ = std::max<std::size_t>(size_limit_, 2 * specs_.size());
}

void SpecPool::drop_unused() {
  if (specs_.size() < size_limit_) return;
  std::erase_if(specs_, [](const auto& entry) { return entry.second.use_count() == 1; });
  std::erase_if(owners_, [](const auto& entry) { return entry.second.use_count() == 1; });
  size_limit_ = std::max<std::size_t>(1024, 2 * specs_.size());
}

}  // namespace berth::projections
