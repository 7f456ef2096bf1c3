// The folders of a person's own Python packages, made before the first program of a kernel starts: Python
// looks only at its start whether they are there, so that a notebook could not import the first package that
// it installs. Touches no heap (pid1.h); as the kernel's own user.
#pragma once

namespace berth::init {

// BASE/lib/python3.N/site-packages for each python3.N that lies in one of `places`, a list that ends with
// null. `base`: an absolute path, PYTHONUSERBASE; what of it is missing is made. What fails is left out: pip
// makes its folders itself.
void make_python_folders(const char* base, const char* const* places);

inline constexpr const char* kPythonPlaces[] = {"/usr/lib", "/usr/local/lib", "/opt/conda/lib", nullptr};

}  // namespace berth::init
