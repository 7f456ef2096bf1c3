#pragma once

namespace berth {

// This build's version, as in `--version`, AgentJoined and the API; the same as in CMakeLists.txt.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace berth
