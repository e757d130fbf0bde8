"""Image readers: small files made here, and the real ones of the mirror where it is present."""

import gzip
import io
import os
import pickle
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml
from packing import prepare
from PIL import Image
from reseed.core.errors import ReseedError
from reseed.data import archives, pickles
from reseed.data.sources import Fetched
from reseed.data.store import open_inputs, read_targets, write_prepared

ROOT = Path(__file__).parents[2]
MIRROR = Path(os.environ.get("RESEED_DATA_MIRROR") or ROOT / "../shared/data")
RNG = np.random.default_rng(0)
NAMES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]


def entry(name):
    return yaml.safe_load((ROOT / "config" / "datasets" / f"{name}.yaml").read_text())


def fetched(*paths):
    return Fetched({path.name: path for path in paths}, {"kind": "file"})


def own(reader, *paths, task="multiclass", **fields):
    dataset = {"name": "own", "kind": "images", "task": task, "reader": reader, "target": "class"}
    return prepare({**dataset, **fields}, fetched(*paths))


# --- CIFAR-10 -----------------------------------------------------------------------------------


def batches(folder, size=20):
    """Batches of random images as the real ones are made: planes in a row, protocol 2."""
    pixels, labels = [], []
    paths = [folder / "batches.meta"]
    paths[0].write_bytes(pickle.dumps({"label_names": NAMES}, 2))
    for name in (*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"):
        planes = RNG.integers(0, 256, (size, 3, 32, 32), dtype=np.uint8)
        own_labels = [int(i) for i in RNG.permutation(np.arange(size) % 10)]
        content = {"data": planes.reshape(size, 3072), "labels": own_labels}
        paths.append(folder / name)
        paths[-1].write_bytes(pickle.dumps(content, 2))
        pixels.append(planes)
        labels += own_labels
    return paths, np.concatenate(pixels), np.array(labels)


def test_cifar10(tmp_path):
    paths, planes, labels = batches(tmp_path)
    found = prepare(entry("cifar10"), fetched(*paths))
    assert found.info.classes == NAMES
    assert found.target.tolist() == labels.tolist()
    assert found.parts.tolist() == ["train"] * 100 + ["test"] * 20
    images = found.inputs.take(np.array([7, 119]))
    for number, image in zip((7, 119), images, strict=True):
        for channel in range(3):
            assert (image[:, :, channel] == planes[number, channel]).all()
    with pytest.raises(ReseedError, match="data_batch_3 is missing among"):
        prepare(entry("cifar10"), fetched(*(p for p in paths if p.name != "data_batch_3")))


def test_two_super_classes_leave_cat_and_deer_out(tmp_path):
    paths, planes, labels = batches(tmp_path)
    found = prepare(entry("cifar10_superclasses"), fetched(*paths))
    kept = ~np.isin(labels, [NAMES.index("cat"), NAMES.index("deer")])
    vehicle = [NAMES.index(name) for name in ("airplane", "automobile", "ship", "truck")]
    assert found.target.tolist() == np.isin(labels, vehicle)[kept].astype(int).tolist()
    assert found.info.positive == "vehicle"
    assert (found.inputs.array[..., 0] == planes[kept, 0]).all()
    assert found.parts.tolist().count("test") == 16


def test_subsample_of_images(tmp_path):
    paths, planes, labels = batches(tmp_path)
    found = prepare({**entry("cifar10"), "rows": 60}, fetched(*paths))
    assert (found.parts == "test").sum() == 10
    assert np.bincount(found.target).tolist() == [6] * 10
    whole = {image.tobytes(): label for image, label in zip(planes, labels, strict=True)}
    for image, code in zip(found.inputs.array, found.target, strict=True):
        assert whole[image.transpose(2, 0, 1).tobytes()] == code


# --- MNIST --------------------------------------------------------------------------------------


def idx(array):
    head = bytes([0, 0, 8, array.ndim]) + b"".join(n.to_bytes(4, "big") for n in array.shape)
    return gzip.compress(head + array.astype(np.uint8).tobytes())


def test_mnist_is_the_same_from_both_forms(tmp_path):
    images = RNG.integers(0, 256, (30, 28, 28), dtype=np.uint8)
    labels = np.arange(30) % 10
    files = {
        "train-images-idx3-ubyte.gz": images[:20],
        "train-labels-idx1-ubyte.gz": labels[:20],
        "t10k-images-idx3-ubyte.gz": images[20:],
        "t10k-labels-idx1-ubyte.gz": labels[20:],
    }
    for name, array in files.items():
        (tmp_path / name).write_bytes(idx(array))
    flat = (images.reshape(30, 784) / 256).astype("f4")
    triple = tuple((flat[a:b], labels[a:b]) for a, b in ((0, 15), (15, 20), (20, 30)))
    (tmp_path / "mnist.pkl.gz").write_bytes(gzip.compress(pickle.dumps(triple, 2)))
    one = prepare(entry("mnist"), fetched(*(tmp_path / name for name in files)))
    two = prepare(entry("mnist"), fetched(tmp_path / "mnist.pkl.gz"))
    assert (one.inputs.array[..., 0] == images).all()
    assert one.inputs.sha256() == two.inputs.sha256()
    assert one.targets.sha256() == two.targets.sha256()
    assert one.parts.tolist() == ["train"] * 20 + ["test"] * 10
    two = prepare(entry("mnist_superclasses"), fetched(tmp_path / "mnist.pkl.gz"))
    assert two.target.tolist() == (labels % 2).tolist()
    (tmp_path / "t10k-images-idx3-ubyte.gz").write_bytes(idx(images[20:])[:-30])
    with pytest.raises(ReseedError, match=r"cannot be decompressed|not a complete IDX"):
        prepare(entry("mnist"), fetched(*(tmp_path / name for name in files)))


def test_digits_are_those_of_scikit_learn(tmp_path):
    from sklearn.datasets import load_digits

    meta = write_prepared(tmp_path, prepare(entry("digits")))
    assert meta.source == {"kind": "reader", "reader": "digits"}
    bunch = load_digits()
    assert meta.shape == [8, 8, 1]
    levels = open_inputs(tmp_path).array[..., 0] / 255 * 16
    assert np.abs(levels - bunch.images).max() < 0.04
    assert read_targets(tmp_path).target.tolist() == bunch.target.tolist()


# --- folders ------------------------------------------------------------------------------------


def picture(height=4, width=5, mode="RGB", form="PNG"):
    pixels = RNG.integers(0, 256, (height, width, 3), dtype=np.uint8)
    stream = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(stream, form)
    return pixels, stream.getvalue()


def tree(folder, names, **options):
    made = {}
    for name in names:
        pixels, data = picture(**options)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        made[name] = pixels
    return made


def test_folders_by_class_and_the_same_in_archives(tmp_path):
    names = ["dog/2.png", "cat/b.png", "dog/1.png", "cat/a.png"]
    made = tree(tmp_path / "pets", names)
    (tmp_path / "pets" / "readme.txt").write_text("no image")
    found = own("image_folder", tmp_path / "pets", task="binary")
    assert found.info.classes == ["cat", "dog"]
    assert found.target.tolist() == [0, 0, 1, 1]
    assert found.parts is None
    assert (found.inputs.array == np.stack([made[name] for name in sorted(names)])).all()
    with zipfile.ZipFile(tmp_path / "pets.zip", "w") as archive:
        for name in names:
            archive.write(tmp_path / "pets" / name, f"pets/{name}")
    with tarfile.open(tmp_path / "pets.tar.xz", "w:xz") as archive:
        archive.add(tmp_path / "pets", "some/where")
    for packed in ("pets.zip", "pets.tar.xz"):
        again = own("image_folder", tmp_path / packed, task="binary")
        assert again.inputs.sha256() == found.inputs.sha256()
        assert again.target.tolist() == found.target.tolist()


def test_folders_of_parts(tmp_path):
    names = [f"{part}/{c}/{i}.png" for part in ("train", "val", "test") for c in "ab" for i in "12"]
    tree(tmp_path / "pets", names)
    found = own("image_folder", tmp_path / "pets", task="binary")
    assert found.parts.tolist() == ["test"] * 4 + ["train"] * 4 + ["validation"] * 4
    assert found.target.tolist() == [0, 0, 1, 1] * 3


def test_sizes_and_channels(tmp_path):
    tree(tmp_path / "pets", ["a/1.png", "b/1.png"])
    tree(tmp_path / "pets", ["b/2.png"], height=8)
    with pytest.raises(ReseedError, match=r"b/2.png is 8 × 5 pixels, a/1.png 4 × 5: name one size"):
        own("image_folder", tmp_path / "pets", task="binary")
    found = own("image_folder", tmp_path / "pets", task="binary", options={"size": [6, 7]})
    assert found.inputs.array.shape == (3, 6, 7, 3)
    grey = own("image_folder", tmp_path / "pets", task="binary", options={"size": 4, "channels": 1})
    assert grey.inputs.array.shape == (3, 4, 4, 1)


def test_grey_and_transparent_images_become_colour(tmp_path):
    for mode in ("L", "RGBA", "P"):
        tree(tmp_path / "pets", [f"a/{mode}.png", f"b/{mode}.png"], mode=mode)
    tree(tmp_path / "pets", ["b/x.JPEG"], form="JPEG")
    found = own("image_folder", tmp_path / "pets", task="binary")
    assert found.inputs.array.shape == (7, 4, 5, 3)
    assert (found.inputs.array[0] == found.inputs.array[0][..., :1]).all()


def test_bad_folders(tmp_path):
    (tmp_path / "pets").mkdir()
    with pytest.raises(ReseedError, match=r"no .png or .jpg images in it"):
        own("image_folder", tmp_path / "pets")
    tree(tmp_path / "pets", ["1.png"])
    with pytest.raises(ReseedError, match="in sub-folders by class"):
        own("image_folder", tmp_path / "pets")
    tree(tmp_path / "pets", ["a/1.png", "b/1.png"])
    found = own("image_folder", tmp_path / "pets", task="binary")
    assert "1 images outside the folders of classes left out" in found.info.notes
    (tmp_path / "pets" / "a" / "2.png").write_bytes(b"no image")
    with pytest.raises(ReseedError, match=r"a/2.png: cannot be read as an image"):
        own("image_folder", tmp_path / "pets", task="binary")
    (tmp_path / "cut.zip").write_bytes(b"PK no archive")
    with pytest.raises(ReseedError, match=r"cut.zip is not a zip or tar archive"):
        own("image_folder", tmp_path / "cut.zip")


# --- arrays -------------------------------------------------------------------------------------


def test_arrays(tmp_path):
    x, y = RNG.integers(0, 256, (9, 4, 4)), np.arange(9) % 3
    np.savez(tmp_path / "a.npz", x=x, y=y)
    np.save(tmp_path / "x.npy", x.astype(np.uint8))
    np.save(tmp_path / "y.npy", y[:, None])
    one = own("arrays", tmp_path / "a.npz")
    two = own("arrays", tmp_path / "x.npy", tmp_path / "y.npy")
    assert (one.inputs.array[..., 0] == x).all()
    assert one.inputs.sha256() == two.inputs.sha256()
    assert one.target.tolist() == two.target.tolist() == y.tolist()
    np.savez(tmp_path / "p.npz", im_train=x[:6], im_test=x[6:], lab_train=y[:6], lab_test=y[6:])
    found = own("arrays", tmp_path / "p.npz", options={"x": "im", "y": "lab"})
    assert found.parts.tolist() == ["train"] * 6 + ["test"] * 3
    assert found.inputs.sha256() == one.inputs.sha256()
    np.savez(tmp_path / "t.npz", x=x[:, 0].astype(float), y=y)
    table = own("arrays", tmp_path / "t.npz", kind="table")
    assert table.inputs.frame["x3"].tolist() == x[:, 0, 3].tolist()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"a": np.zeros((3, 2, 2), int)}, "no array 'x' .* there are a: name them under options.x"),
        ({"x": np.zeros((3, 2, 2), int)}, "there is x, but no y"),
        ({"x": np.zeros((3, 2, 2), int), "y": np.arange(2)}, "x has 3 rows, its targets 2"),
        ({"x": np.zeros((3, 2, 2)), "y": np.arange(3)}, "images need whole numbers 0 … 255"),
        ({"x": np.full((3, 2, 2), 256), "y": np.arange(3)}, "images need whole numbers 0 … 255"),
        ({"x": np.full((3, 2), 1), "y": np.arange(3)}, "images need whole numbers 0 … 255"),
    ],
)
def test_bad_arrays(tmp_path, content, message):
    np.savez(tmp_path / "a.npz", **content)
    with pytest.raises(ReseedError, match=message):
        own("arrays", tmp_path / "a.npz")


