#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace tenure::cli {

bool is_terminal(int descriptor) { return isatty(descriptor) == 1; }

bool wants_colour(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  return is_terminal(descriptor) && (no_color == nullptr || *no_color == '\0');
}

int terminal_width(int descriptor) {
  constexpr int kDefault = 80;
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefault;
  return size.ws_col;
}

}  // namespace tenure::cli
