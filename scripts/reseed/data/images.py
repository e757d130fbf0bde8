"""Readers of images: CIFAR-10's batches, MNIST, folders by class, arrays, scikit-learn's digits.

A reader returns uint8 images of one size, (n, height, width, channels), and their classes. The
column of the classes has the name of the entry's `target`.
"""

import gzip
import io
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from reseed.config.datasets import Dataset
from reseed.core.errors import ReseedError
from reseed.data import archives, pickles
from reseed.data.raw import Raw
from reseed.data.registry import FolderOptions, read_reader_options
from reseed.data.sources import Fetched

_SUFFIXES = (".png", ".jpg", ".jpeg")
#: Official part by the name of a folder or the suffix of an array.
_PART_OF = {
    **{"train": "train", "training": "train", "test": "test", "testing": "test"},
    **dict.fromkeys(("val", "valid", "validation", "dev"), "validation"),
}


def cifar10(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read CIFAR-10, python version: training batches 1 to 5 in order, then the test batch."""
    names = _unpickle(fetched, "batches.meta")["label_names"]
    images, labels, parts = [], [], []
    for batch in (*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"):
        content = _unpickle(fetched, batch)
        images.append(np.asarray(content["data"], dtype=np.uint8))
        labels += content["labels"]
        parts += ["test" if batch == "test_batch" else "train"] * len(images[-1])
    # A row holds 3,072 bytes: a red, a green and a blue plane of 32 × 32.
    planes = np.concatenate(images).reshape(-1, 3, 32, 32)
    frame = pd.DataFrame({dataset.target: [names[label] for label in labels]})
    return Raw(frame, images=planes.transpose(0, 2, 3, 1), parts=np.array(parts))


def _unpickle(fetched: Fetched, name: str) -> dict[str, Any]:
    path = fetched.named(name)
    if path is None:
        raise ReseedError(f"{name} is missing among {', '.join(fetched.paths)}")
    with open(path, "rb") as stream:
        content: Any = pickles.load(stream, name)
    return content


def mnist(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read MNIST from its four IDX files, or from one pickle of three (images, labels) pairs.

    The pickle holds multiples of 1/256. Both give the same 70,000 images in LeCun's order.
    """
    pickled = [path for path in fetched.paths.values() if ".pkl" in path.name]
    if pickled:
        with gzip.open(pickled[0]) as stream:
            data = stream.read(archives.MAX_EXPANDED_BYTES)
        pairs: Any = pickles.load(io.BytesIO(data), pickled[0].name)
        images = np.concatenate([np.rint(x * 256).astype(np.uint8) for x, _ in pairs])
        labels = np.concatenate([y for _, y in pairs])
        test_rows = len(pairs[-1][1])
    else:
        kinds = ("images-idx3", "labels-idx1")
        files = [
            _read_idx(fetched, f"{part}-{kind}") for kind in kinds for part in ("train", "t10k")
        ]
        images, labels = np.concatenate(files[:2]), np.concatenate(files[2:])
        test_rows = len(files[3])
    parts = np.repeat(["train", "test"], [len(labels) - test_rows, test_rows])
    frame = pd.DataFrame({dataset.target: labels.astype(int)})
    return Raw(frame, images=images.reshape(-1, 28, 28, 1), parts=parts)


def _read_idx(fetched: Fetched, name: str) -> np.ndarray:
    """Read an IDX file: two zeros, type 8, number of axes, their lengths (big-endian), bytes."""
    path = fetched.named(f"{name}-ubyte.gz") or fetched.named(f"{name}-ubyte")
    if path is None:
        raise ReseedError(f"{name}-ubyte(.gz) is missing among {', '.join(fetched.paths)}")
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as stream:
            data = stream.read(archives.MAX_EXPANDED_BYTES)
    except (OSError, EOFError) as error:
        raise ReseedError(f"{path}: cannot be decompressed: {error}") from None
    axes = data[3] if data[:3] == b"\0\0\x08" else 0
    shape = np.frombuffer(data, dtype=">i4", count=axes, offset=4) if axes else np.empty(0)
    if not axes or len(data) != 4 + 4 * axes + np.prod(shape):
        raise ReseedError(f"{path}: is not a complete IDX file of bytes")
    return np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * axes).reshape(shape)


