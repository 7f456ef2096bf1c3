#include "agents/kernel/ends_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agents/kernel/shim/system.h"

namespace berth::agents {

Result<std::map<std::string, shim::ExitRecord>> open_ends(const std::string& path,
                                                          const std::set<std::string>& kept) {
  std::map<std::string, shim::ExitRecord> ends;
  const std::string text = shim::read_file(path, 256 << 20).value_or("");
  std::string again;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t newline = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, newline - at);
    at = newline + 1;
    std::string key;
    shim::ExitRecord record;
    if (!shim::decode_end(line, key, record) || !kept.contains(key)) continue;
    again += line + "\n";
    ends[key] = record;
  }
  // A shim that appends to the old file at this moment has its record in the fast folder as well.
  // Where the disk is full the old one stays, longer than it has to be: shims append to it.
  if (shim::write_aside(path, path + ".new", again) || access(path.c_str(), W_OK) == 0) return ends;
  return make_error("data-folder", "cannot write " + path + ": " + std::strerror(errno), "is the disk full?");
}

}  // namespace berth::agents
