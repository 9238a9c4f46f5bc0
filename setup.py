"""The one part of wolfspider that is compiled, where there is a compiler; everything works without it."""

from setuptools import Extension, setup

NAME = "wolfspider.web.page.plain_markup"

try:
    from Cython.Build import cythonize
except ImportError:
    extensions = []
else:
    reader = Extension(NAME, [f"src/{NAME.replace('.', '/')}.pyx"], optional=True)
    extensions = cythonize([reader], build_dir="build/cython", quiet=True)

setup(ext_modules=extensions)
