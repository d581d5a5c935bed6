"""Files that belong together, such as a certificate: written into a hidden folder, which is renamed when it is whole
(see `formats.files`)."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import head, locked, naming, refuse_what_is_not_a_file


def files_named(pattern: str, folder: Path) -> list[str]:
    """The names in a folder, if it is there, that fit the whole regular expression."""
    if not folder.is_dir():
        return []
    with naming(folder):
        return sorted(name for name in os.listdir(folder) if re.fullmatch(pattern, name))


@dataclass(frozen=True)
class Bundle:
    """A kind of folder of files that belong together: the file ``seal``, which comes last, holds ``mark`` in its first
    bytes."""

    what: str
    seal: str
    mark: bytes

    def check_place(self, folder: Path, names: Iterable[str], *, force: bool) -> None:
        """Raise `BadInput` if these files can't be written into the folder, or would replace files that are not of such
        a bundle."""
        self._check_folder(folder)
        found = [name for name in names if os.path.lexists(folder / name)]
        for name in found:
            refuse_what_is_not_a_file(folder / name)
        if found and not force and self.mark not in head(folder / self.seal):
            raise BadInput(
                f"can't write {self.what} to {folder}: it has another file {found[0]}; give --force to replace it"
            )

    def _check_folder(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise BadInput(f"can't write {self.what} to {folder}: it is a file, so name a folder")
        if not folder.exists() and not folder.parent.is_dir():
            raise BadInput(f"can't write {self.what} to {folder}: there is no folder {folder.parent}")
        taking = folder if folder.exists() else folder.parent
        if not os.access(taking, os.W_OK | os.X_OK):
            raise BadInput(f"can't write {self.what} to {folder}: no permission to write in the folder {taking}")

    @contextlib.contextmanager
    def writing(self, folder: Path, retired: Iterable[str] = ()) -> Iterator[Path]:
        """A hidden folder to write the files into; when the block ends without an error, ``folder`` has them.

        A folder that is not there appears at once, with all of them. In one that is there, each takes its place, the
        seal last, and files called ``retired`` that were not written anew are removed.
        """
        self._check_folder(folder)
        target = Path(os.path.realpath(folder))
        new = not target.exists()
        with naming(f"{self.what} to {folder}"):
            staged, descriptor = locked(target.parent if new else target, _opened_folder)
        try:
            try:
                yield staged
            except BadInput as fault:
                raise BadInput(str(fault).replace(str(staged), str(folder))) from fault
            with naming(f"{self.what} to {folder}"):
                if new:
                    os.rename(staged, target)
                else:
                    self._move(staged, target, set(retired))
        finally:
            shutil.rmtree(staged, ignore_errors=True)
            os.close(descriptor)

    def _move(self, staged: Path, target: Path, retired: set[str]) -> None:
        written = {path.name for path in staged.iterdir()}
        for name in sorted(retired - written):
            (target / name).unlink(missing_ok=True)
        for name in sorted(written - {self.seal}) + sorted(written & {self.seal}):
            os.replace(staged / name, target / name)


def _opened_folder(path: Path) -> int:
    path.mkdir()
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY)
