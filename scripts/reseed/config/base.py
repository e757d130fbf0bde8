"""Types that all classes of the configuration share."""

from functools import partial
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from reseed.core.entry_points import resolve_plugin
from reseed.core.errors import ReseedError

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_]*$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Fraction = Annotated[float, Field(gt=0, lt=1)]
#: Of the rows of a dataset; a smaller one has no row of any.
RowFraction = Annotated[float, Field(ge=1e-6, lt=1)]
# Strict, because YAML reads yes as a boolean, and Python treats it as the number 1.
Integer = Annotated[int, Field(strict=True)]
Count = Annotated[Integer, Field(ge=1)]
ObjectPath = Annotated[str, Field(pattern=r"^[\w.]+:\w+$")]
Seed = Annotated[Integer, Field(ge=0, lt=2**32)]


def _resolve(family: str, name: str) -> str:
    try:
        return resolve_plugin(family, name)
    except ReseedError as error:
        raise ValueError(str(error)) from None


# Names of plug-ins (`reseed.core.entry_points`) become `module:function` here.
AnalysisKind = Annotated[str, AfterValidator(partial(_resolve, "analyses"))]
ExhibitKind = Annotated[str, AfterValidator(partial(_resolve, "exhibits"))]
MetricName = Annotated[str, AfterValidator(partial(_resolve, "metrics"))]
ReaderName = Annotated[str, Field(pattern=r"^[\w-]+(\.[\w-]+)+$")]


class Strict(BaseModel):
    """A class without unknown fields. The text under a field is its description in the reference.

    Pydantic would read these texts from the source in every process; `docs/tools/schemas.py` does.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def get_union_tag(value: object) -> str:
    """Return the tag of the form that a value has, for errors of that form only."""
    if isinstance(value, BaseModel | dict):
        return "fields"
    return "list" if isinstance(value, list) else "plain"
