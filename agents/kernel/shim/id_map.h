// Clones of mounts that show the owners of files as other ids ("idmapped mounts"). Standard library only.
#pragma once

#include <cstdint>
#include <string>

#include "events/base/files/descriptor.h"

namespace berth::agents::shim {

// `count` ids from `disk` on, as files have them, are those from `host` on in whoever comes through the
// mount.
struct IdRange {
  std::uint32_t disk = 0;
  std::uint32_t host = 0;
  std::uint32_t count = 0;
};

// The map as what the machine's kernel takes for one: a user namespace, made by a child that lives for as
// long as this call. Needs root. None: `why` says why. May be called beside other threads.
Descriptor make_id_map(const IdRange& range, std::string& why);

// A mount, at no place yet, of this folder without what is mounted in it, now or later. No file in it gives
// rights (nosuid) or is a device (nodev); programs in it run also where the host lets none run (noexec), for
// they have no other rights than those that people bring with them. `id_map`: none shows owners as they are
// on disk. None: `why` says why. REQUIRES: the folder was opened in this process's own mount namespace.
Descriptor clone_folder(int folder, const Descriptor& id_map, bool read_only, std::string& why);

}  // namespace berth::agents::shim
