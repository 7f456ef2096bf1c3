#include "bench/openb/trace.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

namespace berth::placement::fragmentation {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// One list: lines of fields, and the first fault.
class Table {
 public:
  Table(std::string_view file, std::string_view text, std::span<const std::string_view> header)
      : file_(file), text_(text), header_(header) {
    if (!next()) fault(0, "the file is empty");
    for (std::size_t i = 0; i < header.size() && !fault_; ++i) {
      if (i >= fields_.size() || fields_[i] != header[i])
        fault(i, "the header must say " + std::string(header[i]));
    }
  }

  // The next line that is not empty; false at the end or after a fault.
  bool next() {
    while (!fault_ && !text_.empty()) {
      const std::size_t end = text_.find('\n');
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty()) continue;
      fields_ = split(line, ',');
      if (line_ > 1 && fields_.size() < header_.size()) fault(fields_.size(), "is missing");
      return !fault_;
    }
    return false;
  }

  std::string_view text(std::size_t column) const {
    return column < fields_.size() ? fields_[column] : std::string_view();
  }

  std::int32_t number(std::size_t column, std::int32_t least, std::int32_t most) {
    const std::string_view field = text(column);
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error == std::errc() && end == field.data() + field.size() && value >= least && value <= most)
      return value;
    fault(column, "\"" + std::string(field) + "\" is not a whole number from " + std::to_string(least) +
                      " to " + std::to_string(most));
    return least;
  }

  void fault(std::size_t column, const std::string& what) {
    if (fault_) return;
    std::string name = column < header_.size() ? " (" + std::string(header_[column]) + ")" : "";
    fault_ = make_error("file-unreadable", std::string(file_) + ": line " +
                                               std::to_string(std::max<std::size_t>(line_, 1)) + ", column " +
                                               std::to_string(column + 1) + name + ": " + what);
  }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  std::string_view file_;
  std::string_view text_;
  std::span<const std::string_view> header_;
  std::vector<std::string_view> fields_;
  std::size_t line_ = 0;
  std::optional<Error> fault_;
};

constexpr std::int32_t kMostCpu = 100'000'000;
constexpr std::int32_t kMostMemory = 2'000'000'000;
constexpr std::string_view kTooManyModels = "there are more than 64 GPU models";

}  // namespace

std::uint64_t Models::bit(std::string_view name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto place = static_cast<std::size_t>(found - names_.begin());
  if (place >= kMostModels) return 0;
  if (found == names_.end()) names_.emplace_back(name);
  return std::uint64_t{1} << place;
}

Result<std::vector<Node>> read_nodes(std::string_view file, std::string_view text, Models& models) {
  static constexpr std::string_view kHeader[] = {"sn", "cpu_milli", "memory_mib", "gpu", "model"};
  Table table(file, text, kHeader);
  std::vector<Node> nodes;
  while (table.next()) {
    Node node;
    node.cpu_milli = table.number(1, 0, kMostCpu);
    node.memory_mib = table.number(2, 0, kMostMemory);
    node.gpus = table.number(3, 0, kMostGpus);
    if (node.gpus > 0) {
      if (table.text(4).empty()) table.fault(4, "a node with GPUs needs their model");
      node.model = models.bit(table.text(4));
      if (node.model == 0) table.fault(4, std::string(kTooManyModels));
      std::fill_n(node.gpu_milli.begin(), node.gpus, kWholeGpu);
    }
    nodes.push_back(node);
  }
  if (!table.fault() && nodes.empty()) table.fault(0, "there are no nodes");
  if (table.fault()) return *table.fault();
  return nodes;
}

Result<std::vector<Ask>> read_pods(std::string_view file, std::string_view text, Models& models) {
  static constexpr std::string_view kHeader[] = {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"};
  constexpr std::size_t kSpec = 5;
  Table table(file, text, kHeader);
  const bool has_spec = table.text(kSpec) == "gpu_spec";
  std::vector<Ask> pods;
  while (table.next()) {
    Ask ask;
    ask.cpu_milli = table.number(1, 0, kMostCpu);
    ask.memory_mib = table.number(2, 0, kMostMemory);
    ask.gpus = table.number(3, 0, kMostGpus);
    // Several GPUs are whole ones, and no GPU has no milli.
    const std::int32_t least = ask.gpus == 0 ? 0 : ask.gpus == 1 ? 1 : kWholeGpu;
    ask.gpu_milli = table.number(4, least, ask.gpus == 0 ? 0 : kWholeGpu);
    if (has_spec && ask.gpus > 0 && !table.text(kSpec).empty()) {
      for (const std::string_view model : split(table.text(kSpec), '|')) {
        const std::uint64_t bit = model.empty() ? 0 : models.bit(model);
        if (bit == 0)
          table.fault(kSpec, model.empty() ? "names an empty model" : std::string(kTooManyModels));
        ask.models |= bit;
      }
    }
    pods.push_back(ask);
  }
  if (!table.fault() && pods.empty()) table.fault(0, "there are no pods");
  if (table.fault()) return *table.fault();
  return pods;
}

}  // namespace berth::placement::fragmentation
