// JsonText: JSON written straight into a string, byte for byte as boost::json::serialize() writes it. For
// rows that are told by the hundred, where an object of boost::json costs several times as much. Pure.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "events/base/clock.h"
#include "events/base/uuid.h"

namespace berth::controller::api {

// Values are written one behind the other; commas come by themselves.
class JsonText {
 public:
  std::string take() { return std::move(text_); }

  // '{' or '[', and the same of the end.
  void open(char bracket) {
    separate();
    text_ += bracket;
  }
  void close(char bracket) { text_ += bracket; }
  // Of the value that comes next.
  JsonText& key(std::string_view name);

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

  template <class Value> void put(std::string_view name, const Value& member) { key(name).value(member); }
  // Null where there is none of them.
  void put_id(std::string_view name, const Uuid& id);
  void put_text(std::string_view name, std::string_view text);
  void put_time(std::string_view name, Timestamp time);
  void put_duration(std::string_view name, std::int64_t milliseconds);
  // {...}, [...]; `fill` writes the members, or is called with each of the items.
  template <class Fill> void object(std::string_view name, Fill fill) {
    key(name).open('{');
    fill();
    close('}');
  }
  template <class Items, class Fill> void array(std::string_view name, const Items& items, Fill fill) {
    key(name).open('[');
    for (const auto& item : items) fill(item);
    close(']');
  }
  template <class Items> void array(std::string_view name, const Items& items) {
    array(name, items, [this](const auto& item) { value(item); });
  }

 private:
  void separate() {
    if (!text_.empty() && text_.back() != '{' && text_.back() != '[' && text_.back() != ':') text_ += ',';
  }
  std::string text_;
};

}  // namespace berth::controller::api
