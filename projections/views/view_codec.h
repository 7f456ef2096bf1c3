// Rows of views as bytes, both ways.
#pragma once

#include <string>
#include <string_view>

#include "events/base/result.h"
#include "projections/tables/row_codec.h"

namespace berth::projections {

template <class Row> std::string encode_view(const Row& row) {
  RowEncoder encoder;
  const_cast<Row&>(row).fields(encoder);  // one template for both directions; encoding only reads
  return encoder.take();
}

// Code: store-corrupt.
template <class Row> Result<Row> decode_view(std::string_view bytes) {
  Row row;
  RowDecoder decoder(bytes);
  row.fields(decoder);
  if (decoder.ok()) return row;
  return make_error("store-corrupt", "a row of a view is damaged",
                    "the store is moved aside and rebuilt from the journal");
}

}  // namespace berth::projections
