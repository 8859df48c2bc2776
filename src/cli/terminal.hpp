// What the command line knows of the terminal it writes to.
#pragma once

namespace tenure::cli {

/// Is this file descriptor a terminal?
bool is_terminal(int descriptor);
/// Should output there be coloured? A terminal, and NO_COLOR is not set (no-color.org).
bool wants_colour(int descriptor);
/// Columns of the terminal, or 80 when it is none or does not say.
int terminal_width(int descriptor);

}  // namespace tenure::cli
