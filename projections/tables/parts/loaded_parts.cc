#include "projections/tables/parts/loaded_parts.h"

namespace berth::projections {
namespace {

const std::string& bytes_of(const SharedSpec& spec) { return spec.bytes; }
const std::string& bytes_of(const SharedOwner& owner) { return owner.bytes; }
const std::string& bytes_of(const std::string& sealed) { return sealed; }

// The one that is known of these bytes, or what `load` makes of them.
template <class Part, class Load>
Part shared(std::unordered_map<std::string_view, Part>& known, const std::string& bytes, Load load) {
  if (const auto it = known.find(bytes); it != known.end()) return it->second;
  Part loaded = load(bytes);
  if (loaded) known.emplace(bytes_of(*loaded), loaded);
  return loaded;
}

}  // namespace

SpecPtr LoadedParts::spec(const std::string& bytes) { return shared(specs_, bytes, load_spec); }

OwnerPtr LoadedParts::owner(const std::string& bytes) { return shared(owners_, bytes, load_owner); }

SealedPtr LoadedParts::sealed(std::string bytes) {
  return shared(sealed_, bytes,
                [](const std::string& of) { return std::make_shared<const std::string>(of); });
}

}  // namespace berth::projections
