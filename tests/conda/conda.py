"""A replacement for the `conda` command, built on py-rattler, with the calls that Snakemake makes.

Solving and installing are real. CONDA_CHANNEL_ALIAS (`file:///…/`) sets the location of channels,
so an unchanged `channels: [conda-forge]` is read from a folder of that name.
"""

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

import rattler
import yaml
from rattler.index import index_fs

NO_CHANNELS = {"nodefaults"}


async def _install(specs: list[str], channels: list[str], prefix: Path) -> None:
    configuration = rattler.ChannelConfig(channel_alias=os.environ["CONDA_CHANNEL_ALIAS"])
    records = await rattler.solve(
        [rattler.Channel(name, configuration) for name in channels if name not in NO_CHANNELS],
        [rattler.MatchSpec(spec, strict=False) for spec in specs],  # as conda does
        platforms=["linux-64", "noarch"],
        virtual_packages=rattler.VirtualPackage.detect(),
    )
    cache = Path(os.environ["CONDA_PKGS_DIRS"])
    await rattler.install(records, prefix, cache_dir=cache, show_progress=False)


def main() -> None:
    """Run one command."""
    words = sys.argv[1:]
    if words == ["info", "--json"]:
        print(json.dumps({"conda_prefix": os.environ["CONDA_STANDIN"], "platform": "linux-64"}))
    elif words == ["--version"]:
        print("conda 25.1.0")
    elif words[:2] == ["config", "--get"]:
        print(json.dumps({"get": {"channel_priority": "strict"}}))
    elif words[:1] == ["index"]:
        asyncio.run(index_fs(Path(words[1])))
    elif "create" in words:
        parser = argparse.ArgumentParser()
        parser.add_argument("--file", type=Path, required=True)
        parser.add_argument("--prefix", type=Path, required=True)
        known, _ = parser.parse_known_args(words[words.index("create") + 1 :])
        if known.file.suffix == ".txt":
            sys.exit("a pin file contains addresses of a channel, and no channel is available")
        entry = yaml.safe_load(known.file.read_text())
        asyncio.run(_install(entry["dependencies"], entry["channels"], known.prefix))
    elif words[:1] == ["clean"]:
        pass
    else:
        sys.exit(f"unsupported command: conda {' '.join(words)}")


if __name__ == "__main__":
    main()
    # Threads of py-rattler sometimes crash the interpreter during a normal shutdown.
    sys.stdout.flush()
    os._exit(0)
