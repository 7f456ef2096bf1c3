#include "ops/cli/image/find_builder.h"

#include <filesystem>

namespace berth::cli {

Outcome<std::string> find_image_builder(Shell& shell, const std::string& given) {
  std::string builder = shell.world().image_builder;
  if (const auto set = shell.settings().get("image.builder")) builder = set->value;
  if (!given.empty()) builder = given;
  std::error_code ignored;
  if (builder.empty())
    return usage_failure("there is no ops/images/build beside this program",
                         "name a builder by option, or as image.builder in the configuration");
  return std::filesystem::absolute(builder, ignored).string();
}

}  // namespace berth::cli
