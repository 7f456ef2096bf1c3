#include "bench/console.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

namespace berth::bench {

int run_console(const std::vector<std::string>& args) {
  std::string script = "ops/console/measure";
  std::vector<std::string> words = args;
  std::vector<char*> argv = {script.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(script.c_str(), argv.data());
  std::cerr << script << ": " << std::strerror(errno) << "; run berth-bench console in the source tree\n";
  return 1;
}

}  // namespace berth::bench
