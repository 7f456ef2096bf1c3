#pragma once

namespace berth {

// Of this build, as `--version`, AgentJoined and the API show it; the same as in CMakeLists.txt.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace berth
