"""A project folder with modules that a test writes."""

import pytest
from hashed_projects import forget


@pytest.fixture
def project(tmp_path):
    def write(**files):
        for name, text in files.items():
            path = tmp_path / f"{name}.py"
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_text(text)
        forget()
        return tmp_path

    return write