def digits(dataset: Dataset, fetched: Fetched | None) -> Raw:
    """Read scikit-learn's digits: 1,797 grey images of 8 × 8, their 17 levels as 0 … 255."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    images = np.rint(bunch.images * (255 / 16)).astype(np.uint8)[..., None]
    frame = pd.DataFrame({dataset.target: bunch.target})
    return Raw(frame, ["grey levels 0 … 16 of the source are 0 … 255 here"], images=images)


def arrays(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read arrays of examples and their targets from one `.npz` file or from `.npy` files.

    `options.x` and `options.y` are their keys or file names ("x", "y"). x_train, y_train, x_test …
    are the official parts. x: images (n, height, width[, channels]) of integers 0 … 255, or
    (n, features) for kind table.
    """
    options = read_reader_options(dataset)
    by_name = _read_arrays(fetched)
    xs, ys, parts = [], [], []
    for suffix, part in [("", None), *((f"_{name}", part) for name, part in _PART_OF.items())]:
        if options.x + suffix in by_name:
            if options.y + suffix not in by_name:
                raise ReseedError(f"there is {options.x + suffix}, but no {options.y + suffix}")
            xs.append(by_name[options.x + suffix])
            ys.append(by_name[options.y + suffix].ravel())
            parts += [part] * len(ys[-1])
            if len(xs[-1]) != len(ys[-1]):
                raise ReseedError(
                    f"{options.x + suffix} has {len(xs[-1])} rows, its targets {len(ys[-1])}"
                )
    if not xs or (None in parts and len(xs) > 1):
        raise ReseedError(
            f"no array {options.x!r} (or {options.x}_train, {options.x}_test) to read; there are "
            f"{', '.join(sorted(by_name))}: name them under options.x and options.y"
        )
    x, official = np.concatenate(xs), None if None in parts else np.array(parts)
    frame = pd.DataFrame({dataset.target: np.concatenate(ys)})
    if dataset.kind == "images":
        return Raw(frame, images=_to_bytes(x), parts=official)
    if x.ndim != 2:
        raise ReseedError(f"x has shape {x.shape}: a table needs (n, features)")
    features = pd.DataFrame(x, columns=[f"x{i}" for i in range(x.shape[1])])
    return Raw(pd.concat([features, frame], axis=1), parts=official)


