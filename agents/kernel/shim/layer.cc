#include "agents/kernel/shim/layer.h"

#include <sys/stat.h>
#include <unistd.h>

namespace berth::agents::shim {
namespace {

struct Part {
  const char* path;
  mode_t mode;
};
constexpr Part kParts[] = {{"/upper", 0755}, {"/upper/tmp", 01777}, {"/work", 0755}};

bool give(const std::string& path, mode_t mode, std::uint32_t owner) {
  return chown(path.c_str(), owner, owner) == 0 && chmod(path.c_str(), mode) == 0;  // whatever our umask is
}

}  // namespace

bool make_layer(const std::string& folder, std::uint32_t owner) {
  for (const Part& part : kParts) {
    const std::string path = folder + part.path;
    if (mkdir(path.c_str(), 0700) != 0 || !give(path, part.mode, owner)) return false;
  }
  return true;
}

bool own_layer(const std::string& folder, std::uint32_t owner) {
  for (const Part& part : kParts)
    if (!give(folder + part.path, part.mode, owner)) return false;
  return true;
}

}  // namespace berth::agents::shim
