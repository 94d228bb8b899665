# SPDX-License-Identifier: Apache-2.0
"""EXECUTOR=slurm against a real Slurm of one node, which this starts in its own folder (slurm-wlm and munge of Debian, as root).

python3 -B -m scripts.study.slurm_selftest PROGRAM RTL-PROGRAM FOLDER.  One line a test; exit status 1 if any fails.  Where Slurm cannot start: a line that says why, and 0.
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
from scripts.study.selftest import GOOD, WITH_RTL, Sandbox, expect
from scripts.study.slurm import Executor

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
        self.must("munged", f"--key-file={f}/munge.key", f"--socket={f}/munge.socket", f"--pid-file={f}/munge.pid", f"--log-file={f}/munge.log",
                  f"--seed-file={f}/munge.seed", "--force")
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
            until(f"the end of {name}", lambda: not pathlib.Path(f"/proc/{pid}").exists(), 20)
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
            if mine in environment and (name.startswith("slurmstepd") or any(v.startswith(b"SLURM_JOB_ID=") for v in environment)):
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
        pathlib.Path(self.program).write_text(f"""#!/bin/bash
case $1 in run)
    while [ -e {folder}/stop ] && [ $(wc -l < {folder}/runs.log) -ge 2 ]; do sleep 0.1; done
    echo "$@" >> {folder}/runs.log;;
