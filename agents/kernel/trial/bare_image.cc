#include "agents/kernel/trial/bare_image.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cstring>

#include "agents/kernel/image/image_process.h"
#include "agents/kernel/shim/system.h"
#include "events/base/edge_errors.h"

namespace berth::agents {

Result<std::string> make_bare_image(const std::string& folder, std::uint32_t owner) {
  const std::string image = folder + "/bare", rootfs = image + "/rootfs";
  const auto made = [](const std::string& path) { return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST; };
  const std::string text = boost::json::serialize(boost::json::object{{"v", 1}, {"process", to_json({})}});
  const bool whole = made(image) && made(rootfs) && chown(rootfs.c_str(), owner, owner) == 0 &&
                     chmod(rootfs.c_str(), 0755) == 0 &&  // whatever our umask is
                     shim::write_aside(image + "/image.json", image + "/image.json.new", text);
  if (!whole)
    return make_error(errno == ENOSPC ? kDiskFull : "data-folder",
                      "cannot make " + image + ": " + std::strerror(errno));
  return rootfs;
}

}  // namespace berth::agents
