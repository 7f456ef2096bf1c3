// A new folder of a volume: whole, with its owner, or not there. Whoever comes first makes it; two that make
// the same one at once, on two machines even, end with one. Standard library only: a shim makes folders too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::agents {

// Begins the names of folders in staging that are being made. A crash leaves them there; an agent that opens
// the volume removes them, also those of another agent, which then begins again.
inline constexpr std::string_view kBeingMade = "make-";

// Makes the folder `name` in `folders`, by way of `staging`: open folders of one volume. One that is there is
// fine, and stays as it is. On disk when it returns. False: errno says why.
bool make_new_folder(int folders, int staging, const std::string& name, std::uint32_t owner);

}  // namespace berth::agents
