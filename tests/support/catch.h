// Catch2 as Debian 12 (2.13) and Ubuntu 24.04 (3.4) package it: tests include this and use what
// both have.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>  // IWYU pragma: export
using Catch::Approx;
#else
#include <catch2/catch.hpp>  // IWYU pragma: export
#endif
