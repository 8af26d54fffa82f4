"""What datasets share."""

from typing import Any, Optional

from . import _core
from .errors import refuse_given


class Session:
    """Memory budget, threads and caches; give one to several datasets to share them.

    Parameters
    ----------
    index_cache_size_bytes : int, optional
        Bytes of loaded indices kept; None: 512 MiB. At most half of max_memory_bytes.
    metadata_cache_size_bytes : int, optional
        Bytes of metadata of opened data files kept; None: 256 MiB. At most a quarter of
        max_memory_bytes.
    max_memory_bytes : int, optional
        Hard bound for the memory of all calls; None: half of the free memory.
    num_threads : int, optional
        Threads of one call; None: the size of Arrow's CPU pool.
    """

    def __init__(
        self,
        index_cache_size_bytes: Optional[int] = None,
        metadata_cache_size_bytes: Optional[int] = None,
        index_cache_backend: Any = None,
        metadata_cache_backend: Any = None,
        store_registry: Any = None,
        *,
        max_memory_bytes: Optional[int] = None,
        num_threads: Optional[int] = None,
    ):
        refuse_given(
            index_cache_backend=index_cache_backend,
            metadata_cache_backend=metadata_cache_backend,
            store_registry=store_registry,
        )
        self._session = _core.make_session(
            index_cache_bytes=index_cache_size_bytes,
            metadata_cache_bytes=metadata_cache_size_bytes,
            max_memory_bytes=max_memory_bytes,
            num_threads=num_threads,
        )

    @classmethod
    def _wrap(cls, session: _core.Session) -> "Session":
        wrapped = cls.__new__(cls)
        wrapped._session = session
        return wrapped

    def size_bytes(self) -> int:
        """Bytes that calls and caches hold now."""
        return self._session.memory_in_use_bytes()

    def index_cache_size_bytes(self) -> int:
        """The most bytes of loaded indices that are kept."""
        return self._session.index_cache_bytes()

    def metadata_cache_size_bytes(self) -> int:
        """The most bytes of metadata of opened data files that are kept."""
        return self._session.metadata_cache_bytes()

    def is_same_as(self, other: "Session") -> bool:
        """Whether both are the same session.

        Parameters
        ----------
        other : Session
            Another handle.
        """
        return self._session is other._session
