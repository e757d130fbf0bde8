"""Coverage tables: what is read, and which rows are refused."""

import pytest
from reseed.core.coverage import PaperExhibit, read_coverage
from reseed.core.errors import ReseedError

HEAD = "exhibit,status,entry,note\n"


def write(folder, text):
    path = folder / "exhibits.csv"
    path.write_text(text)
    return path


def test_rows_are_read(tmp_path):
    rows = [
        "Table 1,made,table1,",
        'Figure 2,differs,a b,"n is 10, not 50"',
        "",
        "Figure 3,left out,,lost",
    ]
    text = HEAD + "\n".join(rows)
    assert read_coverage(write(tmp_path, text)) == (
        PaperExhibit("Table 1", "made", ("table1",)),
        PaperExhibit("Figure 2", "differs", ("a", "b"), "n is 10, not 50"),
        PaperExhibit("Figure 3", "left out", (), "lost"),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("exhibit,status\n", "the first line must be exhibit,status,entry,note"),
        (HEAD + "Table 1,made,table1\n", "line 2: has 3 fields"),
        (HEAD + ",made,table1,\n", "exhibit is empty"),
        (
            HEAD + "Table 1,done,table1,\n",
            "status: 'done' is none of made, differs, tested, left out",
        ),
        (HEAD + "Table 1,made,,\n", "entry is empty"),
        (HEAD + "Table 1,left out,table1,lost\n", "entry names an exhibit"),
        (HEAD + "Table 1,differs,table1,\n", "note is empty"),
    ],
)
def test_wrong_rows_are_refused(tmp_path, text, problem):
    with pytest.raises(ReseedError, match=problem):
        read_coverage(write(tmp_path, text))


def test_missing_file_is_named(tmp_path):
    with pytest.raises(ReseedError, match=r"nowhere\.csv: cannot be read"):
        read_coverage(tmp_path / "nowhere.csv")
