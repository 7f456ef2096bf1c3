// ImageProcess: how programs of an image run: what its config says (OCI image specification), its user looked
// up in the image's own /etc/passwd and /etc/group when the image was unpacked.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/base/result.h"

namespace berth::agents {

struct ImageProcess {
  std::vector<std::string> env;       // "NAME=value", without HOME
  std::uint32_t uid = 0, gid = 0;     // as seen in the kernel
  std::vector<std::uint32_t> groups;  // besides gid
  std::string home = "/";
  std::string folder = "/";  // in which programs begin to work

  bool operator==(const ImageProcess&) const = default;
};

// Of the only image in the OCI layout at `layout`, which is unpacked at `rootfs`. Nothing there is trusted:
// no link leads out of `rootfs`, and only regular files are read. Codes: image-user-unknown (the image's
// files lack the user or group, or its number is not below `ids`), image-pull-failed (the config cannot be
// read).
Result<ImageProcess> process_of_image(const std::string& layout, const std::string& rootfs,
                                      std::uint32_t ids);

// As image.json has it.
boost::json::object to_json(const ImageProcess& process);
// nullopt: it is not one.
std::optional<ImageProcess> image_process_in(const boost::json::value& json);

}  // namespace berth::agents
