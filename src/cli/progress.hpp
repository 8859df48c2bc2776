// Progress: a bar on the terminal for work that takes long.
//
//   replay  [##########--------------------]  34 %  14884/43778 jobs  2210/s  ETA 13 s
//
// Drawn on stderr, at most ten times a second, and only when asked to; the line is wiped at
// the end, so that it leaves no trace in what follows.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace tenure::cli {

enum class Drawing { off, on };

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
