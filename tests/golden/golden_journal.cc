#include "tests/golden/golden_journal.h"

#include <cstdint>
#include <fstream>
#include <iterator>

#include "projections/fold/projection.h"
#include "tests/support/ids.h"

namespace berth::testing {

JournalTrust golden_trust() { return JournalSigner(test_cluster(), std::string(32, 'g')); }

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> read_golden_journal(const std::string& path) {
  const std::string bytes = read_file(path);
  std::vector<std::string> payloads;
  for (std::size_t at = 0; at + 4 <= bytes.size();) {
    std::uint32_t size = 0;
    for (std::size_t i = 0; i < 4; ++i)
      size |= std::uint32_t{static_cast<std::uint8_t>(bytes[at + i])} << (8 * i);
    at += 4;
    if (at + size > bytes.size()) return {};
    payloads.push_back(bytes.substr(at, size));
    at += size;
  }
  return payloads;
}

void write_golden_journal(const std::string& path, const std::vector<std::string>& payloads) {
  std::ofstream out(path, std::ios::binary);
  for (const auto& payload : payloads) {
    for (int i = 0; i < 4; ++i) out.put(static_cast<char>(payload.size() >> (8 * i)));
    out << payload;
  }
}

std::string describe_fold(const std::vector<std::string>& payloads) {
  using projections::Projection;
  Projection projection(test_cluster(), Projection::Tracking::kRows, golden_trust());
  for (const auto& payload : payloads) projection.apply(projection.chain().next(), payload);
  const auto& counters = projection.counters();
  const auto& state = projection.state();
  std::string text = "records " + std::to_string(payloads.size()) + "\napplied " +
                     std::to_string(counters.applied) + "\nevents " + std::to_string(counters.events) +
                     "\nvoid " + std::to_string(counters.voided) + "\nforbidden " +
                     std::to_string(counters.forbidden) + "\n";
  projections::State::each_table(state, [&](const auto& table) {
    using Row = std::remove_cvref_t<decltype(*table.find({}))>;
    if (table.size() == 0) return;  // a table that comes later leaves old results as they are
    text += "table " + std::to_string(Row::kTable) + " rows " + std::to_string(table.size()) + "\n";
  });
  text += "rolling " + to_hex(as_view(projection.chain().rolling())) + "\n";
  text += "state " + to_hex(as_view(projection.state_hash())) + "\n";
  return text;
}

}  // namespace berth::testing
