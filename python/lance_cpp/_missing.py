"""What the reference has and this version has not: asking for it says so, and what to use."""

from collections.abc import Callable
from typing import Any

from .errors import UnsupportedError, unsupported

# What to use, and the names, by where they are looked for. Tests compare it with the reference.
_DATASET = "lance_cpp.dataset"
_PLACES: dict[str, tuple[tuple[str, str], ...]] = {
    "lance_cpp": (
        ("vector search is not part of it", "vector"),
        ("full-text search is not part of it", "FtsToken query tokenize"),
        (
            "LSM tables and their memory tables are not part of it",
            "CompactedSsTable ExecutionPlan LsmPointLookupPlanner LsmScanner "
            "LsmVectorSearchPlanner ShardSnapshot ShardWriter ShardingField ShardingSpec "
            "evaluate_sharding_spec mem_wal",
        ),
        ("catalogs are not part of it; open a table by its place", "namespace LanceNamespace"),
        (
            "engines read a dataset or scanner as an Arrow stream (__arrow_c_stream__)",
            "FFILanceTableProvider",
        ),
        ("feed a model from LanceDataset.to_batches or take", "hf sampler torch"),
        (
            'blobs v2 are read, not written; a large_binary field with "lance-encoding:blob" is '
            "written",
            "Blob BlobArray BlobColumn BlobDescriptor BlobDescriptorArrayBuilder "
            "DedicatedBlobWriter PackedBlobWriter blob_array blob_field",
        ),
        ("write_dataset and the methods of LanceDataset change a table and commit", "commit"),
        ("long calls take observer=", "IndexProgress progress otel tracing"),
        (
            "scan_stats_callback of a scan counts what it reads",
            "bytes_read_counter iops_counter DataStatistics FieldStatistics",
        ),
        (
            "",
            "arrow bitmap debug io json_to_schema log pydantic sanitize_ts schema_to_json "
            "set_logger simd_info types util",
        ),
    ),
    _DATASET: (
        ("vector search is not part of it", "PySearchFilter VectorIndexReader VectorSearchQuery"),
        (
            "full-text search is not part of it",
            "DocumentGranularity FullTextQuery MinHashQuery",
        ),
        ("SQL engines read a dataset or scanner as an Arrow stream", "SqlQuery SqlQueryBuilder"),
        ("LanceDataset.scanner takes the options of a scan", "ScannerBuilder"),
        (
            "plain dicts are given: LanceDataset.versions, tags and branches list them",
            "Branch Tag VersionRef",
        ),
        (
            "write_dataset and the methods of LanceDataset change a table and commit",
            "BulkCommitResult",
        ),
        (
            "describe_indices describes the indices",
            "IndexInformation IndexSegment SupportedDistributedIndices",
        ),
        ("plain dicts are taken and given", "AlterColumn DeleteResult ExecuteResult UpdateResult"),
        (
            "scan_stats_callback of a scan counts what it reads",
            "DataStatistics DatasetStats FieldStatistics IOStats",
        ),
        (
            "",
            "BatchUDFCheckpoint Bitmap LanceSchema Version model_to_dict normalize_transform "
            "serialize_row_addrs td_to_micros",
        ),
    ),
    "lance_cpp.optimize": (),
    "lance_cpp.file": (
        ("LanceFileReader and LanceFileWriter take a path", "LanceFileSession ListResult"),
    ),
    "lance_cpp.blob": (
        (
            'blobs v2 are read, not written; a large_binary field with "lance-encoding:blob" is '
            "written",
            "Blob BlobArray BlobColumn BlobDescriptor BlobDescriptorArrayBuilder BlobType "
            "DedicatedBlobWriter PackedBlobWriter blob_array blob_field",
        ),
        ("BlobFile is a file", "BlobIterator LanceBlobFile"),
    ),
    "lance_cpp.indices": (
        ("vector search is not part of it", "IndexFileVersion IndicesBuilder IvfModel PqModel"),
        (
            "create_scalar_index builds an index as a whole",
            "IndexSegment SupportedDistributedIndices",
        ),
        ("", "builder ivf pq"),
    ),
    "lance_cpp.udf": (("", "BatchUDFCheckpoint normalize_transform"),),
    "LanceDataset": (
        (
            "vector search is not part of it",
            "centroids create_index_uncommitted get_ivf_model",
        ),
        (
            'vector search is not part of it; create_scalar_index("user_id", "BTREE") builds a '
            "btree, zonemap, bitmap or label list",
            "create_index",
        ),
        (
            "scans load what they need of an index, and the session keeps it "
            "(index_cache_size_bytes)",
            "prewarm_index",
        ),
        ("SQL engines read the dataset as an Arrow stream", "sql"),
        (
            "LSM tables and their memory tables are not part of it",
            "initialize_mem_wal mem_wal_index_details mem_wal_writer",
        ),
        ("copy writes the rows to a new table", "deep_clone"),
        (
            "write_dataset and the methods of this class change a table and commit",
            "commit_batch",
        ),
        (
            "create_scalar_index builds zonemaps, btrees, bitmaps and label lists as a whole",
            "commit_existing_index_segments merge_existing_index_segments merge_index_metadata",
        ),
        (
            "take_blobs opens blobs, blob_handling='all_binary' reads them",
            "read_blob_ranges read_blobs",
        ),
        (
            "scan_stats_callback of a scan counts what it reads",
            "io_stats_incremental io_stats_snapshot",
        ),
        ("lance_cpp.file.LanceFileWriter writes a file", "new_file_session"),
        (
            "",
            "all_files from_pydantic_model initial_storage_options latest_storage_options "
            "remap_row_addrs storage_options_accessor tracked_files",
        ),
    ),
    "LanceOperation": (
        ("copy a table by write_dataset(dataset, place)", "Clone"),
        (
            "LanceDataset.update and merge_insert change rows",
            "DataOverlay DataOverlayFile DataOverlayGroup",
        ),
    ),
    "LanceFragment": (
        ("a scan reads a fragment", "open_session"),
        ("write_fragments describes what it writes", "create_from_file"),
        ("LanceDataset.merge and merge_columns add columns", "merge"),
        ("LanceDataset.update and merge_insert change rows", "update_columns"),
        ("delete takes a filter", "delete_rows"),
        ("LanceDataset.check looks at the whole table", "validate"),
    ),
    "lance_cpp.fragment": (
        ("merge_insert and update keep the ids of rows", "RowIdSequence"),
        (
            "",
            "Bitmap BatchUDF FragmentSession FragmentWriteProgress NoopFragmentWriteProgress "
            "normalize_transform",
        ),
    ),
    "lance_cpp.schema": (("", "json_to_schema schema_to_json"),),
    "DatasetOptimizer": (),
    "Tags": (("make the tag anew", "replace_metadata"),),
    "MergeInsertBuilder": (
        (
            "execute merges and commits",
            "analyze_plan analyze_plan_batches execute_batches execute_uncommitted_batches "
            "explain_plan",
        ),
        (
            "LSM tables and their memory tables are not part of it",
            "mark_sstables_as_compacted",
        ),
        ("", "data_storage_version target_all_bases target_bases write_mode"),
    ),
}

