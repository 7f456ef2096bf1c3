// The folders of a kernel's own layer, before anything runs in it. Standard library only.
#pragma once

#include <cstdint>
#include <string>

namespace berth::agents::shim {

// Makes in `folder`, which is there: `upper` with /tmp as it is in any kernel, and `work`, all of them of the
// host user `owner`. False: errno says why.
bool make_layer(const std::string& folder, std::uint32_t owner);

// Gives what make_layer() made for somebody else to the host user `owner`. False: errno says why.
bool own_layer(const std::string& folder, std::uint32_t owner);

}  // namespace berth::agents::shim
