"""What is asked of the machine before anything runs."""

import os

from reseed.startup import undo_future_times


def test_files_of_the_future_are_dated_now_and_others_keep_their_times(tmp_path):
    now = 1_000_000.0
    times = {"trials/a/tomorrow": now + 86_400, "trials/a/old": now - 5, "data/skewed": now + 30}
    for name, time in times.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (time, time))
    assert undo_future_times(str(tmp_path), now) == 1
    found = {name: (tmp_path / name).stat().st_mtime for name in times}
    assert found == times | {"trials/a/tomorrow": now}
    assert undo_future_times(str(tmp_path), now) == 0