def _read_arrays(fetched: Fetched) -> dict[str, np.ndarray]:
    by_name = {}
    for name, path in fetched.paths.items():
        try:
            loaded = np.load(path, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                by_name[PurePosixPath(name).stem] = loaded
            else:
                by_name |= {key: loaded[key] for key in loaded.files}
        except (OSError, ValueError, EOFError) as error:
            raise ReseedError(f"{path}: cannot be read as .npy or .npz: {error}") from None
    return by_name


def _to_bytes(x: np.ndarray) -> np.ndarray:
    if x.ndim == 3:
        x = x[..., None]
    if x.ndim != 4 or x.dtype.kind not in "iu" or x.min() < 0 or x.max() > 255:
        raise ReseedError(
            f"x has shape {x.shape} and type {x.dtype}: images need whole numbers 0 … 255 of shape "
            "(n, height, width) or (n, height, width, channels)"
        )
    return x.astype(np.uint8)


def image_folder(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read a folder (or zip or tar archive) of PNG or JPEG images, with one folder per class.

    If the folders above are called train, val and test, they are the official parts. Images are
    sorted by path. `options.size` resizes them to one size. The pixels of a JPEG may differ by one
    level between versions of the decoder, which changes the hash of the dataset.
    """
    options = read_reader_options(dataset)
    labels, parts, images, skipped = [], [], [], 0
    files = _read_image_files(fetched.path)
    roots = [PurePosixPath(name).parts for name, _ in files]
    depth = _common_depth(roots)
    named = {path[depth] for path in roots if len(path) > depth + 1}
    has_parts = bool(named) and named <= set(_PART_OF)
    for (name, data), path in zip(files, roots, strict=True):
        inside = path[depth + has_parts :]
        if len(inside) < 2:
            skipped += 1
            continue
        labels.append(inside[0])
        parts.append(_PART_OF[path[depth]] if has_parts else "")
        images.append(_decode(name, data, options))
    if not images:
        raise ReseedError(f"{fetched.path}: no .png or .jpg images in sub-folders by class")
    notes = [f"{skipped} images outside the folders of classes left out"] if skipped else []
    frame = pd.DataFrame({dataset.target: labels})
    official = np.array(parts) if has_parts else None
    return Raw(frame, notes, images=_stack(images), parts=official)


def tiny_imagenet(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read the archive of Tiny ImageNet: 64 × 64 JPEG images.

    The validation images are the test part, because the labels of the test images are not public.
    A class has its first name in `words.txt`, or its WordNet identifier if two share that name.
    """
    options, texts, images = read_reader_options(dataset), {}, {}
    for name, data in _iterate_files(fetched.path, (*_SUFFIXES, ".txt")):
        path = PurePosixPath(name)
        if path.suffix == ".txt":
            texts[path.name] = data.decode()
        elif "test" not in path.parts:
            images[name] = _decode(name, data, options)
    lines = [line.split("\t") for line in texts["words.txt"].splitlines()]
    words = {wnid: words.split(",")[0] for wnid, words in lines}
    validation = dict(line.split("\t")[:2] for line in texts["val_annotations.txt"].splitlines())
    names = sorted(images)
    wnids = [
        validation.get(PurePosixPath(n).name) or PurePosixPath(n).name.partition("_")[0]
        for n in names
    ]
    used = [words.get(wnid, wnid) for wnid in sorted(set(wnids))]
    labels = [w if used.count(words.get(w, w)) > 1 else words.get(w, w) for w in wnids]
    parts = np.array(["test" if "val" in PurePosixPath(n).parts else "train" for n in names])
    note = "the source's validation images are the test part: its test labels are not public"
    frame = pd.DataFrame({dataset.target: labels})
    return Raw(frame, [note], images=_stack([(n, images[n][1]) for n in names]), parts=parts)


def _read_image_files(root: Path) -> list[tuple[str, bytes]]:
    """Return the path below the root and the bytes of each image, sorted by path."""
    files = sorted(_iterate_files(root, _SUFFIXES))
    if not files:
        raise ReseedError(f"{root}: no .png or .jpg images in it")
    return files


def _iterate_files(root: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    if not root.is_dir():
        yield from archives.iterate_members(
            root, lambda n: n.lower().endswith(suffixes) and "__MACOSX" not in n
        )
        return
    for path in root.rglob("*"):
        if path.name.lower().endswith(suffixes) and path.is_file():
            yield path.relative_to(root).as_posix(), path.read_bytes()


def _common_depth(paths: Iterable[tuple[str, ...]]) -> int:
    """Number of top folders that all paths share."""
    depth = 0
    for level in zip(*(path[:-2] for path in paths), strict=False):
        if len(set(level)) > 1 or level[0] in _PART_OF:
            break
        depth += 1
    return depth


def _decode(name: str, data: bytes, options: FolderOptions) -> tuple[str, np.ndarray]:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as opened:
            image = opened.convert("RGB" if options.channels == 3 else "L")
            if options.size:
                size = options.size
                height, width = size if isinstance(size, list) else (size, size)
                if image.size != (width, height):
                    image = image.resize((width, height), Image.Resampling.BILINEAR)
            pixels = np.asarray(image, dtype=np.uint8)
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise ReseedError(f"{name}: cannot be read as an image: {error}") from None
    return name, pixels.reshape(*pixels.shape[:2], options.channels)


def _stack(images: list[tuple[str, np.ndarray]]) -> np.ndarray:
    first, shape = images[0][0], images[0][1].shape
    for name, pixels in images:
        if pixels.shape != shape:
            raise ReseedError(
                f"{name} is {pixels.shape[0]} × {pixels.shape[1]} pixels, {first} {shape[0]} × "
                f"{shape[1]}: name one size under options.size"
            )
    return np.stack([pixels for _, pixels in images])
