# Arrow::arrow_shared, ArrowCompute::arrow_compute_shared, Parquet::parquet_shared: from Arrow's
# own packages when the user has them, else from the pyarrow wheel of Python3_EXECUTABLE. Also used
# by the installed package, so that a consumer finds the same Arrow.
set(LANCE_ARROW_VERSION 26.0)  # the least that works; the wheel must be exactly this

find_package(Arrow ${LANCE_ARROW_VERSION} CONFIG QUIET)
if(Arrow_FOUND)
  find_package(ArrowCompute CONFIG REQUIRED)
  find_package(Parquet CONFIG QUIET)  # lancectl reads Parquet files
  set(LANCE_ARROW_SOURCE "package ${Arrow_DIR}")
else()
  find_package(PyArrow ${LANCE_ARROW_VERSION}...<26.1 REQUIRED)
  foreach(pair "Arrow::arrow_shared=arrow" "ArrowCompute::arrow_compute_shared=compute"
               "Parquet::parquet_shared=parquet")
    string(REPLACE "=" ";" pair "${pair}")
    list(GET pair 0 _lance_target)
    list(GET pair 1 _lance_library)
    if(NOT TARGET ${_lance_target})
      add_library(${_lance_target} INTERFACE IMPORTED GLOBAL)
      target_link_libraries(${_lance_target} INTERFACE PyArrow::${_lance_library})
    endif()
  endforeach()
  set(LANCE_ARROW_SOURCE "wheel ${PyArrow_FOLDER}")
endif()
message(STATUS "Arrow: ${LANCE_ARROW_SOURCE}")
