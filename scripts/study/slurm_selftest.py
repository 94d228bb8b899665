# SPDX-License-Identifier: Apache-2.0
"""EXECUTOR=slurm against a real Slurm of one node, which this starts in its own folder (slurm-wlm and munge of Debian, as root).

python3 -B -m scripts.study.slurm_selftest PROGRAM RTL-PROGRAM FOLDER.  Where Slurm cannot start: a line that says why, and 0.
"""
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time

from scripts.study import slurm
from scripts.study.expressions import Bad
from scripts.study.selftest_box import GOOD, WITH_RTL, Sandbox, Study
from scripts.study.slurm import Executor
from scripts.testing import background, has_ended, main

CONF = """ClusterName=selftest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
MailProg=/bin/true
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=5
KillWait=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes={host} Default=YES State=UP
"""
COMMANDS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")


class Unable(Exception):
    """Slurm cannot start here."""


def until(what, condition, seconds=180):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.1)


def free_ports():
    sockets = [socket.socket() for _ in range(2)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Slurm:
    """munged, slurmctld and slurmd with all their files in one folder."""

    def __init__(self, folder):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("state", "spool"):
            (folder / name).mkdir(parents=True)
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        host = socket.gethostname().split(".", maxsplit=1)[0]
        (folder / "slurm.conf").write_text(CONF.format(folder=folder, host=host, ports=free_ports()))
        self.env = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"), PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")

    def call(self, *command):
        return subprocess.run(command, env=self.env, capture_output=True, text=True, check=False, timeout=60)

    def must(self, *command):
        done = self.call(*command)
        if done.returncode:
            raise Unable(f"{command[0]}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")

    def start(self):
        lacks = [c for c in COMMANDS if not shutil.which(c, path=self.env["PATH"])]
        if lacks:
            raise Unable(f"no {', '.join(lacks)} here (Debian: slurm-wlm, munge)")
        if os.geteuid():
            raise Unable("it needs root")
        f = self.folder
        self.must(
            "munged",
            f"--key-file={f}/munge.key",
            f"--socket={f}/munge.socket",
            f"--pid-file={f}/munge.pid",
            f"--log-file={f}/munge.log",
            f"--seed-file={f}/munge.seed",
            "--force",
        )
        self.must("slurmctld")
        self.must("slurmd")
        try:
            self.wait_for_node()
        except AssertionError as e:
            raise Unable(f"{e}: sinfo says {self.node_state()}") from None

    def node_state(self):
        return self.call("sinfo", "--noheader", "--format=%t").stdout.strip()

    def wait_for_node(self):
        until("the node", lambda: self.node_state() in ("idle", "mix", "alloc", "comp"), 30)

    def kill(self, name, how=signal.SIGKILL):
        try:
            pid = int((self.folder / f"{name}.pid").read_text())
            os.kill(pid, how)
            until(f"the end of {name}", lambda: has_ended(pid), 20)
        except (OSError, ValueError):
            pass

    def node_off(self):
        """Simulates a power failure of the node: kills the daemon and all its processes."""
        self.kill("slurmd")
        for process in self.tasks():
            os.kill(int(process.name), signal.SIGKILL)

    def tasks(self):
        """/proc entries of processes started by this slurmd."""
        mine = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                environment, name = (process / "environ").read_bytes().split(b"\0"), (process / "comm").read_text()
            except OSError:
                continue
            if mine in environment and (
                name.startswith("slurmstepd") or any(v.startswith(b"SLURM_JOB_ID=") for v in environment)
            ):
                yield process

    def stop(self):
        self.call("scancel", "--me")
        for name in ("slurmd", "slurmctld", "munge"):
            self.kill(name, signal.SIGTERM)
        for process in self.tasks():
            os.kill(int(process.name), signal.SIGKILL)

    def queue(self):
        return self.call("squeue", "--noheader", "--array", "--format=%i %T").stdout.split()


