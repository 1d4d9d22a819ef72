"""What is deleted stays deleted: even a copy of the file and the data key open nothing."""

import hashlib
import os
import threading
from pathlib import Path

import pytest

from deid_portal.vault import folder_keys, vault
from tests.vault.of_before import write_keyless

SECRET = b"Person 1 has the flu"


def write(name: str, content: bytes = SECRET) -> Path:
    with vault.VaultWriter(name) as writer:
        writer.write(content)
    return vault.path_of(name)


def read(name: str) -> bytes:
    with vault.open_reader(name) as reader:
        return reader.read()


def test_files_of_a_folder_share_a_key_and_folders_do_not() -> None:
    write("datasets/one/upload")
    write("datasets/one/table-1/0")
    write("datasets/two/upload")
    assert folder_keys.list_folders() == ["datasets/one", "datasets/two"]
    assert folder_keys.read_key("datasets/one") != folder_keys.read_key("datasets/two")


def test_a_copy_of_a_deleted_file_opens_no_more() -> None:
    path = write("datasets/one/upload")
    copy = path.read_bytes()
    vault.delete("datasets/one")
    assert not path.exists()
    assert folder_keys.list_folders() == []
    path.parent.mkdir(parents=True)
    path.write_bytes(copy)
    with pytest.raises(vault.DamagedFile, match="destroyed"):
        read("datasets/one/upload")
    write("datasets/one/other")  # the folder gets another key, which does not open it either
    with pytest.raises(vault.DamagedFile):
        read("datasets/one/upload")


def test_the_key_on_disk_is_overwritten_before_its_name_goes() -> None:
    write("datasets/one/upload")
    key = folder_keys.key_path("datasets/one")
    before = key.read_bytes()
    second_name = key.with_name("second name")
    os.link(key, second_name)
    vault.delete("datasets/one")
    assert not key.exists()
    assert second_name.read_bytes() != before


def test_deleting_one_file_leaves_the_others_of_its_folder() -> None:
    write("runs/one/1/release.csv")
    write("runs/one/2/release.csv")
    vault.delete("runs/one/1")
    assert read("runs/one/2/release.csv") == SECRET


def test_the_key_of_an_upload_goes_with_it() -> None:
    write("incoming/upload")
    vault.move("incoming/upload", "datasets/one/upload")
    assert folder_keys.list_folders() == ["datasets/one"]
    assert read("datasets/one/upload") == SECRET


def test_nothing_is_moved_into_a_folder_that_has_a_key() -> None:
    write("incoming/upload")
    write("datasets/one/upload", b"the first")
    with pytest.raises(ValueError, match="one key"):
        vault.move("incoming/upload", "datasets/one/upload")
    assert read("datasets/one/upload") == b"the first"
    assert read("incoming/upload") == SECRET


def test_an_upload_that_is_broken_off_leaves_no_key() -> None:
    writer = vault.VaultWriter("incoming/upload")
    writer.write(SECRET)
    writer.abandon()
    assert folder_keys.list_folders() == []


def test_keys_without_a_file_are_swept_away() -> None:
    write("incoming/upload")
    vault.path_of("incoming/upload").unlink()
    assert vault.delete_leftovers(older_than_seconds=3600) == 0
    assert vault.delete_leftovers(older_than_seconds=-1) == 1
    assert folder_keys.list_folders() == []


def test_no_key_lies_on_disk_unwrapped() -> None:
    write("datasets/one/upload")
    key = folder_keys.read_key("datasets/one")
    assert key not in folder_keys.key_path("datasets/one").read_bytes()


def test_two_that_make_the_first_file_of_a_folder_agree_on_its_key() -> None:
    start = threading.Barrier(8)

    def write_number(number: int) -> None:
        start.wait()
        write(f"runs/one/{number}", hashlib.sha256(bytes([number])).digest())

    threads = [threading.Thread(target=write_number, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(8):
        assert read(f"runs/one/{number}") == hashlib.sha256(bytes([number])).digest()


def test_an_old_file_written_anew_hangs_on_the_key_of_its_folder() -> None:
    path = write_keyless("datasets/old/upload")
    os.utime(path, (1000, 1000))
    assert vault.list_old_files() == ["datasets/old/upload"]
    assert vault.write_anew("datasets/old/upload", of_before=True)
    assert vault.list_old_files() == []
    assert path.stat().st_mtime == 1000
    assert read("datasets/old/upload") == SECRET
    folder_keys.destroy_key("datasets/old")
    with pytest.raises(vault.DamagedFile):
        read("datasets/old/upload")


def test_what_was_deleted_is_not_written_anew() -> None:
    assert not vault.write_anew("datasets/gone/upload")
    assert folder_keys.list_folders() == []
