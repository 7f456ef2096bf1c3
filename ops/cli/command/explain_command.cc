// berth explain WORD: what an error code, a reason, an end or a state means, and what to do.
#include <algorithm>

#include "events/base/codes/code_table.h"
#include "ops/cli/app.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

json::array all_codes() {
  json::array out;
  for (const CodeRow& row : code_table())
    out.push_back(json::object{{"code", row.word}, {"meaning", row.meaning}, {"what_to_do", row.advice}});
  return out;
}

// As the table has it: states and ends are shown as OUT_OF_MEMORY, too.
std::string plain_word(std::string word) {
  for (char& c : word) c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return word;
}

Outcome<int> explain(Shell& shell, const std::string& asked) {
  const std::string code = plain_word(asked);
  Listing listing;
  listing.columns = {column("CODE", "code"), column("MEANING", "meaning"),
                     column("WHAT TO DO", "what_to_do")};
  listing.name_path = "code";
  const json::array codes = all_codes();
  if (code.empty()) {
    shell.out() << print_list(codes, listing, shell.style());
    return kOk;
  }
  std::vector<std::string> names;
  for (const auto& one : codes) {
    names.push_back(text_at(one, "code"));
    if (names.back() != code) continue;
    if (shell.style().format == Format::kTable)
      shell.out() << text_at(one, "meaning") << ".\n" << text_at(one, "what_to_do") << ".\n";
    else
      shell.out() << print_one(one, listing, shell.style());
    return kOk;
  }
  const std::string near = closest(code, names);
  return Failure{kNotFound,
                 "unknown-code",
                 "Berth has no word or code '" + printable(asked.substr(0, 40)) + "'",
                 near.empty() ? "berth explain lists them all" : "did you mean " + near + "?",
                 {}};
}

}  // namespace

void add_explain_command(Registry& registry) {
  auto code = std::make_shared<std::string>();
  auto* app =
      registry.verb(nullptr, "explain", "What an error code, a reason or a state means, and what to do");
  app->add_option("WORD", *code, "As Berth shows it, like lease-over or OUT_OF_MEMORY (default: all)");
  registry.on(app, "  berth explain log-truncated\n  berth explain lease-over\n  berth explain -o json",
              [code](Shell& shell) { return explain(shell, *code); });
}

}  // namespace berth::cli
