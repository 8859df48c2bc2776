// Google Benchmark's main, which also fails when a result was wrong.
#include "verify.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return tenure::bench::all_verified() ? 0 : 1;
}
