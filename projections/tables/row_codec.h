// RowEncoder, RowDecoder: rows as bytes, for the store and for the state hash (P14). Fields are in number
// order, defaults are left out.
//
// The format is protobuf's wire format. The encoder is our own, so that no byte depends on a library's
// version. Each row struct names its fields once, in `template <class V> void fields(V& v)`, for both
// directions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <google/protobuf/message.h>

#include "events/base/codes/code.h"
#include "events/base/hash.h"
#include "events/base/uuid.h"

namespace berth::projections {

class RowEncoder {
 public:
  template <class T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
  void operator()(int number, const T& value) {
    if (value == T{}) return;
    varint(static_cast<std::uint64_t>(number) << 3);
    varint(static_cast<std::uint64_t>(value));
  }
  void operator()(int number, Code value) { (*this)(number, value.number()); }
  void operator()(int number, const std::string& value) {
    if (!value.empty()) bytes(number, value);
  }
  void operator()(int number, const Uuid& value) {
    if (!value.is_nil()) bytes(number, value.view());
  }
  template <std::size_t N> void operator()(int number, const std::array<std::uint8_t, N>& value) {
    if (value != std::array<std::uint8_t, N>{}) bytes(number, as_view(value));
  }
  // Repeated: every element is written, defaults included. Structs nest.
  template <class T> void operator()(int number, const std::vector<T>& values) {
    for (const T& value : values) element(number, value);
  }
  template <class T>
  requires requires(T t, RowEncoder& v) { t.fields(v); }
  void operator()(int number, const T& value) {
    RowEncoder nested;
    const_cast<T&>(value).fields(
        nested);  // fields() is one template for both directions; encoding only reads
    if (!nested.out_.empty()) bytes(number, nested.out_);
  }
  void bytes(int number, std::string_view value) {
    varint(static_cast<std::uint64_t>(number) << 3 | 2);
    varint(value.size());
    out_.append(value);
  }
  void reserve(std::size_t size) { out_.reserve(size); }
  std::string take() { return std::move(out_); }
  const std::string& view() const { return out_; }
  void clear() { out_.clear(); }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  void element(int number, const std::string& value) { bytes(number, value); }
  void element(int number, const Uuid& value) { bytes(number, value.view()); }
  template <class T>
  requires requires(T t, RowEncoder& v) { t.fields(v); }
  void element(int number, const T& value) {
    RowEncoder nested;
    const_cast<T&>(value).fields(nested);
    bytes(number, nested.out_);
  }

  std::string out_;
};

// Reads what RowEncoder wrote. An absent field keeps its default. ok() is false after any malformed byte.
class RowDecoder {
 public:
  explicit RowDecoder(std::string_view in) { ok_ = split(in); }
  bool ok() const { return ok_; }
  // For a row whose fields do not fit together.
  void fail() { ok_ = false; }

  template <class T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
  void operator()(int number, T& value) {
    for (const Field& f : fields_)
      if (f.number == number) value = static_cast<T>(f.value);
  }
  void operator()(int number, Code& value) {
    std::uint32_t code = 0;
    (*this)(number, code);
    value = Code::of_number(code);
  }
  void operator()(int number, std::string& value) {
    if (const Field* f = find(number)) value = f->bytes;
  }
  void operator()(int number, Uuid& value) {
    if (const Field* f = find(number)) element(f->bytes, value);
  }
  template <std::size_t N> void operator()(int number, std::array<std::uint8_t, N>& value) {
    const Field* f = find(number);
    if (f == nullptr) return;
    if (f->bytes.size() != N) {
      ok_ = false;
      return;
    }
    std::copy(f->bytes.begin(), f->bytes.end(), value.begin());
  }
  template <class T> void operator()(int number, std::vector<T>& values) {
    for (const Field& f : fields_) {
      if (f.number != number) continue;
      T value{};
      element(f.bytes, value);
      values.push_back(std::move(value));
    }
  }
  template <class T>
  requires requires(T t, RowDecoder& v) { t.fields(v); }
  void operator()(int number, T& value) {
    if (const Field* f = find(number)) element(f->bytes, value);
  }

 private:
  struct Field {
    int number;
    std::uint64_t value;
    std::string_view bytes;
  };
  bool split(std::string_view in);
  const Field* find(int number) const {
    for (const Field& f : fields_)
      if (f.number == number) return &f;
    return nullptr;
  }
  void element(std::string_view bytes, std::string& value) { value = bytes; }
  void element(std::string_view bytes, Uuid& value) {
    const auto id = Uuid::from_bytes(bytes);
    ok_ = ok_ && id.has_value();
    value = id.value_or(Uuid{});
  }
  template <class T>
  requires requires(T t, RowDecoder& v) { t.fields(v); }
  void element(std::string_view bytes, T& value) {
    RowDecoder nested(bytes);
    value.fields(nested);
    ok_ = ok_ && nested.ok();
  }

  std::vector<Field> fields_;
  bool ok_ = true;
};

// A protobuf message in the same canonical form: fields in number order, defaults left out. The message's own
// parser reads it back.
std::string canonical_bytes(const google::protobuf::Message& message);

}  // namespace berth::projections
