"""JSON schemas of the configuration classes, with the text under each field as its description."""

import ast
import inspect
import textwrap
from itertools import pairwise
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema
from reseed.config.base import Strict
from reseed.config.datasets import Dataset, Weights
from reseed.config.models import Model
from reseed.config.studies import Main, Study

CONFIG_CLASSES: dict[str, type[Strict]] = {
    "config": Main,
    "dataset": Dataset,
    "weights": Weights,
    "model": Model,
    "study": Study,
}


class _WithTexts(GenerateJsonSchema):
    """Adds the text under each field."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """The JSON schema of a class."""
        found = super().model_schema(schema)
        for name, text in _read_texts(schema["cls"]).items():
            field = schema["cls"].model_fields[name]
            found["properties"][field.alias or name]["description"] = text
        return found


def _read_texts(cls: type[BaseModel]) -> dict[str, str]:
    """The string literal after each field in the source of a class and of its base classes."""
    texts: dict[str, str] = {}
    for one in reversed(cls.__mro__):
        if not issubclass(one, BaseModel) or one is BaseModel:
            continue
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(one))).body
        for field, below in pairwise(definition.body):
            text = below.value.value if _is_literal(below) else None
            if isinstance(field, ast.AnnAssign) and isinstance(text, str):
                texts[field.target.id] = inspect.cleandoc(text)
    return texts


def _is_literal(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def build_json_schema(cls: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a class."""
    return cls.model_json_schema(schema_generator=_WithTexts)


def build_json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON schema of each kind of configuration file, by name."""
    return {name: build_json_schema(cls) for name, cls in CONFIG_CLASSES.items()}
