#include "agents/kernel/host/programs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace berth::agents {

namespace {

// Root may "execute" folders.
bool is_program(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return is_program(name) ? std::filesystem::absolute(name).string() : "";
  for (const char* folder :
       {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"})
    if (is_program(folder + name)) return folder + name;
  return "";
}

std::string find_runtime(const std::string& asked) {
  if (!asked.empty()) return find_program(asked);
  const std::string runc = find_program("runc");
  return runc.empty() ? find_program("crun") : runc;
}

Result<std::string> runtime_for(const std::string& asked) {
  std::string found = find_runtime(asked);
  if (!found.empty()) return found;
  if (asked.find('/') != std::string::npos && access(asked.c_str(), F_OK) == 0)
    return make_error("runtime-missing",
                      "the container runtime '" + asked + "' cannot be run: it is not an executable file",
                      "chmod +x, if it is the right file");
  return make_error("runtime-missing",
                    asked.empty() ? "neither of the container runtimes runc and crun is installed"
                                  : "the container runtime '" + asked + "' is not installed",
                    "apt-get install " + (asked == "crun" ? asked : "runc"));
}

}  // namespace berth::agents
