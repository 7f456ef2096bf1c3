// What the source and the digest of an image look like, for those who check a definition.
#pragma once

#include <string_view>

namespace berth::projections {

inline constexpr char kSourceHint[] = "oci:FOLDER:TAG or docker://HOST/NAME:TAG";
inline constexpr char kDigestHint[] = "sha256: and 64 hex digits in lower case";

inline bool is_image_source(std::string_view text) {
  for (const std::string_view start : {"oci:", "docker://"})
    if (text.starts_with(start)) return text.size() > start.size();
  return false;
}

inline bool is_image_digest(std::string_view text) {
  constexpr std::string_view kStart = "sha256:";
  return text.starts_with(kStart) && text.size() == kStart.size() + 64 &&
         text.find_first_not_of("0123456789abcdef", kStart.size()) == std::string_view::npos;
}

}  // namespace berth::projections
