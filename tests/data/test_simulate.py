import numpy as np
import pandas as pd
import pytest
import xgboost
from reseed.data.simulate import BLOCK, TARGET, simulate_home_mortgage
from sklearn.metrics import roc_auc_score


@pytest.fixture(scope="module")
def loans():
    return simulate_home_mortgage(200_000, seed=0)


def test_simulated_data_have_the_shape_of_the_paper(loans):
    features = loans.drop(columns=TARGET)
    assert features.shape[1] == 55
    assert features.notna().all(axis=None)
    assert np.isfinite(features.to_numpy()).all()
    assert (features.nunique() > 1).all()
    assert set(loans[TARGET]) == {0, 1}


def test_one_percent_is_positive(loans):
    sd = np.sqrt(0.01 * 0.99 / len(loans))
    assert abs(loans[TARGET].mean() - 0.01) < 4 * sd


@pytest.mark.parametrize("rows", [1, 1000, BLOCK, BLOCK + 1])
def test_fewer_rows_are_the_first_rows(loans, rows):
    pd.testing.assert_frame_equal(simulate_home_mortgage(rows, 0), loans[:rows])


def test_seeds_and_blocks_differ(loans):
    other = simulate_home_mortgage(BLOCK, seed=1)
    assert (other["ltv_orig"] == loans["ltv_orig"][:BLOCK]).mean() < 0.01
    blocks = loans["income"].to_numpy()[: 2 * BLOCK].reshape(2, BLOCK)
    assert abs(np.corrcoef(blocks)[0, 1]) < 0.05


def test_loans_are_consistent(loans):
    assert (loans["balance"] <= loans["loan_amount"] + 1).all()
    assert (loans["times_60_12m"] <= loans["times_30_12m"]).all()
    assert (loans["times_90_24m"] <= loans["times_60_12m"]).all()
    assert (loans["remaining_term"] + loans["loan_age"] == loans["term"]).all()
    assert (loans["cltv_orig"] >= loans["ltv_orig"]).all()
    assert loans["fico_current"].between(300, 850).all()
    owed = loans.sample(500, random_state=0)
    rate = owed["rate_current"] / 1200
    annuity = owed["loan_amount"] * rate / (1 - (1 + rate) ** -owed["term"])
    assert np.allclose(annuity, owed["payment"], rtol=1e-3, atol=1)


@pytest.mark.parametrize(
    ("name", "sign"),
    [("fico_current", -1), ("ltv_current", 1), ("unemployment_rate", 1), ("times_30_12m", 1)],
)
def test_risk_moves_as_credit_risk_does(loans, name, sign):
    assert sign * (roc_auc_score(loans[TARGET], loans[name]) - 0.5) > 0.04


@pytest.mark.nightly
def test_a_good_model_reaches_about_the_published_auc(loans):
    """Paper 1, Table 3: 0.861 with a million rows; a tenth of them gives a little less."""
    train, test = loans[:100_000], loans[100_000:]
    model = xgboost.XGBClassifier(n_estimators=100, max_depth=3, n_jobs=1, random_state=0)
    model.set_params(learning_rate=0.1, subsample=0.8, colsample_bytree=0.5)
    model.fit(train.drop(columns=TARGET), train[TARGET])
    score = model.predict_proba(test.drop(columns=TARGET))[:, 1]
    assert 0.83 < roc_auc_score(test[TARGET], score) < 0.88
