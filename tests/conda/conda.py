"""A stand-in for the `conda` command on py-rattler: as much of it as Snakemake calls.

Channels are solved and installed for real; only where they are is set, by CONDA_CHANNEL_ALIAS
(`file:///…/`), so an unchanged `channels: [conda-forge]` is found in a folder of that name.
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
        [rattler.MatchSpec(spec, strict=False) for spec in specs],  # as conda itself reads them
        platforms=["linux-64", "noarch"],
        virtual_packages=rattler.VirtualPackage.detect(),
    )
    cache = Path(os.environ["CONDA_PKGS_DIRS"])
    await rattler.install(records, prefix, cache_dir=cache, show_progress=False)


def main() -> None:
    """Answer one call."""
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
            sys.exit("a pin file names addresses of a channel, and none is reached here")
        entry = yaml.safe_load(known.file.read_text())
        asyncio.run(_install(entry["dependencies"], entry["channels"], known.prefix))
    elif words[:1] == ["clean"]:
        pass
    else:
        sys.exit(f"the stand-in does not know: conda {' '.join(words)}")


if __name__ == "__main__":
    main()
    # py-rattler's threads now and then crash an interpreter that shuts down in the usual way.
    sys.stdout.flush()
    os._exit(0)