def test_arrays_of_objects_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.array([Path("x")] * 3), y=np.arange(3))
    with pytest.raises(ReseedError, match=r"a.npz: cannot be read"):
        own("arrays", tmp_path / "a.npz")


# --- Tiny ImageNet ------------------------------------------------------------------------------


def tiny_archive(path):
    """The archive's layout with three classes, two of which share their first name."""
    words = "n1\tcrane, bird\nn2\tcrane, machine\nn3\tpizza, pizza pie\nn4\tunused\n"
    files = {
        "words.txt": words.encode(),
        "val/val_annotations.txt": b"val_0.JPEG\tn3\t0\t0\t9\t9\nval_1.JPEG\tn1\t0\t0\t9\t9\n",
        "val/images/val_0.JPEG": picture(form="JPEG")[1],
        "val/images/val_1.JPEG": picture(form="JPEG")[1],
        "test/images/test_0.JPEG": picture(form="JPEG")[1],
        **{f"train/n{i}/images/n{i}_0.JPEG": picture(form="JPEG")[1] for i in (3, 2, 1)},
    }
    with tarfile.open(path, "w:xz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(f"tiny-imagenet-200/{name}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def test_tiny_imagenet(tmp_path):
    tiny_archive(tmp_path / "t.tar.xz")
    found = prepare(entry("tiny_imagenet"), fetched(tmp_path / "t.tar.xz"))
    labels = [found.info.classes[code] for code in found.target]
    assert labels == ["n1", "n2", "pizza", "pizza", "n1"]
    assert found.parts.tolist() == ["train"] * 3 + ["test"] * 2
    assert found.inputs.array.shape == (5, 4, 5, 3)


# --- the real files -----------------------------------------------------------------------------


@pytest.mark.nightly
def test_a_real_cifar10_batch_of_the_mirror():
    """The first batch in the archive only, for unpacking all of them takes long."""
    source = entry("cifar10")["sources"][0]
    path = MIRROR / source["path"]
    if not path.is_file():
        pytest.skip(f"no mirror of data at {MIRROR}")
    walked = archives.iterate_members(path, lambda name: "data_batch" in name)
    name, data = next(walked)
    walked.close()
    archives.check_sha256(name, source["members"][name], data)
    content = pickles.load(io.BytesIO(data), name)
    assert content["data"].shape == (10000, 3072)
    assert content["data"].dtype == np.uint8
    assert set(content["labels"]) == set(range(10))
    assert len(content["filenames"]) == 10000
