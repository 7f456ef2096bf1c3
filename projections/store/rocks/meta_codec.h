// Bytes of the meta row, of a checkpoint's manifest and of chain points.
#pragma once

#include <string>
#include <string_view>

#include "projections/store/store.h"

namespace berth::projections {

std::string encode_meta(const StoreMeta& meta);
std::optional<StoreMeta> decode_meta(std::string_view bytes);

std::string encode_point(const ChainPoint& point);
std::optional<ChainPoint> decode_point(std::string_view bytes);

}  // namespace berth::projections
