// Carries the precompiled headers that every unit test shares.
