// Progress: a bar on the terminal for work that takes long.
//
//   replay  [##########--------------------]  34 %   14 884/43 778 jobs   2 210/s   ETA 13 s
//
// Drawn on stderr, at most ten times a second, and only when asked to; the line is wiped at
// the end, so that it leaves no trace in what follows.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace tenure::cli {

enum class Drawing { off, on };

/// Whether stderr is a terminal that can redraw a line.
bool is_stderr_terminal();

/// The bar as text; `elapsed` decides rate and ETA. Pure, for tests.
std::string progress_line(const std::string& label, std::size_t done, std::size_t all,
                          std::chrono::duration<double> elapsed);

class ProgressBar {
 public:
  ProgressBar(std::string label, Drawing drawing);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();  ///< wipes the line

  void show(std::size_t done, std::size_t all);

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  Drawing drawing_;
  Clock::time_point began_;
  Clock::time_point drawn_;
  bool is_visible_ = false;
};

}  // namespace tenure::cli
