# lance_add_pytest(name LABEL kind FILES test.py... [SERIAL] [ENVIRONMENT k=v...])
#
# Files of Python tests. They drive lancectl (LANCE_CLI) and compare with the reference, with the
# interpreter LANCE_TEST_PYTHON of the test run, else that of our own folder. A missing reference is
# a failure, not a skip; so is a run that finds no test.
function(lance_add_pytest name)
  cmake_parse_arguments(TEST "SERIAL" "LABEL" "FILES;ENVIRONMENT" ${ARGN})
  set(python "\${LANCE_TEST_PYTHON:-${PROJECT_SOURCE_DIR}/.venv-test/bin/python}")
  set(files "")
  foreach(file IN LISTS TEST_FILES)
    string(APPEND files " '${CMAKE_CURRENT_SOURCE_DIR}/${file}'")
  endforeach()
  if(TARGET lancectl)
    list(APPEND TEST_ENVIRONMENT "LANCE_CLI=$<TARGET_FILE:lancectl>")
  endif()
  add_test(NAME ${name}
           COMMAND sh -c "exec \"${python}\" -m pytest -q -p no:cacheprovider${files}")
  set_tests_properties(
    ${name} PROPERTIES LABELS ${TEST_LABEL} TIMEOUT 3600 RUN_SERIAL "${TEST_SERIAL}"
                       ENVIRONMENT "${TEST_ENVIRONMENT}")
endfunction()