esac
exec {program} "$@"
""")
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
        return subprocess.Popen(self.command(size=size), env=self.slurm.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def study(self, size="reduced", env=None):
        """(exit status, runs of the study as (all, now, failed) or None, standard error)"""
        done = subprocess.run(self.command(size=size), env=env or self.slurm.env, capture_output=True, text=True, check=False, timeout=300)
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


def gives_what_a_local_run_gives(box):
    status, count, err = box.study()
    expect("status, runs", (status, count), (0, (6, 6, 0)))
    expect("tasks", "6 points are array" in err and "of 6 tasks" in err, True)
    page = (box.folder / "build" / "report" / "study-small.html").read_text(encoding="utf-8")
    local = Sandbox(box.program, box.rtl, box.folder / "local")
    expect("status of a local run", local.run(size="reduced")[0], 0)
    other = (local.folder / "build" / "report" / "study-small.html").read_text(encoding="utf-8")
    expect("page, but for the folder that its command names", other.replace(str(local.folder), str(box.folder)) == page, True)
    expect("what is left", list((box.folder / "build" / "study").glob("*.slurm")), [])
    expect("runs of a study that is done", box.study()[1], (6, 0, 0))
    return "the same page; 6 points, 6 tasks"


def a_killed_node_loses_and_repeats_nothing(box):
    box.chunk = "180"  # two tasks of three points, each of which is taken for a minute
    box.stopped()
    with box.begin() as process:
        box.held(process)
        box.slurm.node_off()
        box.go()
        box.slurm.must("slurmd")
        box.slurm.wait_for_node()
        _, err = process.communicate(timeout=300)
    expect("status, runs", (process.returncode, box.count(err)), (0, (6, 6, 0)))
    expect("tasks, runs in all", ("of 2 tasks" in err, box.runs()), (True, 6))
    return "both tasks ran again, for the points that they had not run"


def a_cancelled_array_goes_on(box):
    box.stopped()
    with box.begin() as process:
        box.held(process)
        box.slurm.call("scancel", "--me")
        box.go()
        _, err = process.communicate(timeout=300)
    said = re.search(r"found (\d+) points without a result: .*CANCELLED", err)
    expect("status, what is said", (process.returncode, said is not None), (1, True))
    left, before = int(said[1]), box.runs()
    expect("status, runs of the same command", box.study()[:2], (0, (6, left, 0)))
    expect("runs", box.runs() - before, left)
    return f"cancelled with {left} of 6 left, {left} run afterwards"


def a_killed_study_takes_its_array_up_again(box):
    box.stopped()
    with box.begin() as process:
        box.held(process)
        process.kill()
    box.go()
    status, count, err = box.study()
    expect("status, failed, another array", (status, count[2], "are array" in err), (0, 0, False))
    expect("runs", box.runs(), 6)
    return "6 runs of 6 points in all"


def a_full_disk_is_named(box):
    """sbatch with a limit on the size of files, which Slurm hands to the tasks: no outcome can be written."""
    status, _, err = box.study(env=with_command(box, "sbatch", f"ulimit -f 4\nexec {shutil.which('sbatch')} \"$@\""))
    expect("status, what is said", (status, "found 6 points without a result: 6 FAILED" in err and "File too large: the outcome of" in err), (1, True))
    expect("files left", list(box.folder.glob("build/study/small.slurm/*/results/*")), [])
    expect("status, runs of the same command", box.study()[:2], (0, (6, 6, 0)))
    return "each task says so, nothing is half-written"


def a_slurm_that_refuses_is_named(box):
    status, _, err = box.study(env=with_command(box, "sbatch", "echo no such partition >&2; exit 1"))
    expect("sbatch", (status, "study: EXECUTOR=slurm: sbatch: no such partition, expected an array of 6 tasks to be accepted" in err), (1, True))
    expect("arrays left", list(box.folder.glob("build/study/small.slurm/*")), [])
    slow = Executor(None, box.folder, "small", None, 1, poll=0.05)
    path, os.environ["PATH"] = os.environ["PATH"], with_command(box, "squeue", "echo no contact >&2; exit 1")["PATH"]
    slurm.PATIENCE, patience = 0.2, slurm.PATIENCE
    try:
        slow.under_way()
        raise AssertionError("a controller that does not answer: waited for no longer, but no error")
    except Bad as e:
        expect("squeue", "found no answer of Slurm's controller for 0.2 s (no contact)" in str(e), True)
    finally:
        os.environ["PATH"], slurm.PATIENCE = path, patience
    return "sbatch, and a controller without an answer"


def failures_are_those_of_a_local_run(box):
    box.file.write_text(GOOD.replace("l1d.latency = 10", "l1d.latency = 10, sim.max_cycles = 5"))
    expect("status, runs", box.study()[:2], (1, (6, 6, 2)))
    expect("run again", box.study()[:2], (1, (6, 2, 2)))
    no_slurm = dict(os.environ, PATH="/usr/bin/nothing")
    shutil.rmtree(box.folder / "build")
    status, _, err = box.study(env=no_slurm)
    expect("without Slurm", (status, "study: EXECUTOR=slurm: found no squeue on the PATH, expected Slurm's commands" in err), (1, True))
    return "2 of 6; a machine without Slurm"


def rtl_is_taken_along(box):
    box.file.write_text(WITH_RTL)
    status, count, err = box.study(size="tiny")
    expect("status, runs", (status, count, err if status else ""), (0, (8, 8, 0), ""))
    return "8 points, 2 of them with RTL"


TESTS = [gives_what_a_local_run_gives, a_killed_node_loses_and_repeats_nothing, a_cancelled_array_goes_on, a_killed_study_takes_its_array_up_again,
         a_full_disk_is_named, a_slurm_that_refuses_is_named, failures_are_those_of_a_local_run, rtl_is_taken_along]


def main():
    program, rtl, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]).absolute()
    shutil.rmtree(folder, ignore_errors=True)
    cluster, failed = Slurm(folder / "slurm"), 0
    try:
        cluster.start()
        for test in TESTS:
            try:
                print(f"ok    {test.__name__}: {test(Cluster(cluster, program, rtl, folder / test.__name__))}", flush=True)
            except (AssertionError, Unable, OSError, subprocess.TimeoutExpired) as e:
                failed += 1
                print(f"FAIL  {test.__name__}: {e}", flush=True)
        print(f"slurm-selftest: {len(TESTS) - failed} passed, {failed} failed")
    except Unable as e:
        print(f"slurm-selftest: skipped: Slurm cannot start here: {e}")
    finally:
        cluster.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
