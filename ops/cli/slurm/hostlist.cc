#include "ops/cli/slurm/hostlist.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace berth::cli::slurm {
namespace {

// "a", and how wide its numbers are where they begin with a zero, else 0.
using Stem = std::pair<std::string, std::size_t>;

std::string padded(unsigned long number, std::size_t width) {
  std::string text = std::to_string(number);
  if (text.size() < width) text.insert(0, width - text.size(), '0');
  return text;
}

// "1-3,7"
std::string ranges(const std::vector<unsigned long>& numbers, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + padded(numbers[i], width);
    if (last > i) text += "-" + padded(numbers[last], width);
    i = last + 1;
  }
  return text;
}

}  // namespace

std::string hostlist(const std::vector<std::string>& names) {
  constexpr std::size_t kDigitsMax = 9;
  std::map<Stem, std::vector<unsigned long>> numbered;
  std::map<std::string, std::string> texts;  // by their first name, which orders them
  std::set<Stem> padded_stems;               // "n" and 2 of "n09": "n10" belongs to it
  const auto first_digit = [](const std::string& name) { return name.find_last_not_of("0123456789") + 1; };
  for (const auto& name : names)
    if (const std::size_t begin = first_digit(name); begin + 1 < name.size() && name[begin] == '0')
      padded_stems.insert({name.substr(0, begin), name.size() - begin});
  for (const auto& name : names) {
    const std::size_t begin = first_digit(name), digits = name.size() - begin;
    if (begin == 0 || digits == 0 || digits > kDigitsMax) {
      texts[name] = name;
      continue;
    }
    const bool is_padded = padded_stems.contains({name.substr(0, begin), digits});
    numbered[{name.substr(0, begin), is_padded ? digits : 0}].push_back(std::stoul(name.substr(begin)));
  }
  for (auto& [stem, numbers] : numbered) {
    std::ranges::sort(numbers);
    const auto [gone, end] = std::ranges::unique(numbers);
    numbers.erase(gone, end);
    const std::string text = ranges(numbers, stem.second);
    texts[stem.first + padded(numbers.front(), stem.second)] =
        stem.first + (numbers.size() == 1 ? text : "[" + text + "]");
  }
  std::string all;
  for (const auto& [first, text] : texts) all += (all.empty() ? "" : ",") + text;
  return all;
}

}  // namespace berth::cli::slurm
