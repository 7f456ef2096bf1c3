// UsageMeter: follows what is held, waited for and there, and makes the rows of the usage view of it.
//
// It is told of each applied record. The rows go into the batch of the store that has the record's other
// rows, so that neither is ahead of the other. The memory is a rate a series, and the rows that are not taken
// yet. Pure; not thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "events/base/result.h"
#include "projections/views/usage_rows.h"
#include "projections/views/view_reader.h"

namespace berth::projections {

class UsageMeter {
 public:
  // Where the view's rows end. Code: store-corrupt.
  static Result<UsageMeter> load(const ViewReader& reader);

  // An applied record at that header time, which never falls.
  void apply(Offset offset, Timestamp time, const std::vector<UseChange>& changes);
  // The rows since the last call; a later row of a key replaces an earlier one.
  std::vector<ViewRow> take_rows() { return std::exchange(rows_, {}); }

 private:
  struct Open {
    UseRow row;  // `time` of a slot: what its changes in this span take from rate * length
  };
  void move(const ChangeRow& change, Timestamp time);
  void end_spans(Timestamp time);
  void end_span(Timestamp end);
  template <class Row> void put(std::string key, const Row& row);

  static constexpr Timestamp kNever = -1;
  Timestamp begin_ = kNever;            // of the span that goes on; kNever: nothing was ever held
  std::map<std::string, Open> series_;  // by key
  std::vector<ViewRow> rows_;
};

}  // namespace berth::projections
