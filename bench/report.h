// What every benchmark prints last: one JSON object, the same shape for all.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::bench {

struct Report {
  std::string bench;
  std::vector<std::pair<std::string, std::string>> options;  // values as JSON
  std::vector<std::pair<std::string, std::string>> figures;  // values as JSON
  std::string ceiling_what;                                  // empty: none
  double ceiling_per_s = 0;
  std::optional<double> ratio;  // figure / ceiling in the same run
};

std::string json(double value);
std::string json(const std::string& text);

// One line, with the machine and the commit.
std::string to_json(const Report& report);

}  // namespace berth::bench
