// berth man --to DIR: the man pages, of the same definitions as --help. Hidden: ops/install calls it.
#include <cctype>

#include "events/base/version.h"
#include "ops/cli/command/registry.h"

namespace berth::cli {
namespace {

// Text of a page: a dot or quote at the beginning of a line, and backslashes, would be groff's.
std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string option_text(const CLI::Option& option) {
  std::string names = option.get_name(false, true);
  if (option.get_positional()) names = option.get_name(true, false);
  for (std::size_t at = 0; (at = names.find(',', at)) != std::string::npos; at += 2)
    names.replace(at, 1, ", ");
  std::string out = ".TP\n.B " + roff(names);
  if (option.get_type_size() != 0 && !option.get_type_name().empty() && !option.get_positional())
    out += "\\fR \\fI" + roff(option.get_type_name()) + "\\fR";
  return out + "\n" + roff(option.get_description()) + "\n";
}

std::string options_text(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) out += option_text(*option);
  return out;
}

// The examples of a command's footer.
std::string examples_text(const CLI::App& app) {
  const std::string footer = app.get_footer();
  const auto from = footer.find("Examples:\n");
  if (from == std::string::npos) return {};
  const auto begin = from + 10, end = footer.find("\n\n", begin);
  return ".PP\n.nf\n" + roff(footer.substr(begin, end == std::string::npos ? end : end - begin)) + "\n.fi\n";
}

void add_section(const CLI::App& app, const std::string& words, std::string& out) {
  out += ".SS \"" + roff(words) + "\"\n" + roff(app.get_description()) + "\n" + options_text(app);
  if (app.get_subcommands(nullptr).empty()) out += examples_text(app);
  for (const CLI::App* below : app.get_subcommands(nullptr))
    if (!below->get_group().empty()) add_section(*below, words + " " + below->get_name(), out);
}

std::string page(const std::string& name, const std::string& about, const std::string& body) {
  return ".TH " + upper(roff(name)) + " 1 \"\" \"Berth " + roff(kVersion) + "\" \"Berth\"\n.SH NAME\n" +
         roff(name) + " \\- " + roff(about) + "\n" + body;
}

std::string see_also(const std::string& what) { return ".SH SEE ALSO\n" + what + "\n"; }

std::string main_page(const CLI::App& root) {
  std::string body = ".SH SYNOPSIS\n.B berth\n\\fINOUN VERB\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n" +
                     roff(root.get_description()) + "\n.SH OPTIONS\nEvery command takes them.\n" +
                     options_text(root) + ".SH COMMANDS\n";
  for (const CLI::App* below : root.get_subcommands(nullptr))
    if (!below->get_group().empty())
      body +=
          ".TP\n.BR berth\\-" + roff(below->get_name()) + " (1)\n" + roff(below->get_description()) + "\n";
  body += ".SH EXIT STATUS\n.nf\n" + roff(kExitCodeHelp) + "\n.fi\n";
  return page(
      "berth", "compute sessions on a cluster",
      body + see_also("\\fBberth explain\\fR \\fICODE\\fR tells what an error means and what to do."));
}

std::string command_page(const CLI::App& command) {
  const std::string words = "berth " + command.get_name();
  std::string body = ".SH SYNOPSIS\n.B " + roff(words) + "\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n" +
                     roff(command.get_description()) + "\n";
  if (command.get_subcommands(nullptr).empty()) {
    body += ".SH OPTIONS\n" + options_text(command) + ".SH EXAMPLES\n" + examples_text(command);
  } else {
    body += ".SH COMMANDS\n";
    for (const CLI::App* below : command.get_subcommands(nullptr))
      if (!below->get_group().empty()) add_section(*below, words + " " + below->get_name(), body);
  }
  return page("berth-" + command.get_name(), command.get_description(), body + see_also(".BR berth (1)"));
}

Outcome<bool> write_page(Shell& shell, const std::string& folder, const std::string& name,
                         const std::string& text) {
  const std::string path = folder + "/" + name + ".1";
  if (!shell.world().write_file(path, text))
    return Failure{kFailed, "write-failed", "cannot write " + path, "is there such a folder?", {}};
  return true;
}

}  // namespace

void add_man_command(Registry& registry) {
  auto folder = std::make_shared<std::string>();
  auto* app = registry.verb(nullptr, "man", "Write the man pages");
  app->add_option("--to", *folder, "A folder")->type_name("DIR")->required();
  app->group("");
  registry.on(
      app, "  berth man --to /usr/share/man/man1",
      [folder, &root = registry.root](Shell& shell) -> Outcome<int> {
        if (auto done = write_page(shell, *folder, "berth", main_page(root)); !done) return done.failure();
        for (const CLI::App* command : root.get_subcommands(nullptr)) {
          if (command->get_group().empty()) continue;
          if (auto done = write_page(shell, *folder, "berth-" + command->get_name(), command_page(*command));
              !done)
            return done.failure();
        }
        return kOk;
      });
}

}  // namespace berth::cli
