"""Where compiled code is kept between processes.

Numba's disk cache does not notice a change in an njit function of another file, so the folder's name
carries a hash of everything that is compiled into a kernel: our sources, Numba, Python and the CPU.
"""

import functools
import hashlib
import os
import platform
import sys
import tempfile
import warnings
from pathlib import Path

import llvmlite.binding
import numba
from numba.core.errors import NumbaExperimentalFeatureWarning

_PACKAGE = Path(__file__).resolve().parent.parent
_COMPILED_FOLDERS = ("engine", "strategy")


def user_cache() -> Path:
    """The user's cache folder for razzsim: $RAZZSIM_CACHE, else $XDG_CACHE_HOME/razzsim, else ~/.cache/razzsim."""
    if own := os.environ.get("RAZZSIM_CACHE"):
        return Path(own).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "razzsim"
    except RuntimeError:  # no home folder for this user
        return _temporary_cache()


def _temporary_cache() -> Path:
    """A folder of this user's in a place of everybody's: only one that nobody else can have filled will do."""
    folder = Path(tempfile.gettempdir()) / f"razzsim-cache-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077:
        raise OSError(f"{folder} is not this user's alone; set RAZZSIM_CACHE to a folder that is")
    return folder


@functools.cache
def sources_hash() -> str:
    """Hash of all that decides the machine code: sources of the compiled packages, Numba, Python, CPU."""
    digest = hashlib.sha256()
    for folder in _COMPILED_FOLDERS:
        for path in sorted((_PACKAGE / folder).glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    cpu = llvmlite.binding.get_host_cpu_name()
    debug = f"{numba.config.BOUNDSCHECK}"  # NUMBA_BOUNDSCHECK=1 makes other code from the same sources
    facts = (numba.__version__, sys.version, cpu, platform.machine(), debug)
    digest.update("\0".join(facts).encode())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path:
    """A writable folder for this engine's compiled code and loaded strategies; created on first use."""
    for place in (user_cache, _temporary_cache):
        folder = place() / "compiled" / sources_hash()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError as error:
            warnings.warn(f"{folder} cannot be written ({error.strerror}); trying another cache folder", stacklevel=2)
    raise OSError("no writable cache folder; set RAZZSIM_CACHE to one")


def use_own_cache_folder() -> None:
    """Point Numba's disk cache at `cache_folder`; must run before the first njit function is made."""
    numba.config.CACHE_DIR = str(cache_folder() / "numba")
    # Functions as arguments are what keeps the kernel's cache valid for new strategies; we test that they work.
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)


def write_once(path: Path, text: str) -> None:
    """Have `text` in a file of the cache; several processes may do so at once, none reads half of it."""
    encoded = text.encode("utf-8")
    if path.exists() and path.read_bytes() == encoded:
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(encoded)
    os.replace(temporary, path)
