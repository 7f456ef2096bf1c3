// Which image a session waits for.
#pragma once

#include "projections/tables/state.h"

namespace berth::projections {

// The image of a kernel of that role.
inline const std::string& image_of(const v1::SessionSpec& spec, const v1::RoleSpec& role) {
  return role.image().empty() ? spec.image() : role.image();
}

// The first image of the session with which nothing can start; nullptr if there is none.
inline const ImageRow* missing_image(const State& state, const v1::SessionSpec& spec) {
  for (const auto& role : spec.roles()) {
    const ImageRow* image = state.images.find(image_of(spec, role));
    if (image != nullptr && !image->is_usable()) return image;
  }
  return nullptr;
}

}  // namespace berth::projections
