#!/bin/sh
# Gradescope runs this as root, once, when it builds the container's image.
set -e
cd "${AUTOGRADER:-/autograder}/source"
apt-get update
apt-get install -y --no-install-recommends bubblewrap ca-certificates python3 python3-pip
export UV_PYTHON_INSTALL_DIR=/opt/python UV_NO_CACHE=1 # where every user can read it
python3 -m pip install --quiet --target /opt/uv "$(grep -o '^uv==[^ ]*' requirements.lock)"
system=$(/usr/bin/python3 -c 'import sys; print("/usr/bin/python3" if sys.version_info >= (3, 11) else "3.12")')
/opt/uv/bin/uv venv --quiet --python "$system" /opt/tinytorch
/opt/uv/bin/uv pip install --quiet --python /opt/tinytorch/bin/python --compile-bytecode \
  --constraint requirements.lock --requirement requirements.txt
chmod -R go+rX /opt
PYTHONPATH=. /opt/tinytorch/bin/python -P -m autograder.grading.container prepare .
