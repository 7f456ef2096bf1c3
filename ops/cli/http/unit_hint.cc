#include "ops/cli/http/unit_hint.h"

#include <unistd.h>

#include <array>

namespace berth::cli {
namespace {

constexpr const char* kUnits[] = {"berth", "berth-controller"};
// A build installs both units: the one that is enabled is the one that serves.
constexpr const char* kFolders[] = {"/etc/systemd/system/multi-user.target.wants/", "/etc/systemd/system/",
                                    "/lib/systemd/system/"};

bool is_own(const std::string& host, const std::string& own_name) {
  return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.") ||
         (!own_name.empty() && host == own_name);
}

}  // namespace

std::string unit_of_machine(const IsThere& is_there) {
  for (const char* folder : kFolders)
    for (const char* unit : kUnits)
      if (is_there(std::string(folder) + unit + ".service")) return unit;
  return {};
}

std::string unit_hint(const std::string& unit) {
  return "systemctl status " + unit + " and journalctl -u " + unit + " say more";
}

std::string unreachable_hint(const std::string& host, const std::string& own_name, const IsThere& is_there) {
  const std::string unit = is_own(host, own_name) ? unit_of_machine(is_there) : "";
  if (unit.empty()) return "is `berth up` running? --endpoint or --data says where";
  return unit_hint(unit) + "; --endpoint or --data names another server";
}

std::string unreachable_hint(const std::string& host) {
  std::array<char, 256> name{};
  const bool known = ::gethostname(name.data(), name.size() - 1) == 0;
  return unreachable_hint(host, known ? name.data() : "",
                          [](const std::string& path) { return ::access(path.c_str(), R_OK) == 0; });
}

}  // namespace berth::cli
