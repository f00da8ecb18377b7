"""Where compiled code is kept between processes.

Numba's disk cache does not notice a change in an njit function of another file, so the folder's name
carries a hash of everything that is compiled into a kernel: our sources, Numba, Python and the CPU.
Numba itself is not imported for this (0.4 s): what is in the folder may be all that a command needs.
"""

import functools
import hashlib
import logging
import os
import platform
import sys
import tempfile
import warnings
from importlib import metadata
from pathlib import Path

_log = logging.getLogger(__name__)
_PACKAGE = Path(__file__).resolve().parent.parent
_COMPILED_FOLDERS = ("engine", "strategy")
_COMPILERS = ("numba", "llvmlite", "numpy")
_CPU_FACTS = {"vendor_id", "cpu family", "model", "model name", "flags", "CPU implementer", "CPU part", "Features"}


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
    """Hash of all that decides what compiles, and to what: sources of the compiled packages, Numba, Python, CPU."""
    digest = hashlib.sha256()
    for folder in _COMPILED_FOLDERS:
        for path in sorted((_PACKAGE / folder).glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    compilers = [metadata.version(name) for name in _COMPILERS]
    # NUMBA_BOUNDSCHECK=1 makes other code from the same sources, python -O drops their assertions.
    debug = [os.environ.get("NUMBA_BOUNDSCHECK", ""), str(sys.flags.optimize)]
    facts = (*compilers, sys.version, _cpu(), platform.machine(), *debug)
    digest.update("\0".join(facts).encode())
    return digest.hexdigest()[:16]


def _cpu() -> str:
    """The processor as Linux describes its first core; LLVM knows a name for it, but takes 80 ms to be asked."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            first = file.read(1 << 14).partition("\n\n")[0]
    except OSError:
        return platform.processor()
    return "\n".join(line for line in first.splitlines() if line.partition(":")[0].strip() in _CPU_FACTS)


@functools.cache
def cache_folder() -> Path:
    """A writable folder for this engine's compiled code and loaded strategies; created on first use."""
    refused = ""
    for place in (user_cache, _temporary_cache):
        folder = place() / "compiled" / sources_hash()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                if refused:
                    _log.warning(
                        "%s; compiled code is kept in %s (RAZZSIM_CACHE names a better place)", refused, folder
                    )
                return folder
        except OSError as error:
            refused = f"{folder}: cannot be written ({(error.strerror or str(error)).lower()})"
    raise OSError("no writable cache folder; set RAZZSIM_CACHE to one")


def use_own_cache_folder() -> None:
    """Point Numba's disk cache at `cache_folder`; must run before the first njit function is made."""
    import numba
    from numba.core.errors import NumbaExperimentalFeatureWarning

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
