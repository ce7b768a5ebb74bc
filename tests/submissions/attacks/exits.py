# Ends the process while it is imported.
# scale: failing
import os

os._exit(0)