class Cluster(Sandbox):
    """A study whose program writes a line for each of its runs, and waits for a file `go` where there is a file `stop`."""

    def __init__(self, slurm, program, rtl, folder):
        super().__init__(str(folder / "memtwin"), rtl, folder)
        self.slurm, self.log, self.chunk = slurm, folder / "runs.log", "0.001"  # a task for each point
        self.log.touch()
        pathlib.Path(self.program).write_text(
            f"""#!/bin/bash
case $1 in run)
    while [ -e {folder}/stop ] && [ $(wc -l < {folder}/runs.log) -ge 2 ]; do sleep 0.1; done
    echo "$@" >> {folder}/runs.log;;
esac
exec {program} "$@"
"""
        )
        os.chmod(self.program, 0o755)
        self.file.write_text(GOOD)

    def stopped(self):
        (self.folder / "stop").touch()

    def go(self):
        (self.folder / "stop").unlink()

    def runs(self):
        return len(self.log.read_text().splitlines())

    def command(self, *args, **options):
        return [*super().command(*args, **options), "--executor", "slurm", "--chunk-seconds", self.chunk]

    def begin(self, size="reduced"):
        return background(*self.command(size=size), env=self.slurm.env, stderr=subprocess.PIPE)

    def study(self, size="reduced", env=None):
        """(exit status, runs of the study as (all, now, failed) or None, standard error)"""
        done = subprocess.run(
            self.command(size=size), env=env or self.slurm.env, capture_output=True, text=True, check=False, timeout=300
        )
        return done.returncode, self.count(done.stderr) if "run now" in done.stderr else None, done.stderr

    def held(self, process):
        """Two points have run; two tasks hold one point each."""
        until("two runs", lambda: self.runs() == 2 or process.poll() is not None)
        until("two results", lambda: len(list(self.folder.glob("build/study/small.slurm/*/results/*.json"))) == 2)


def with_command(box, name, text):
    """The environment with a replaced Slurm command first on the PATH."""
    path = box.folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)
    return dict(box.slurm.env, PATH=f"{path.parent}:{box.slurm.env['PATH']}")


