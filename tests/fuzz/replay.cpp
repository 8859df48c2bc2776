// An ordinary main() for a fuzz target: tries each file of the folders that it is given.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/target.hpp"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::size_t tried = 0;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') continue;  // options are libFuzzer's
    std::vector<fs::path> files;
    if (fs::is_directory(argv[i])) {
      for (const auto& entry : fs::directory_iterator(argv[i])) files.push_back(entry.path());
    } else {
      files.emplace_back(argv[i]);
    }
    for (const fs::path& file : files) {
      std::ifstream stream(file, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(stream), {}};
      std::fprintf(stderr, "%s\n", file.filename().c_str());
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      ++tried;
    }
  }
  std::printf("%zu inputs tried\n", tried);
  return tried > 0 ? 0 : 1;
}
