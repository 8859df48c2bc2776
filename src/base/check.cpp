#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace tenure {

void check_failed(std::string_view expression, std::string_view file, int line,
                  std::string_view text) noexcept {
  std::fprintf(stderr, "tenure: CHECK failed: %.*s at %.*s:%d%s%.*s\n",
               static_cast<int>(expression.size()), expression.data(),
               static_cast<int>(file.size()), file.data(), line, text.empty() ? "" : ": ",
               static_cast<int>(text.size()), text.data());
  std::abort();
}

}  // namespace tenure
