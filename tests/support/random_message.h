// Random messages of the schema, by reflection: what a writer with a right key might send. For properties and
// for the fuzz test of the leader.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/random.h"

namespace berth::testing {

class RandomMessage {
 public:
  // What means something to the reader is drawn more often than nonsense: `names` for text, `ids` for bytes.
  RandomMessage(Rng& rng, std::vector<std::string> names, std::vector<std::string> ids)
      : rng_(rng), names_(std::move(names)), ids_(std::move(ids)) {}

  // Sets about half of its fields, and theirs.
  void fill(google::protobuf::Message& message, int depth = 0);
  // Changes, adds, repeats or removes one field, somewhere in it.
  void change(google::protobuf::Message& message);

 private:
  using Field = google::protobuf::FieldDescriptor;
  void set(google::protobuf::Message& message, const Field* field, int depth);
  void set_value(google::protobuf::Message& message, const Field* field);
  std::string text(bool bytes);
  std::int64_t number();

  Rng& rng_;
  std::vector<std::string> names_, ids_;
};

}  // namespace berth::testing
