# Written by `make types`, from course.yaml and the reference.
from tinytorch.nn.utils import *
