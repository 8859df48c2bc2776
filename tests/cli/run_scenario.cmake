# Plays one scenario and checks the exit status. Called by CTest with -DTENURE, -DSCENARIO and
# -DSTATUS; the scenario's own `expect` events are what is tested.
execute_process(COMMAND ${TENURE} run ${SCENARIO} --format jsonl
  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
if(NOT status EQUAL STATUS)
  message(FATAL_ERROR "${SCENARIO}: exit status ${status}, expected ${STATUS}\n${errors}\n${output}")
endif()
