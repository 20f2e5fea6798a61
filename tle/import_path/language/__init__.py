"""Import path of TLE's users: a re-export of `flagtree.language`."""
from flagtree.language import *  # noqa: F403
from flagtree.language import __all__ as __all__
from flagtree.language import __getattr__ as __getattr__
