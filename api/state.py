"""The running parts that routes share."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Request

from api.settings import ApiSettings
from extractor.extract import Extractor


def _extractor(request: Request) -> Extractor:
    return cast(Extractor, request.app.state.extractor)


def _settings(request: Request) -> ApiSettings:
    return cast(ApiSettings, request.app.state.settings)


ExtractorOf = Annotated[Extractor, Depends(_extractor)]
SettingsOf = Annotated[ApiSettings, Depends(_settings)]
