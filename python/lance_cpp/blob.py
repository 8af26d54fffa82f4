"""Blobs: large values that are read when they are asked for."""

import io
from typing import Any

from . import _core
from ._missing import module_getattr
from .errors import InvalidError

__getattr__ = module_getattr(__name__)

# Bytes that reading one after the other fetches ahead.
DEFAULT_BLOB_BUFFER_SIZE = 512 * 1024


class _RawBlob(io.RawIOBase):
    """The bytes of a blob without a buffer."""

    def __init__(self, blob: _core.Blob):
        super().__init__()
        self._blob = blob
        self._size = blob.size()
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}
        if whence not in base:
            raise InvalidError(f"whence is {whence}; allowed: 0, 1, 2")
        position = base[whence] + offset
        if position < 0:
            raise InvalidError(f"position is {position}; allowed: 0 or more")
        self._position = position
        return position

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        length = max(0, min(len(view), self._size - self._position))
        if length == 0:
            return 0
        data = self._blob.read_at(self._position, length)
        view[: len(data)] = data
        self._position += len(data)
        return len(data)


class BlobFile(io.BufferedReader):
    """A blob as a file for reading; LanceDataset.take_blobs gives it. Not thread-safe.

    Parameters
    ----------
    inner
        The blob.
    buffer_size : int
        Bytes that reading one after the other fetches ahead; 0: none.
    """

    def __init__(self, inner: _core.Blob, buffer_size: int = DEFAULT_BLOB_BUFFER_SIZE):
        if isinstance(buffer_size, bool) or not isinstance(buffer_size, int):
            raise TypeError(f"buffer_size is a {type(buffer_size).__name__}; allowed: int")
        if buffer_size < 0:
            raise InvalidError(f"buffer_size is {buffer_size}; allowed: 0 or more")
        self.inner = inner
        # A buffer of one byte is none: longer reads go around it.
        super().__init__(_RawBlob(inner), max(buffer_size, 1))

    def size(self) -> int:
        """The size of the blob in bytes."""
        return self.inner.size()

    # The same as in io, where their parameters have no names.

    def read(self, size: int = -1) -> bytes:
        """Up to size bytes from the position on; -1: all.

        Parameters
        ----------
        size : int
            Most bytes; -1: all.
        """
        return super().read(size)

    def read1(self, size: int = -1) -> bytes:
        """Up to size bytes, from one read of the storage.

        Parameters
        ----------
        size : int
            Most bytes; -1: as many as one read gives.
        """
        return super().read1(size)

    def readinto(self, b: Any) -> int:
        """Fill a buffer. Returns the number of bytes; fewer only at the end.

        Parameters
        ----------
        b : writable buffer
            Where the bytes go.
        """
        return super().readinto(b)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position. Returns it.

        Parameters
        ----------
        offset : int
            How many bytes from there.
        whence : int
            io.SEEK_SET: the start, io.SEEK_CUR: the position, io.SEEK_END: the end.
        """
        return super().seek(offset, whence)

    def readall(self) -> bytes:
        """Everything from the position on."""
        return self.read()

    def read_range(self, offset: int, length: int) -> bytes:
        """Some bytes, wherever the position is; it stays.

        Parameters
        ----------
        offset, length : int
            Where they begin, and how many.
        """
        [data] = self.read_ranges([(offset, length)])
        return data

    def read_ranges(self, ranges: list[tuple[int, int]]) -> list[bytes]:
        """The bytes of each offset and length, in this order; the position stays.

        Parameters
        ----------
        ranges : list of (int, int)
            Offset and length of each.
        """
        if self.closed:
            raise InvalidError("the blob is closed")
        size = self.size()
        for offset, length in ranges:
            if offset < 0 or length < 0 or offset + length > size:
                raise InvalidError(f"{length} bytes from {offset}; the blob has {size}")
        return [self.inner.read_at(offset, length) for offset, length in ranges]

    def __repr__(self) -> str:
        return f"<BlobFile size={self.size()}>"
