"""Places that results go to, looked at before any work is done for them."""

from __future__ import annotations

from pathlib import Path

from cpsat_tour.core.errors import BadInput


def check_certificate_folder(folder: str) -> None:
    """Raise `BadInput` if no certificate can be written there, as far as can be told before there is one."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise BadInput(f"can't write a certificate to {folder}: it is a file, so name a folder")
    if not path.exists() and not path.parent.is_dir():
        raise BadInput(f"can't write a certificate to {folder}: there is no folder {path.parent}")
