// JsonText writes what boost::json writes.
#include "controller/api/map/json_text.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "events/base/random.h"

namespace berth::controller::api {
namespace {

std::string any_text(Rng& rng) {
  std::string text;
  for (std::uint64_t size = rng.below(20); size > 0; --size)
    text += static_cast<char>(rng.chance(1, 3) ? rng.below(0x80) : 'a' + rng.below(26));
  return text + (rng.chance(1, 4) ? "한국" : "");
}

// The same value both ways.
boost::json::value write_any(Rng& rng, JsonText& out, int depth) {
  const auto kind = rng.below(depth == 0 ? 5 : 7);
  if (kind == 0) {
    out.value(nullptr);
    return nullptr;
  }
  if (kind == 1) {
    const bool truth = rng.chance(1, 2);
    out.value(truth);
    return truth;
  }
  if (kind == 2) {
    const auto number = static_cast<std::int64_t>(rng.next());
    out.value(number);
    return number;
  }
  if (kind < 5) {
    const std::string text = any_text(rng);
    out.value(text);
    return boost::json::value(text);
  }
  const std::uint64_t size = rng.below(4);
  if (kind == 5) {
    boost::json::array array;
    out.open('[');
    for (std::uint64_t i = 0; i < size; ++i) array.push_back(write_any(rng, out, depth - 1));
    out.close(']');
    return array;
  }
  boost::json::object object;
  out.open('{');
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::string key = any_text(rng) + std::to_string(i);
    out.key(key);
    object[key] = write_any(rng, out, depth - 1);
  }
  out.close('}');
  return object;
}

TEST(JsonText, WritesAnyValueAsBoostDoes) {
  Rng rng(7);
  for (int i = 0; i < 5'000; ++i) {
    JsonText out;
    const boost::json::value value = write_any(rng, out, 4);
    ASSERT_EQ(out.take(), boost::json::serialize(value));
  }
}

TEST(JsonText, WritesNullForWhatIsAbsent) {
  JsonText out;
  out.open('{');
  out.put_id("id", Uuid{});
  out.put_text("text", "");
  out.put_time("at", 0);
  out.put_time("then", kSecond / 2);
  out.put_duration("for", 0);
  out.put_duration("wait", 1500);
  out.object("o", [] {});
  out.array("a", std::vector<std::string>{"x", "\"y\""});
  out.close('}');
  EXPECT_EQ(out.take(),
            R"({"id":null,"text":null,"at":null,"then":"1970-01-01T00:00:00.5Z","for":null,"wait":"1500ms",)"
            R"("o":{},"a":["x","\"y\""]})");
}

}  // namespace
}  // namespace berth::controller::api
