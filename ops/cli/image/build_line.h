// Lines of a builder of images (ops/images/build, or a site's own), read as what they say. Pure.
//
//   on stderr   PROGRAM: REFERENCE: PERCENT %: STEP        "ops/images/build: jupyter:4.6: 40 %: installing
//   packages" on stdout   REFERENCE oci:FOLDER:TAG                   "jupyter:4.6
//   oci:/var/lib/images/jupyter:4.6", one an image, at its end
//
// All else that a builder prints is for people alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::cli {

inline constexpr std::size_t kBuildReferenceBytesMax = 255;
inline constexpr std::size_t kBuildStepBytesMax = 200;  // a longer step is cut
inline constexpr std::size_t kBuildSourceBytesMax = 4096;

struct BuildProgress {
  std::string reference;  // "jupyter:4.6"
  int percent = 0;        // 0 to 100
  std::string step;       // "installing packages"; may be empty

  bool operator==(const BuildProgress&) const = default;
};

struct BuiltImage {
  std::string reference;  // as above
  std::string folder;     // the OCI layout, an absolute path
  std::string tag;        // of the image in it

  std::string source() const { return "oci:" + folder + ":" + tag; }
  bool operator==(const BuiltImage&) const = default;
};

// As the API takes text: on one line; what a terminal would obey, and what is no UTF-8, is shown as what it
// is. Empty for a text with other ends of lines, like U+2028.
std::string plain(std::string_view text);

// nullopt: the line says something else.
std::optional<BuildProgress> read_progress_line(std::string_view line);
std::optional<BuiltImage> read_built_line(std::string_view line);

}  // namespace berth::cli
