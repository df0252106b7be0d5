"""Mounts an image as a board does at power-up, and runs its main.py."""

import sys

import vfs


class Flash:
    """The part of the flash that holds the files: blocks of 4096 bytes."""

    def __init__(self, path):
        self.file = open(path, "r+b")  # noqa: SIM115 - as long as the board runs
        self.count = self.file.seek(0, 2) // 4096

    def readblocks(self, block, buffer, offset=0):
        self.file.seek(block * 4096 + offset)
        self.file.readinto(buffer)

    def writeblocks(self, block, buffer, offset=0):
        self.file.seek(block * 4096 + offset)
        self.file.write(buffer)

    def ioctl(self, request, argument):  # noqa: ARG002
        return {4: self.count, 5: 4096}.get(request, 0)


vfs.mount(vfs.VfsLfs2(Flash("IMAGE"), progsize=256), "/flash")
sys.path.insert(1, "/flash")
with open("/flash/main.py") as file:
    exec(file.read())
