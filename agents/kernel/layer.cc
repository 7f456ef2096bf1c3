#include "agents/kernel/layer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace berth::agents {

bool make_layer(const std::string& folder, std::uint32_t owner) {
  constexpr mode_t kUsual = 0755, kEverybodys = 01777;
  for (const auto& [name, mode] :
       {std::pair("/upper", kUsual), std::pair("/upper/tmp", kEverybodys), std::pair("/work", kUsual)}) {
    const std::string path = folder + name;
    if (mkdir(path.c_str(), 0700) != 0 || chown(path.c_str(), owner, owner) != 0 ||
        chmod(path.c_str(), mode) != 0)  // whatever our umask is
      return false;
  }
  return true;
}

}  // namespace berth::agents
