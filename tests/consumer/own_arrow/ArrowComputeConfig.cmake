# As ArrowConfig.cmake.
get_target_property(arrow_library Arrow::arrow_shared IMPORTED_LOCATION)
get_filename_component(folder "${arrow_library}" DIRECTORY)
file(GLOB library "${folder}/libarrow_compute.so.*")
if(NOT TARGET ArrowCompute::arrow_compute_shared)
  add_library(ArrowCompute::arrow_compute_shared SHARED IMPORTED)
  set_target_properties(
    ArrowCompute::arrow_compute_shared PROPERTIES IMPORTED_LOCATION "${library}"
                                                  INTERFACE_LINK_LIBRARIES Arrow::arrow_shared)
endif()
