rocktune_unit_test(page_test
  SOURCES
    unit/page/page_test.cc
    unit/page/table_test.cc
  LIBRARIES rocktune_page)
