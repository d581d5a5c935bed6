"""Places that results go to, looked at before any work is done for them."""

from __future__ import annotations

from pathlib import Path

from cpsat_tour.proofs.write.folder import BUNDLE, FILES


def check_certificate_folder(folder: str, *, force: bool) -> None:
    """Raise `BadInput` if no certificate can be written there, as far as can be told before there is one."""
    BUNDLE.check_place(Path(folder), FILES, force=force)
