#include "controller/api/folders/folder_in_path.h"

#include "controller/api/map/folders/folder_lookup.h"

namespace berth::controller::api {

Result<FoundFolder> folder_in_path(const Services& services, const Call& call) {
  Result<FoundFolder> out = make_error("internal-error", "no state");
  services.context.with_state([&](const StateView& view) {
    const auto found = find_folder(view.state, call.caller, call.path[0]);
    if (found.ok())
      out = FoundFolder{**found, access_of(actor_of(view.state, call.caller), **found)};
    else
      out = found.error();
  });
  return out;
}

}  // namespace berth::controller::api
