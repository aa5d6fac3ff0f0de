"""Whether a throttled loop device is possible here, found out by other means than rocktune-bench's: were it asked itself,
whatever breaks it would only be one more reason to skip its tests."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile
import time

LOOP_CONTROL = "/dev/loop-control"
PROGRAMS = ("losetup", "mkfs.ext4", "mount", "umount")
# The first Linux that sets a loop device up in one step (LOOP_CONFIGURE).
LEAST_LINUX = (5, 8)


class Impossible(Exception):
    """With the reason."""


def call(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise Impossible(done.stderr.partition("\n")[0] or f"{command[0]} failed")
    return done.stdout.strip()


def put(path, text):
    try:
        pathlib.Path(path).write_text(text)
    except OSError as error:
        raise Impossible(f"{path}: {error.strerror}") from error


def own_group(of):
    """This process's path in the hierarchy that `of` chooses by its controllers, as a folder below the mount."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if of(controllers.split(",")):
            return path.strip("/")
    return ""


def parent_of_groups():
    """Where a group may be made whose processes are throttled, and the file that takes the limit, of v1 or v2."""
    mounts = [line.split() for line in pathlib.Path("/proc/self/mounts").read_text().splitlines()]
    for _, place, kind, options, *_ in mounts:
        if kind == "cgroup" and "blkio" in options.split(","):
            return pathlib.Path(place) / own_group(lambda names: "blkio" in names), "blkio.throttle.read_bps_device"
    for _, place, kind, *_ in mounts:
        if kind == "cgroup2":
            # A sibling of the own group: v2 has processes in leaves only.
            own = own_group(lambda names: names == [""])
            parent = pathlib.Path(place) / own.rpartition("/")[0]
            put(parent / "cgroup.subtree_control", "+io")
            return parent, "io.max"
    raise Impossible("no control groups of block I/O are mounted")


def try_to_throttle(device):
    """Has a process in a group with a limit for this device (MAJOR:MINOR)."""
    parent, file = parent_of_groups()
    group = parent / f"rocktune-test.{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        raise Impossible(f"{group}: {error.strerror}") from error
    process = subprocess.Popen(["sleep", "300"])
    try:
        put(group / file, f"{device} rbps=1000000" if file == "io.max" else f"{device} 1000000")
        put(group / "cgroup.procs", str(process.pid))
    finally:
        process.kill()
        process.wait()
        remove(group)


def remove(group):
    """The kernel takes a moment to see that its last process has ended."""
    for _ in range(100):
        try:
            return group.rmdir()
        except OSError:
            time.sleep(0.01)
    raise Impossible(f"{group} cannot be removed")


def try_everything(folder):
    """Has a file system on a loop device with direct I/O, and a process in a group with a limit for that device."""
    image, place = folder / "image", folder / "place"
    place.mkdir()
    with open(image, "wb") as file:
        file.truncate(64 << 20)
    loop = call("losetup", "--find", "--show", "--sector-size", "4096", "--direct-io=on", image)
    try:
        status = pathlib.Path("/sys/block", pathlib.Path(loop).name)
        if (status / "loop" / "dio").read_text().strip() != "1":
            raise Impossible(f"the file system of {folder.parent} takes no direct I/O")
        call("mkfs.ext4", "-q", "-F", loop)
        call("mount", "-t", "ext4", loop, place)
        call("umount", place)
        try_to_throttle((status / "dev").read_text().strip())
    finally:
        call("losetup", "--detach", loop)


def without_loop():
    """Why there is no throttled loop device here; nothing if there can be one."""
    if os.geteuid() != 0:
        return "needs root"
    if not os.access(LOOP_CONTROL, os.R_OK | os.W_OK):
        return f"{LOOP_CONTROL} is not there, or not for us"
    if tuple(map(int, re.findall(r"\d+", platform.release())[:2])) < LEAST_LINUX:
        return f"Linux {platform.release()} is too old"
    if missing := [program for program in PROGRAMS if not shutil.which(program)]:
        return f"not installed: {', '.join(missing)}"
    with tempfile.TemporaryDirectory(prefix="rt-") as folder:
        try:
            try_everything(pathlib.Path(folder))
        except (Impossible, OSError) as reason:
            return str(reason)
    return ""
