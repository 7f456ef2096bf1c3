// What the settings files of pip, npm and apt say of registries. Pure: texts in, URLs out, as they stand
// there. A line that is not understood is skipped, as the tools' own later versions may have it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::agents {

using Variables = std::map<std::string, std::string, std::less<>>;

struct PipSettings {
  std::string index;                // empty: pip's own default
  std::vector<std::string> extras;  // indexes besides
  std::string cert;                 // path of a bundle of certificates
};
// A pip.conf. What it says replaces what an earlier one said.
void read_pip_conf(std::string_view text, PipSettings& settings);
// PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, PIP_CERT, which replace what files say.
void read_pip_variables(const Variables& variables, PipSettings& settings);

struct NpmSettings {
  std::string registry;             // empty: npm's own default
  std::vector<std::string> scopes;  // registries of scopes
  std::string cafile;
};
// An .npmrc. "${NAME}" is the variable's value.
void read_npmrc(std::string_view text, const Variables& variables, NpmSettings& settings);
// npm_config_registry, npm_config_cafile, in any case.
void read_npm_variables(const Variables& variables, NpmSettings& settings);

// A sources.list: "deb [options] URL suite ...".
void read_apt_list(std::string_view text, std::vector<std::string>& urls);
// A file of stanzas with "URIs:"; those that say "Enabled: no" are left out.
void read_apt_sources(std::string_view text, std::vector<std::string>& urls);

}  // namespace berth::agents
