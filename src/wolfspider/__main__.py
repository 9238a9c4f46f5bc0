"""`python -m wolfspider` is the command line."""

import sys

from wolfspider.cli import main

sys.exit(main())
