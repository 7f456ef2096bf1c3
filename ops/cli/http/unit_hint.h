// Which unit of systemd serves on this machine, for the hint of who finds no server there. Pure.
#pragma once

#include <functional>
#include <string>

namespace berth::cli {

// Whether a file can be read.
using IsThere = std::function<bool(const std::string& path)>;

// "berth" or "berth-controller": which is enabled, else which is installed; "": neither is.
std::string unit_of_machine(const IsThere& is_there);
// "systemctl status berth and journalctl -u berth say more".
std::string unit_hint(const std::string& unit);
// What to do where nobody answers at `host`. `own_name`: of this machine.
std::string unreachable_hint(const std::string& host, const std::string& own_name, const IsThere& is_there);
// The same on this machine.
std::string unreachable_hint(const std::string& host);

}  // namespace berth::cli
