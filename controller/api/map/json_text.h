// JsonText: JSON written straight into a string, byte for byte as boost::json::serialize() writes it. For
// rows that are told by the hundred, where an object of boost::json costs several times as much. Pure.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "controller/api/map/time_text.h"
#include "events/base/clock.h"
#include "events/base/uuid.h"

namespace berth::controller::api {

// Values are written one behind the other; commas come by themselves.
class JsonText {
 public:
  // Makes room for so many bytes more.
  void reserve(std::size_t bytes) { text_.reserve(text_.size() + bytes); }
  std::string take() { return std::move(text_); }

  // '{' or '[', and the same of the end.
  void open(char bracket) {
    separate();
    text_ += bracket;
  }
  void close(char bracket) { text_ += bracket; }
  // Of the value that comes next.
  JsonText& key(std::string_view name);
  // A name that is written in the source: no quote, backslash or control character is in it.
  template <std::size_t Size> JsonText& key(const char (&name)[Size]) {
    char text[Size + 3] = {',', '"'};  // Size counts the zero at the end
    std::copy_n(name, Size - 1, text + 2);
    text[Size + 1] = '"';
    text[Size + 2] = ':';
    const std::size_t skipped = is_first() ? 1 : 0;
    text_.append(text + skipped, sizeof text - skipped);
    return *this;
  }

  void value(std::nullptr_t) { raw("null"); }
  void value(bool truth) { raw(truth ? "true" : "false"); }
  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  template <std::integral Number> void value(Number number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    raw({digits, static_cast<std::size_t>(end - digits)});
  }
  // What is JSON already.
  void raw(std::string_view json) {
    separate();
    text_ += json;
  }

  template <class Name, class Value> void put(const Name& name, const Value& member) {
    key(name).value(member);
  }
  // Null where there is none of them.
  template <class Name> void put_id(const Name& name, const Uuid& id) {
    id.is_nil() ? put(name, nullptr) : put(name, to_string(id));
  }
  template <class Name> void put_text(const Name& name, std::string_view text) {
    text.empty() ? put(name, nullptr) : put(name, text);
  }
  template <class Name> void put_time(const Name& name, Timestamp time) {
    time == 0 ? put(name, nullptr) : put(name, format_time(time));
  }
  template <class Name> void put_duration(const Name& name, std::int64_t milliseconds) {
    milliseconds == 0 ? put(name, nullptr) : put(name, format_duration_ms(milliseconds));
  }
  // {...}, [...]; `fill` writes the members, or is called with each of the items.
  template <class Name, class Fill> void object(const Name& name, Fill fill) {
    key(name).open('{');
    fill();
    close('}');
  }
  template <class Name, class Items, class Fill> void array(const Name& name, const Items& items, Fill fill) {
    key(name).open('[');
    for (const auto& item : items) fill(item);
    close(']');
  }
  template <class Name, class Items> void array(const Name& name, const Items& items) {
    array(name, items, [this](const auto& item) { value(item); });
  }

 private:
  // Whether the value or name that comes next needs no comma before it.
  bool is_first() const {
    return text_.empty() || text_.back() == '{' || text_.back() == '[' || text_.back() == ':';
  }
  void separate() {
    if (!is_first()) text_ += ',';
  }
  std::string text_;
};

}  // namespace berth::controller::api
