"""A request as options of the pipeline."""

from __future__ import annotations

from extractor.judged import Options
from extractor.request import PageRequest


def options_of(request: PageRequest, fence_key: bytes | None) -> Options:
    """How the capture of ``request`` is to be filtered; a variant takes over what it does not name."""
    return Options(
        format=request.format,
        budget=request.budget,
        query=request.query,
        main_only=request.main_only,
        include=request.include,
        exclude=request.exclude,
        collapsed=request.collapsed,
        filter=request.filter,
        fold=request.fold,
        markup=request.markup,
        explain=request.explain,
        provenance=request.provenance,
        include_hidden=request.include_hidden,
        fence_key=fence_key,
        unfold=request.unfold,
        variants=tuple(
            Options(
                format=(variant.format,),
                budget=variant.budget,
                query=variant.query or request.query,
                main_only=variant.main_only,
                markup=variant.markup,
                filter=variant.filter,
                collapsed=request.collapsed,
                include_hidden=request.include_hidden,
                fence_key=fence_key,
                unfold=request.unfold,
            )
            for variant in request.variants
        ),
    )