class Executed(Study):
    def sandbox(self, program, rtl, folder):
        return Cluster(self.cluster, program, rtl, folder)

    def test_gives_what_a_local_run_gives(self):
        status, count, err = self.box.study()
        self.equal("status, runs", (status, count), (0, (6, 6, 0)))
        self.equal("tasks", "6 points are array" in err and "of 6 tasks" in err, True)
        page = (self.box.folder / "build" / "report" / "study-small.html").read_text(encoding="utf-8")
        local = Sandbox(self.box.program, self.box.rtl, self.box.folder / "local")
        self.equal("status of a local run", local.run(size="reduced")[0], 0)
        other = (local.folder / "build" / "report" / "study-small.html").read_text(encoding="utf-8")
        self.equal(
            "page, but for the folder that its command names",
            other.replace(str(local.folder), str(self.box.folder)) == page,
            True,
        )
        self.equal("what is left", list((self.box.folder / "build" / "study").glob("*.slurm")), [])
        self.equal("runs of a study that is done", self.box.study()[1], (6, 0, 0))

    def test_a_killed_node_loses_and_repeats_nothing(self):
        self.box.chunk = "180"  # two tasks of three points, each of which is taken for a minute
        self.box.stopped()
        with self.box.begin() as process:
            self.box.held(process)
            self.box.slurm.node_off()
            self.box.go()
            self.box.slurm.must("slurmd")
            self.box.slurm.wait_for_node()
            _, err = process.communicate(timeout=300)
        self.equal("status, runs", (process.returncode, self.box.count(err)), (0, (6, 6, 0)))
        self.equal("tasks, runs in all", ("of 2 tasks" in err, self.box.runs()), (True, 6))

    def test_a_cancelled_array_goes_on(self):
        self.box.stopped()
        with self.box.begin() as process:
            self.box.held(process)
            self.box.slurm.call("scancel", "--me")
            self.box.go()
            _, err = process.communicate(timeout=300)
        said = re.search(r"found (\d+) points without a result: .*CANCELLED", err)
        self.equal("status, what is said", (process.returncode, said is not None), (1, True))
        left, before = int(said[1]), self.box.runs()
        self.equal("status, runs of the same command", self.box.study()[:2], (0, (6, left, 0)))
        self.equal("runs", self.box.runs() - before, left)

    def test_a_killed_study_takes_its_array_up_again(self):
        self.box.stopped()
        with self.box.begin() as process:
            self.box.held(process)
            process.kill()
        self.box.go()
        status, count, err = self.box.study()
        self.equal("status, failed, another array", (status, count[2], "are array" in err), (0, 0, False))
        self.equal("runs", self.box.runs(), 6)

    def test_a_full_disk_is_named(self):
        """sbatch with a limit on the size of files, which Slurm hands to the tasks: no outcome can be written."""
        status, _, err = self.box.study(
            env=with_command(self.box, "sbatch", f"ulimit -f 4\nexec {shutil.which('sbatch')} \"$@\"")
        )
        self.equal(
            "status, what is said",
            (status, "found 6 points without a result: 6 FAILED" in err and "File too large: the outcome of" in err),
            (1, True),
        )
        self.equal("files left", list(self.box.folder.glob("build/study/small.slurm/*/results/*")), [])
        self.equal("status, runs of the same command", self.box.study()[:2], (0, (6, 6, 0)))

    def test_a_slurm_that_refuses_is_named(self):
        status, _, err = self.box.study(env=with_command(self.box, "sbatch", "echo no such partition >&2; exit 1"))
        self.equal(
            "sbatch",
            (
                status,
                "study: EXECUTOR=slurm: sbatch: no such partition, expected an array of 6 tasks to be accepted" in err,
            ),
            (1, True),
        )
        self.equal("arrays left", list(self.box.folder.glob("build/study/small.slurm/*")), [])
        slow = Executor(None, self.box.folder, "small", None, 1, poll=0.05)
        path, os.environ["PATH"] = (
            os.environ["PATH"],
            with_command(self.box, "squeue", "echo no contact >&2; exit 1")["PATH"],
        )
        slurm.PATIENCE, patience = 0.2, slurm.PATIENCE
        try:
            slow.under_way()
            raise AssertionError("a controller that does not answer: waited for no longer, but no error")
        except Bad as e:
            self.equal("squeue", "found no answer of Slurm's controller for 0.2 s (no contact)" in str(e), True)
        finally:
            os.environ["PATH"], slurm.PATIENCE = path, patience

    def test_failures_are_those_of_a_local_run(self):
        self.box.file.write_text(GOOD.replace("l1d.latency = 10", "l1d.latency = 10, sim.max_cycles = 5"))
        self.equal("status, runs", self.box.study()[:2], (1, (6, 6, 2)))
        self.equal("run again", self.box.study()[:2], (1, (6, 2, 2)))
        no_slurm = dict(os.environ, PATH="/usr/bin/nothing")
        shutil.rmtree(self.box.folder / "build")
        status, _, err = self.box.study(env=no_slurm)
        self.equal(
            "without Slurm",
            (status, "study: EXECUTOR=slurm: found no squeue on the PATH, expected Slurm's commands" in err),
            (1, True),
        )

    def test_rtl_is_taken_along(self):
        self.box.file.write_text(WITH_RTL)
        status, count, err = self.box.study(size="tiny")
        self.equal("status, runs", (status, count, err if status else ""), (0, (8, 8, 0), ""))


def all_tests():
    folder = pathlib.Path(sys.argv[3]).absolute()
    shutil.rmtree(folder, ignore_errors=True)
    Executed.cluster = Slurm(folder / "slurm")
    try:
        Executed.cluster.start()
        return main("slurm-selftest", Executed)
    except Unable as e:
        print(f"slurm-selftest: skipped: Slurm cannot start here: {e}")
        return 0
    finally:
        Executed.cluster.stop()


if __name__ == "__main__":
    sys.exit(all_tests())
