#include "controller/api/map/folders/mount_request.h"

#include <set>

#include "events/base/name.h"
#include "projections/tables/folder_table.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

Result<MountFolder> find_folder(const FindMountFolder& find, const std::string& id_or_name) {
  if (find) return find(id_or_name);
  return make_error("unknown-folder", "there is no folder '" + clipped(id_or_name) + "'");
}

void read_mount(ObjectReader& in, const FindMountFolder& find, std::set<std::string>& targets,
                v1::SessionSpec& spec) {
  v1::Mount& mount = *spec.add_mounts();
  std::string target;
  if (const std::string folder = in.required_text("folder", kTextMax); !folder.empty()) {
    const auto found = find_folder(find, folder);
    if (found.ok()) {
      mount.set_folder(std::string(found->id.view()));
      target = found->name;
    } else {
      in.fail(found.error().code, "folder", found.error().message, found.error().hint);
    }
  }
  if (const auto asked = in.text("target", kTextMax)) {
    target = *asked;
    if (!is_valid_name(target))
      in.fail("invalid-mount", "target",
              "'" + clipped(target) + "' is no name that a folder can have at home",
              "letters, digits, - _ . ; begins with a letter or digit; at most " + std::to_string(kNameMax));
  }
  mount.set_target(target);
  mount.set_read_only(in.boolean("read_only").value_or(false));
  if (!target.empty() && !targets.insert(target).second)
    in.fail("invalid-mount", "target", "two folders would be at /home/work/" + clipped(target),
            "give one of them another target");
  in.finish();
}

}  // namespace

void read_mounts(ObjectReader& in, const FindMountFolder& find, v1::SessionSpec& spec) {
  const json::array* mounts = in.array("mounts", projections::kMountsMax);
  if (mounts == nullptr) return;
  std::set<std::string> targets;
  for (std::size_t i = 0; i < mounts->size(); ++i) {
    const std::string place = in.place_of("mounts") + "[" + std::to_string(i) + "]";
    const json::value& one = (*mounts)[i];
    if (!one.is_object()) {
      in.errors().add("invalid-value", place, "must be an object", "{\"folder\": \"data\"}");
      continue;
    }
    ObjectReader mount(one.get_object(), place, in.errors());
    read_mount(mount, find, targets, spec);
  }
}

}  // namespace berth::controller::api
