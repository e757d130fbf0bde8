"""Whether two result files hold the same content, bit for bit."""

import filecmp
import json
from pathlib import Path
from typing import Any

from reseed.core.errors import Damaged
from reseed.core.ownership import read_twice

#: Facts of a download, and of the file that it wrote. They decide nothing.
_DOWNLOAD_FACTS = frozenset({"mtime_ns", "attempts"})
#: Metadata of a Parquet file that the versions of its writers decide.
_WRITER_METADATA = frozenset({b"pandas", b"ARROW:schema"})


def has_same_content(one: Path, other: Path) -> bool:
    """Whether two existing files with the same suffix hold the same content.

    Equal bytes are the same content. Tables are also compared by columns, rows and metadata, and
    JSON files by values, because other versions of a library may write the same content in other
    bytes. A file that cannot be read differs from every other.
    """
    if filecmp.cmp(one, other, shallow=False):
        return True
    read = {".parquet": _read_table, ".json": _read_json}.get(one.suffix)
    try:
        return read is not None and read(one) == read(other)
    except Damaged:
        return False


def _read_table(path: Path) -> tuple[dict[bytes, bytes], bytes]:
    """Metadata, and all columns as bytes: NaN equals itself."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = read_twice(path, lambda: pq.read_table(path, page_checksum_verification=True))
    table = table.combine_chunks()
    metadata = dict(table.schema.metadata or {})
    table = table.replace_schema_metadata(None)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    kept = {name: value for name, value in metadata.items() if name not in _WRITER_METADATA}
    return kept, sink.getvalue().to_pybytes()


def _read_json(path: Path) -> str:
    content = read_twice(path, lambda: json.loads(path.read_text(encoding="utf-8")))
    return json.dumps(_without_facts(content), sort_keys=True)


def _without_facts(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_facts(v) for k, v in value.items() if k not in _DOWNLOAD_FACTS}
    if isinstance(value, list):
        return [_without_facts(one) for one in value]
    return value
