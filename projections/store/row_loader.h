// RowLoader: rows as a store has them, back into the tables of a State.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "projections/store/store.h"
#include "projections/tables/parts/loaded_parts.h"

namespace berth::projections {

// Puts rows into their tables as they come, in key order. Those that the state queues by time wait until all
// of their table are there: a queue takes a row at its end at once, and one in its middle after a search.
class RowLoader {
 public:
  // `hash`: the rows' hashes are added to it, for a state that goes on being hashed; nullptr: nobody asks.
  RowLoader(State& state, StateHash* hash) : state_(state), hash_(hash) {}

  // False if the row does not decode.
  bool take(const LoadedRow& loaded);
  // After the last row.
  void finish();

 private:
  void settle();
  template <class Row> struct Waiting {
    Row row;
    std::string bytes;  // empty without a hash
  };
  template <class Row> bool take(Table<Row>& table, const LoadedRow& loaded);
  template <class Row> void put(Table<Row>& table, Row row, std::string_view bytes);
  template <class Row>
  void wait(Table<Row>& table, std::vector<Waiting<Row>>& waiting, Row row, std::string_view bytes);
  template <class Row> void settle(Table<Row>& table, std::vector<Waiting<Row>>& waiting);
  bool join_session(KernelRow& row) const;

  State& state_;
  StateHash* hash_;
  LoadedParts parts_;
  std::uint8_t table_ = 0;
  std::vector<Waiting<SessionRow>> sessions_;
  std::vector<Waiting<RequestRow>> requests_;
  std::vector<Waiting<FolderRow>> folders_;
};

}  // namespace berth::projections