ADVICE: dict[str, dict[str, str]] = {
    place: {name: advice for advice, names in groups for name in names.split()}
    for place, groups in _PLACES.items()
}


class MissingAttributeError(UnsupportedError, AttributeError):
    """Asked of an object: hasattr gives False."""


def module_getattr(module: str) -> Callable[[str], Any]:
    """The __getattr__ of a module.

    It raises no AttributeError for what is in the table: an import statement would put a message of
    its own in the place of ours.
    """

    def getattr_of(name: str) -> Any:
        if name in ADVICE[module]:
            raise unsupported(f"{module}.{name}", ADVICE[module][name])
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return getattr_of


def _raise_missing(place: str, name: str) -> Any:
    if name not in ADVICE[place]:
        raise AttributeError(f"{place} has no attribute {name!r}")
    known = unsupported(f"{place}.{name}", ADVICE[place][name])
    missing = MissingAttributeError(*known.args)
    missing.feature = known.feature
    raise missing


class _Gaps(type):
    """For names that are asked of the class itself, as those of static methods are."""

    _gaps: str

    def __getattr__(cls, name: str) -> Any:
        return _raise_missing(cls._gaps, name)


class KnowsItsGaps(metaclass=_Gaps):
    """A class that says what to use for what it lacks; _gaps is its key in the table."""

    _gaps: str

    def __getattr__(self, name: str) -> Any:
        return _raise_missing(self._gaps, name)
