"""Where originals and results are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.session_parts import archive_at
from api.settings import ApiSettings


@pytest.mark.parametrize("tenant", ["", "harbour"])
@pytest.mark.parametrize("name", ["objects", "with a space"])
def test_a_folder_that_is_not_there_yet_is_made(tmp_path: Path, tenant: str, name: str) -> None:
    folder = tmp_path / name / "below"
    settings = ApiSettings(data_dir=tmp_path / "data", archive_url=folder.as_uri())
    archive = archive_at(settings, tenant)
    ref = archive.put({"text": "station 41"})
    assert archive.get(ref) == {"text": "station 41"}
    place = folder / "tenants" / tenant if tenant else folder
    assert [path for path in place.rglob("*") if path.is_file()]
