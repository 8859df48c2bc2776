// Running the program that was built, and seeing what a person would see.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace cli_testing {

struct Outcome {
  int status = -1;
  std::string output;  ///< standard output and error
};

/// The arguments are words of the shell.
inline Outcome tenure(const std::string& arguments) {
  Outcome outcome;
  FILE* pipe = popen((std::string(TENURE_BINARY) + " " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.output.append(buffer.data(), n);
  }
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

}  // namespace cli_testing
