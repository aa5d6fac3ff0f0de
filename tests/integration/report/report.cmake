# What test_report.py makes its pages with.
add_executable(make_report integration/report/make_report.cc)
target_link_libraries(make_report PRIVATE rocktune_options rocktune_bench_lib)
