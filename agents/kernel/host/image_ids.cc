#include "agents/kernel/host/image_ids.h"

#include <charconv>
#include <filesystem>
#include <optional>

#include "agents/kernel/id_ranges.h"
#include "agents/kernel/shim/system.h"
#include "events/base/files/durable_file.h"

namespace berth::agents {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "berth ids 1 ";

std::optional<std::uint32_t> base_in(std::string_view text) {
  if (!text.starts_with(kBegin) || !text.ends_with('\n')) return std::nullopt;
  text = text.substr(kBegin.size(), text.size() - kBegin.size() - 1);
  std::uint32_t base = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), base);
  return error == std::errc() && end == text.data() + text.size() && base > 0 ? std::optional(base)
                                                                              : std::nullopt;
}

std::string range(std::uint32_t base, std::uint32_t count) {
  return std::to_string(base) + " to " + std::to_string(base + count - 1);
}

// From the usual ones on upwards, where ranges of kernels are, which pass it over then.
std::optional<std::uint32_t> free_base(std::uint32_t count, const std::vector<GivenIds>& given) {
  for (std::uint32_t base = kImagesIdsBase; base <= kDiskBase - count; base += count)
    if (owner_among(given, base, count) == nullptr) return base;
  return std::nullopt;
}

}  // namespace

Result<ImageIds> choose_image_ids(const std::string& images, std::uint32_t count, bool shared_ids,
                                  const std::vector<GivenIds>& given) {
  const std::string path = images + "/ids";
  std::error_code error;
  std::optional<std::uint32_t> base;
  if (const auto text = shim::read_file(path, 128)) {
    base = base_in(*text);
    if (!base)
      return make_error("image-folder", path + " is damaged, or of a later version",
                        "remove " + images + ": images are fetched again");
  } else {
    const bool has_images = fs::exists(images + "/images", error) && !fs::is_empty(images + "/images", error);
    base = shared_ids || has_images ? kOldImagesIdsBase : free_base(count, given);
    if (!base)
      return make_error("no-id-range",
                        "users of this machine have every range of ids that images could have");
    fs::create_directories(images, error);
    if (const auto failed = write_durably(path, std::string(kBegin) + std::to_string(*base) + "\n", 0600))
      return make_error("image-folder", path + " cannot be written: " + failed.message());
  }
  ImageIds ids{*base, ""};
  if (const GivenIds* const owner = owner_among(given, *base, count))
    ids.warning = "files of images, and kernels that share ids, have the ids " + range(*base, count) +
                  " of this machine, and some of these are " + owner->whose + ", who could reach them. " +
                  (shared_ids ? "Give that user others"
                              : "Give that user others; or end all kernels, stop the agent and remove " +
                                    images + ": it then takes ids that nobody has");
  return ids;
}

}  // namespace berth::agents
