# Real processes on temporary directories. Each Python file is one ctest entry; `support.py` is what they share.
# Under the sanitizers only agent.cmake's stress runs: the preload library cannot be loaded into a foreign
# program without the sanitizer's runtime first.
