"""While a notebook runs, it is the module it writes: `%load_ext tinytorch.notebook`, `%module layers`."""

from IPython.core.error import UsageError

from tinytorch._faces import modules, stand_for


def load_ipython_extension(shell):
    """Add `%module` to the shell."""

    def module(line):
        """Let this notebook stand for a module of the course: `%module layers`."""
        slug = line.strip()
        if slug not in modules():
            raise UsageError(f"%module {slug}: there is {', '.join(modules())}")
        stand_for(slug, shell.user_module)

    shell.register_magic_function(module)
