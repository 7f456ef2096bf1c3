#include "agents/kernel/host/programs.h"

#include <unistd.h>

#include <filesystem>

namespace berth::agents {

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return access(name.c_str(), X_OK) == 0 ? std::filesystem::absolute(name).string() : "";
  for (const char* folder :
       {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"})
    if (access((folder + name).c_str(), X_OK) == 0) return folder + name;
  return "";
}

std::string find_runtime(const std::string& asked) {
  if (!asked.empty()) return find_program(asked);
  const std::string runc = find_program("runc");
  return runc.empty() ? find_program("crun") : runc;
}

}  // namespace berth::agents
