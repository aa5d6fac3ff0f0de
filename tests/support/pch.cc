// Carries the precompiled headers that every unit test shares; run by itself it has no test.
