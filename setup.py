"""The parts of wolfspider that are compiled, where there is a compiler; everything works without them.

WOLFSPIDER_PURE=1 leaves them out, for a wheel that any Python can install.
"""

import os
from pathlib import Path

from setuptools import Extension, setup

# -O2 takes less time to compile than -O3; sums are rounded as they stand, as numpy does it, on every processor.
FLAGS = ["-O2", "-g0", "-ffp-contract=off"] if os.name == "posix" else []
SOURCES = sorted(path.as_posix() for path in Path("src").rglob("*.pyx"))

try:
    if os.environ.get("WOLFSPIDER_PURE"):
        raise ImportError
    from Cython.Build import cythonize
except ImportError:
    extensions = []
else:
    names = {path: path.removeprefix("src/").removesuffix(".pyx").replace("/", ".") for path in SOURCES}
    parts = [Extension(names[path], [path], optional=True, extra_compile_args=FLAGS) for path in SOURCES]
    extensions = cythonize(parts, build_dir="build/cython", quiet=True)

setup(ext_modules=extensions)
