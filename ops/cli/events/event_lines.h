// EventLines: the bytes of an export as they come, cut into lines of events, over breaks of the connection.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::cli {

class EventLines {
 public:
  explicit EventLines(bool csv) : csv_(csv) {}

  // The answer begins anew, behind last().
  void begin_again();
  // Gives the whole lines that came with these bytes, and the last one of the export too; the head of CSV
  // once.
  std::string take(std::string_view bytes);

  std::uint64_t count() const { return count_; }           // of events
  const std::string& last() const { return last_; }        // id of the newest; "": none
  bool ended() const { return ended_; }                    // the export is whole
  const std::string& closing() const { return closing_; }  // JSON, of the line that said so
  const std::string& error() const { return error_; }      // code of what cut it; "": nothing said so

 private:
  // A line with its end.
  void take_line(std::string_view line, std::string& out);
  void take_csv(std::string_view line, std::string& out);
  void take_json(std::string_view line, std::string& out);
  void add_event(std::string_view id, std::string_view line, std::string& out);

  const bool csv_;
  std::string rest_;         // without its end yet
  std::size_t looked_ = 0;   // bytes of it
  bool quoted_ = false;      // within a field of CSV, at `looked_`
  bool head_here_ = false;   // the head of CSV came in this answer
  bool head_given_ = false;  // in any
  std::uint64_t count_ = 0;
  std::string last_, closing_, error_;
  bool ended_ = false;
};

}  // namespace berth::cli
