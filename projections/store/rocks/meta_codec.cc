#include "projections/store/rocks/meta_codec.h"

#include "projections/tables/row_codec.h"

namespace berth::projections {
namespace {

struct MetaFields {
  StoreMeta meta;
  template <class V> void fields(V& v) {
    v(1, meta.cluster);
    v(2, meta.schema);
    v(3, meta.next);
    v(4, meta.rolling);
    v(5, meta.state_hash);
  }
};

struct PointFields {
  ChainPoint point;
  Hash128 state_hash{};
  bool has_hash = false;
  template <class V> void fields(V& v) {
    v(1, point.next);
    v(2, point.rolling);
    v(3, state_hash);
    v(4, has_hash);
    v(5, point.applied);
  }
};

template <class T> std::string encode(T row) {
  RowEncoder encoder;
  row.fields(encoder);
  return encoder.take();
}

template <class T> bool decode(std::string_view bytes, T& row) {
  RowDecoder decoder(bytes);
  if (decoder.ok()) row.fields(decoder);
  return decoder.ok();
}

}  // namespace

std::string encode_meta(const StoreMeta& meta) { return encode(MetaFields{meta}); }

std::optional<StoreMeta> decode_meta(std::string_view bytes) {
  MetaFields row;
  row.meta.schema = 0;  // absent is not the default here
  if (!decode(bytes, row)) return std::nullopt;
  return row.meta;
}

std::string encode_point(const ChainPoint& point) {
  return encode(PointFields{point, point.state_hash.value_or(Hash128{}), point.state_hash.has_value()});
}

std::optional<ChainPoint> decode_point(std::string_view bytes) {
  PointFields row;
  if (!decode(bytes, row)) return std::nullopt;
  if (row.has_hash) row.point.state_hash = row.state_hash;
  return row.point;
}

}  // namespace berth::projections
