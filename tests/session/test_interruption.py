"""The file that an interrupted `reseed.study` leaves."""

import numpy as np
import pandas as pd
import pytest
import reseed
from sklearn.naive_bayes import GaussianNB

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.arange(40) % 2


class Interrupted(GaussianNB):
    def fit(self, X, y):
        raise KeyboardInterrupt


def test_no_name_of_a_model_is_a_formula_in_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    models = {"=cmd|' /C calc'!A0": GaussianNB(), "bayes": Interrupted()}
    with pytest.raises(KeyboardInterrupt) as caught:
        reseed.study(models, X, Y, splits=2, seeds=1)
    (path,) = tmp_path.iterdir()
    assert set(pd.read_csv(path)["model"]) == {"'=cmd|' /C calc'!A0"}
    assert path.resolve() == caught.value.path
