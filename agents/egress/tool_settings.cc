#include "agents/egress/tool_settings.h"

#include <algorithm>

namespace berth::agents {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f\n";

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string in_lower(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

// Calls `take(line)` for each, without its end.
template <class Take> void each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

bool is_comment(std::string_view line) { return line.starts_with('#') || line.starts_with(';'); }

void set_pip(const std::string& key, const std::string& value, PipSettings& settings) {
  if (key == "index-url" && !words_of(value).empty()) settings.index = words_of(value).front();
  if (key == "extra-index-url") settings.extras = words_of(value);
  if (key == "cert") settings.cert = value;
}

std::string expanded(std::string_view text, const Variables& variables) {
  std::string out;
  for (;;) {
    const std::size_t begin = text.find("${"), end = text.find('}', begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) return out + std::string(text);
    out += text.substr(0, begin);
    const auto found = variables.find(text.substr(begin + 2, end - begin - 2));
    if (found != variables.end()) out += found->second;
    text.remove_prefix(end + 1);
  }
}

std::string_view unquoted(std::string_view text) {
  const bool quoted =
      text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

void read_pip_conf(std::string_view text, PipSettings& settings) {
  std::string section, key, value;
  const auto put = [&] {
    // Of pip's commands those that fetch packages.
    const bool counts =
        section == "global" || section == "install" || section == "download" || section == "wheel";
    if (counts && !key.empty()) set_pip(key, value, settings);
    key.clear();
  };
  each_line(text, [&](std::string_view line) {
    const std::string_view content = without_blanks(line);
    if (content.empty() || is_comment(content)) return;
    if (!key.empty() && (line.front() == ' ' || line.front() == '\t')) {
      value += " " + std::string(content);
      return;
    }
    put();
    if (content.front() == '[') {
      section = in_lower(content.substr(1, content.find(']') - 1));
      return;
    }
    const std::size_t mark = content.find_first_of("=:");
    if (mark == std::string_view::npos) return;
    key = in_lower(without_blanks(content.substr(0, mark)));
    std::replace(key.begin(), key.end(), '_', '-');
    value = without_blanks(content.substr(mark + 1));
  });
  put();
}

void read_pip_variables(const Variables& variables, PipSettings& settings) {
  for (const auto& [name, key] :
       {std::pair("PIP_INDEX_URL", "index-url"), std::pair("PIP_EXTRA_INDEX_URL", "extra-index-url"),
        std::pair("PIP_CERT", "cert")})
    if (const auto found = variables.find(name); found != variables.end() && !found->second.empty())
      set_pip(key, found->second, settings);
}

void read_npmrc(std::string_view text, const Variables& variables, NpmSettings& settings) {
  each_line(text, [&](std::string_view line) {
    const std::string_view content = without_blanks(line);
    const std::size_t mark = content.find('=');
    if (is_comment(content) || mark == std::string_view::npos) return;
    const std::string_view key = without_blanks(content.substr(0, mark));
    const std::string value = expanded(unquoted(without_blanks(content.substr(mark + 1))), variables);
    if (key == "registry") settings.registry = value;
    if (key == "cafile") settings.cafile = value;
    if (key.starts_with('@') && key.ends_with(":registry")) settings.scopes.push_back(value);
  });
}

void read_npm_variables(const Variables& variables, NpmSettings& settings) {
  for (const auto& [name, value] : variables) {
    if (value.empty()) continue;
    if (in_lower(name) == "npm_config_registry") settings.registry = value;
    if (in_lower(name) == "npm_config_cafile") settings.cafile = value;
  }
}

void read_apt_list(std::string_view text, std::vector<std::string>& urls) {
  each_line(text, [&](std::string_view line) {
    std::string_view content = without_blanks(line.substr(0, line.find('#')));
    if (!content.starts_with("deb ") && !content.starts_with("deb\t")) return;
    content = without_blanks(content.substr(4));
    if (content.starts_with('[')) {
      const std::size_t end = content.find(']');
      content = end == std::string_view::npos ? std::string_view() : content.substr(end + 1);
    }
    const std::vector<std::string> words = words_of(content);
    if (!words.empty()) urls.push_back(words.front());
  });
}

void read_apt_sources(std::string_view text, std::vector<std::string>& urls) {
  std::vector<std::string> found;
  bool enabled = true, in_urls = false;
  const auto put = [&] {
    if (enabled) urls.insert(urls.end(), found.begin(), found.end());
    found.clear();
    enabled = true;
    in_urls = false;
  };
  each_line(text, [&](std::string_view line) {
    const std::string_view content = without_blanks(line);
    if (content.empty()) return put();
    if (content.front() == '#') return;
    std::string_view value = content;
    if (line.front() != ' ' && line.front() != '\t') {
      const std::size_t mark = content.find(':');
      if (mark == std::string_view::npos) return;
      const std::string key = in_lower(content.substr(0, mark));
      value = without_blanks(content.substr(mark + 1));
      in_urls = key == "uris";
      if (key == "enabled") enabled = in_lower(value) != "no" && in_lower(value) != "false";
    }
    if (!in_urls) return;
    for (std::string& word : words_of(value)) found.push_back(std::move(word));
  });
  put();
}

}  // namespace berth::agents
