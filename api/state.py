"""The running parts that routes share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from api.drain import Drain
from api.metrics import Metrics
from api.settings import ApiSettings
from extractor.extract import Extractor


def _extractor(request: Request) -> Extractor:
    return cast(Extractor, request.app.state.extractor)


def _settings(request: Request) -> ApiSettings:
    return cast(ApiSettings, request.app.state.settings)


def _metrics(request: Request) -> Metrics:
    return cast(Metrics, request.app.state.metrics)


@dataclass(frozen=True, slots=True)
class Running:
    """What a route may need of the service that it runs in."""

    settings: ApiSettings
    metrics: Metrics
    drain: Drain


def _running(request: Request) -> Running:
    state = request.app.state
    return Running(state.settings, state.metrics, state.drain)


ExtractorOf = Annotated[Extractor, Depends(_extractor)]
SettingsOf = Annotated[ApiSettings, Depends(_settings)]
MetricsOf = Annotated[Metrics, Depends(_metrics)]
RunningOf = Annotated[Running, Depends(_running)]
