"""What an operator can set about pages that stay open."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings


class TabSettings(BaseSettings):
    """Limits of tabs; a part of the extractor's settings."""

    max_tabs: int = Field(16, ge=0, description="tabs that are open at a time; 0 for none")
    tenant_tabs: int = Field(8, ge=1, description="tabs of one tenant that are open at a time")
    tab_idle_s: float = Field(300, gt=0, description="a tab that nobody used for so long is closed")
    tab_life_s: float = Field(3600, gt=0, description="a tab is closed after so long in any case")
    tab_popups: int = Field(
        5, ge=0, description="tabs that the pages of one window may have open beside the first"
    )
    tab_max_bytes: int = Field(
        300_000_000, ge=1_000_000, description="bytes received for one window in its life"
    )
    tab_quiet_ms: int = Field(
        500, ge=0, description="quiet time after a step; a text that goes within it came and went"
    )
    tab_value_chars: int = Field(
        5_000_000, ge=1_000, description="characters of one script's value; the rest is cut"
    )
    tab_change_chars: int = Field(
        8_000, ge=500, description="characters of what a scan says about changes"
    )
