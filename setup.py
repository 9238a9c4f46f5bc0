"""The parts of wolfspider that are compiled, where there is a compiler; everything works without them."""

from setuptools import Extension, setup

NAMES = ("wolfspider.core.signature", "wolfspider.web.page.plain_markup")

try:
    from Cython.Build import cythonize
except ImportError:
    extensions = []
else:
    parts = [Extension(name, [f"src/{name.replace('.', '/')}.pyx"], optional=True) for name in NAMES]
    extensions = cythonize(parts, build_dir="build/cython", quiet=True)

setup(ext_modules=extensions)
