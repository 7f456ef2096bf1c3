// An OCI image layout in a folder of this machine, and what it says of an image. A layout is anybody's files:
// each is bounded, is what its digest says, and lies in the folder; no link leads out of it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "events/base/result.h"

namespace berth::cli {

inline constexpr std::size_t kLayoutFileMax = 4 << 20;  // bytes of an index, a manifest or a configuration

struct LayoutSource {
  std::string folder, tag;
};
// Of "oci:FOLDER:TAG"; nullopt for all else.
std::optional<LayoutSource> parse_layout_source(std::string_view source);

struct LayoutImage {
  std::string digest;        // of what index.json names by the tag, as agents check it: "sha256:..."
  std::string architecture;  // as Berth names it: x86_64
  std::map<std::string, std::string> labels;
};

// The image of that tag; of several platforms the one of `architecture`. Codes: layout-missing (there is no
// index.json), layout-unreadable, layout-too-large, layout-damaged (a file is not what its digest says),
// layout-invalid, unknown-tag, unknown-architecture.
Result<LayoutImage> read_layout_image(const LayoutSource& source, std::string_view architecture);

// "x86_64" of this machine.
std::string own_architecture();

}  // namespace berth::cli
