# What gets installed, and where: `cmake --install build/release [--prefix DIR]`.

install(TARGETS rocktuned rocktune_cli rocktune-bench rocktune_agent rocktune_preload
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY agent/include/rocktune DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES etc/rocktuned.yaml DESTINATION "${CMAKE_INSTALL_DATADIR}/rocktune")
install(FILES etc/prometheus/rocktune.rules.yml DESTINATION "${CMAKE_INSTALL_DATADIR}/rocktune/prometheus")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")

# The unit names the programs where they are installed.
file(READ etc/systemd/rocktuned.service unit)
string(REPLACE "/usr/bin/" "${CMAKE_INSTALL_FULL_BINDIR}/" unit "${unit}")
file(CONFIGURE OUTPUT rocktuned.service CONTENT "${unit}" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/rocktuned.service" DESTINATION lib/systemd/system)
