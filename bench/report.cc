#include "bench/report.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace berth::bench {
namespace {

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (const auto at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
  return "unknown";
}

// Of the working tree that the program is run in.
std::string commit() {
  std::string text;
  if (FILE* pipe = ::popen("git rev-parse --short HEAD 2>/dev/null", "r")) {
    char line[64];
    if (std::fgets(line, sizeof line, pipe) != nullptr) text = line;
    ::pclose(pipe);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string object(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string out = "{";
  for (const auto& [name, value] : members) out += (out.size() > 1 ? "," : "") + json(name) + ":" + value;
  return out + "}";
}

}  // namespace

std::string json(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  if (value >= 1000 || value <= -1000) std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

std::string json(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

std::string to_json(const Report& r) {
  std::string ceiling = "null";
  if (!r.ceiling_what.empty())
    ceiling = "{\"what\":" + json(r.ceiling_what) + ",\"per_s\":" + json(r.ceiling_per_s) + "}";
  return "{\"bench\":" + json(r.bench) + ",\"options\":" + object(r.options) +
         ",\"figures\":" + object(r.figures) + ",\"ceiling\":" + ceiling +
         ",\"ratio\":" + (r.ratio ? json(*r.ratio) : "null") + ",\"machine\":{\"cpu\":" + json(cpu_name()) +
         ",\"cores\":" + std::to_string(std::thread::hardware_concurrency()) +
         "},\"commit\":" + json(commit()) + "}";
}

}  // namespace berth::bench
