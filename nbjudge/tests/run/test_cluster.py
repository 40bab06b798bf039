"""Many workers: killed, cut off, gone for good. What is judged is judged once."""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from types import SimpleNamespace

import pytest
from around import AROUND, the_course
from command_line import table_in
from small_set import NAME, SANDBOXED, answered, grade, hand_in

from nbjudge.failure import GradingFailed
from nbjudge.run import bench, cluster, engine, judging
from nbjudge.run.bench import Outcome, RunSettings
from nbjudge.run.judging import judge_all, unless_broken
from nbjudge.store.ledger import Ledger
from nbjudge.store.record import Record

pytestmark = pytest.mark.thorough("grading of small classes")


def a_class(folder, course, count):
    for number in range(count):
        wrong = {"double": "double = abs"} if number % 3 == 0 else {}
        hand_in(folder, f"s{number:02}", answered(course, **wrong))


def rows(into):
    return table_in(into / "grades.csv")


# -- without a cluster -----------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["run.preload", "run.engine"])
def test_neither_the_grader_nor_its_workers_load_torch_or_dask(module):
    """Tests and answers run in processes of their own, and one machine needs no cluster."""
    program = f"import sys, nbjudge.{module}\nprint({{'torch', 'dask'}} & {{*sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=AROUND
    )
    assert done.stdout == "set()\n", done.stderr


def test_a_scheduler_without_dask_is_refused_in_a_sentence(small_course, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "nbjudge.run.cluster", raising=False)
    monkeypatch.delattr("nbjudge.run.cluster", raising=False)
    monkeypatch.setitem(sys.modules, "dask", None)
    a_class(tmp_path / "in", small_course, 1)
    with pytest.raises(GradingFailed, match=r"needs Dask, which is not installed.*`cluster`"):
        grade(tmp_path / "in", tmp_path / "out", small_course, scheduler="tcp://127.0.0.1:9")
    assert not (tmp_path / "out").exists()


def test_a_few_are_judged_here_and_a_failure_is_told_with_its_student(monkeypatch):
    class Bench:
        def __init__(self, terms):
            pass

        def judge(self, parcel):
            if parcel == b"bad":
                raise bench.JudgeFailed("no more processes")
            return parcel.upper()

        def end(self):
            pass

    monkeypatch.setattr(judging, "Bench", Bench)
    jobs = [("ada", b"a"), ("bob", b"bad")]
    assert list(judge_all(iter(jobs), RunSettings())) == [
        Outcome("ada", b"A"),
        Outcome("bob", None, "no more processes"),
    ]


def test_a_judge_that_fails_on_everybody_is_not_asked_on_and_on():
    bad = [Outcome(str(n), None, "no torch") for n in range(9)]
    seen = []
    with pytest.raises(GradingFailed, match="The judge does not work on this machine: no torch"):
        seen.extend(unless_broken(bad))
    good = [*bad[:2], Outcome("x", b"1"), *bad[2:]]
    assert list(unless_broken(good)) == good, "where one was judged, it is the submissions"


def test_a_nursery_that_breaks_is_made_anew_once(monkeypatch):
    made = []

    class Nursery:
        def __init__(self, sandboxed, **settings):
            made.append(self)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def start(self):
            pass

    broken = {"left": 1}

    def judge(job, nursery):
        if broken["left"]:
            broken["left"] -= 1
            raise OSError("gone")
        return job

    monkeypatch.setattr(bench, "Nursery", Nursery)
    monkeypatch.setattr(bench, "judge", judge)
    monkeypatch.setattr(bench, "unpack_job", lambda parcel, *files: parcel)
    monkeypatch.setattr(bench, "pack_judged", lambda judged: judged)
    one = bench.Bench(RunSettings())
    assert (one.judge(b"x"), len(made)) == (b"x", 2)
    broken["left"] = 2
    with pytest.raises(bench.JudgeFailed, match="OSError: gone"):
        one.judge(b"x")


@pytest.mark.parametrize("address", ["tcp://10.0.0.7:8786", "10.0.0.7:8786", "ws://judge:8786"])
def test_a_scheduler_elsewhere_without_tls_is_refused(small_course, tmp_path, address):
    """What its workers send back is unpickled."""
    a_class(tmp_path / "in", small_course, 1)
    with pytest.raises(GradingFailed, match=r"which is not encrypted.*--trust-network"):
        grade(tmp_path / "in", tmp_path / "out", small_course, scheduler=address)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "address",
    [
        "tls://10.0.0.7:8786",
        "tcp://127.0.0.1:8786",
        "tcp://[::1]:8786",
        "localhost:8786",
        "gateway://x",
    ],
)
def test_a_scheduler_with_tls_or_on_this_machine_is_not(address):
    cluster.refuse_unencrypted(address)


def test_a_cluster_of_dask_gateway_is_asked_by_its_name(monkeypatch):
    """The gateway knows where the cluster's scheduler is, and has the keys for it."""
    from distributed import LocalCluster

    class Gateway:
        def get_cluster(self, name):
            clusters = {
                "7b4c": SimpleNamespace(scheduler_address=local.scheduler_address, security=None)
            }
            return clusters[name]

    monkeypatch.setitem(sys.modules, "dask_gateway", SimpleNamespace(Gateway=Gateway))
    with LocalCluster(n_workers=0, dashboard_address=None, processes=False) as local:
        with cluster.cluster("gateway://7b4c", RunSettings()) as clusters:
            assert clusters.size() == 0
            assert clusters.client.scheduler.address == local.scheduler_address
        with pytest.raises(GradingFailed, match="no connection could be made: 'other'"):
            cluster.cluster("gateway://other", RunSettings()).__enter__()


def test_a_protocol_that_is_not_named_is_dasks():
    import dask

    with dask.config.set({"distributed.comm.default-scheme": "tls"}):
        cluster.refuse_unencrypted("10.0.0.7:8786")


def test_a_network_may_be_trusted(small_course, tmp_path, monkeypatch):
    def judge_all(jobs, terms, scheduler, **given):
        raise GradingFailed(f"{scheduler} was asked")

    monkeypatch.setattr(engine, "judge_all", judge_all)
    a_class(tmp_path / "in", small_course, 1)
    address = {"scheduler": "tcp://10.0.0.7:8786", "trust_network": True}
    with pytest.raises(GradingFailed, match=r"7:8786 was asked"):
        grade(tmp_path / "in", tmp_path / "out", small_course, **address)


def test_tls_without_certificates_says_which_is_missing(small_course, tmp_path):
    import dask

    a_class(tmp_path / "in", small_course, 1)
    address = {"scheduler": "tls://127.0.0.1:9"}
    missing = r"TLS__CA_FILE is not set; .*TLS__CLIENT__CERT is not set; .*CLIENT__KEY is not set"
    with pytest.raises(GradingFailed, match=missing):
        grade(tmp_path / "in", tmp_path / "out", small_course, **address)
    named = {"ca-file": str(tmp_path / "nosuch.pem"), "client.cert": __file__}
    with (
        dask.config.set({f"distributed.comm.tls.{name}": file for name, file in named.items()}),
        pytest.raises(GradingFailed, match=r"nosuch\.pem', and there is no.*KEY is not set"),
    ):
        grade(tmp_path / "in", tmp_path / "out", small_course, **address)


def test_a_class_is_graded_over_tls_with_the_pages_certificates(
    one_nursery, small_course, tmp_path, monkeypatch
):
    """The page's commands make certificates that Dask takes."""
    page = (the_course() / "book" / "teach-elsewhere.md").read_text("utf-8")
    commands = [line for line in page.splitlines() if line.startswith("openssl ")]
    assert len(commands) == 2
    for command in commands:
        made = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
        if made.returncode:
            pytest.skip(f"this machine's OpenSSL is older: {made.stderr.splitlines()[-1]}")
    import dask
    from distributed import LocalCluster
    from distributed.security import Security

    own = {"tls_ca_file": str(tmp_path / "ca.pem"), "require_encryption": True}
    for role in ("scheduler", "worker", "client"):
        own |= {f"tls_{role}_{kind}": str(tmp_path / f"me.{end}")
                for kind, end in (("cert", "pem"), ("key", "key"))}  # fmt: skip
    a_class(tmp_path / "in", small_course, 2)
    settings = {"ca-file": "ca.pem", "client.cert": "me.pem", "client.key": "me.key"}
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, memory_limit=0,
                     protocol="tls", security=Security(**own)) as workers,
        dask.config.set({f"distributed.comm.tls.{k}": str(tmp_path / v)
                         for k, v in settings.items()}),
    ):  # fmt: skip
        assert workers.scheduler_address.startswith("tls://")
        grade(tmp_path / "in", tmp_path / "out", small_course,
              scheduler=workers.scheduler_address)  # fmt: skip
    assert [row["score"] for row in rows(tmp_path / "out")] == ["5", "10"]


def test_the_ledger_keeps_what_was_finished_while_it_is_queued_again(tmp_path):
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.finish("ps", "ada", "k1", 1, Record(digest="d"))
        ledger.queue("ps", "ada", "k2", 2)
        ledger.judged("ps", "ada", b"result")
        entry = ledger.entry("ps", "ada")
        assert (entry.key, entry.state, entry.seed, entry.record) == (
            "k2",
            "judged",
            2,
            Record(digest="d"),
        )
        assert ledger.result("ps", "ada") == b"result"
        ledger.queue("ps", "ada", "k3", 3)
        assert ledger.result("ps", "ada") is None, "a result of other work is dropped"
        assert ledger.entry("other", "ada").state == ""
        assert ledger.fact("x") == ""
        ledger.note("x", "1")
    with Ledger(tmp_path / "ledger.db") as ledger:
        assert ledger.fact("x") == "1"


# -- workers here ----------------------------------------------------------------------------------


@pytest.mark.thorough("test of kills")
def test_killed_now_and_then_everybody_is_graded_once(small_course, tmp_path):
    """The script's small version: kills of the process that grades, and of its workers."""
    a_class(tmp_path / "in", small_course, 12)
    script = the_course() / "benchmarks" / "grading_kills.py"
    command = [sys.executable, "-P", str(script), "--quick", "--problem-set", NAME]
    command += ["--course", str(small_course), "--submitted", str(tmp_path / "in")]
    command += [] if SANDBOXED else ["--no-sandbox"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.thorough("test of kills")
def test_a_submission_that_takes_its_worker_along_is_given_up_and_the_others_go_on(
    one_nursery, small_course, tmp_path
):
    """As it would be if one crashed the judge itself: nothing that a learner should be able to."""
    spec = importlib.util.find_spec("nbjudge.run.bench")
    assert spec is not None
    a_class(tmp_path / "in", small_course, 4)
    folder = tmp_path / "deadly"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import os\n"
        "def deadly(parcel, *files):\n"
        "    from nbjudge.run.parcels import unpack_job\n"
        "    job = unpack_job(parcel, *files)\n"
        "    if job.student == 's02':\n"
        "        os._exit(1)\n"
        "    return job\n"
        "import importlib.abc, importlib.machinery, sys\n"
        "class Loader(importlib.machinery.SourceFileLoader):\n"
        "    def exec_module(self, module):\n"
        "        super().exec_module(module)\n"
        "        module.unpack_job = deadly\n"
        "class Finder(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name != 'nbjudge.run.bench':\n"
        "            return None\n"
        "        spec = importlib.machinery.PathFinder.find_spec(name, path)\n"
        "        spec.loader = Loader(name, spec.origin)\n"
        "        return spec\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    # By a process of its own: workers of this one may have been loaded long since.
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from small_set import grade
from nbjudge.run import judging
if __name__ == "__main__":
    judging.RETRIES = 1
    folder = Path({str(tmp_path)!r})
    report = grade(folder / "in", folder / "out", Path({str(small_course)!r}), workers=2)
    print(report.unfinished, report.students["s02"].flags[0])
    print([s.score for name, s in report.students.items() if name != "s02"])
"""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )
    unfinished, scores = done.stdout.splitlines()[-2:]
    assert unfinished.startswith("['s02'] could not be graded"), done.stdout + done.stderr
    assert scores == "[5.0, 10.0, 5.0]"
    report = grade(tmp_path / "in", tmp_path / "out", small_course)
    assert (report.executed, report.students["s02"].score) == (["s02"], 10)


# -- workers elsewhere -----------------------------------------------------------------------------


def run(*command, check=True):
    return subprocess.run(command, check=check, capture_output=True, text=True)


@pytest.fixture
def hosts():
    """Two network namespaces, each joined to this one by a cable: as good as two machines.

    Gives their names, this side's addresses and this side's ends of the cables.
    """
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("needs root and `ip` to make two network namespaces")
    tag = uuid.uuid4().hex[:5]
    made = []
    try:
        for number in (1, 2):
            name, net = f"tfc{tag}{number}", f"10.{200 + number}.{int(tag[:2], 16)}"
            here, there = f"h{tag}{number}", f"t{tag}{number}"
            try:
                run("ip", "netns", "add", name)
                made.append(name)
                run("ip", "link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
                run("ip", "addr", "add", f"{net}.1/24", "dev", here)
                run("ip", "link", "set", here, "up")
                inside = ("ip", "-n", name)
                run(*inside, "addr", "add", f"{net}.2/24", "dev", there)
                run(*inside, "link", "set", there, "up")
                run(*inside, "link", "set", "lo", "up")
            except subprocess.CalledProcessError as error:
                pytest.skip(f"no network namespaces here: {error.stderr.strip()}")
        yield [
            (name, f"10.{200 + n}.{int(tag[:2], 16)}", f"h{tag}{n}")
            for n, name in enumerate(made, 1)
        ]
    finally:
        for name in made:
            run("ip", "netns", "del", name, check=False)


@pytest.mark.thorough("test of kills")
def test_two_hosts_and_one_is_cut_off(one_nursery, hosts, small_course, tmp_path):
    a_class(tmp_path / "in", small_course, 8)
    alone = grade(tmp_path / "in", tmp_path / "alone", small_course, seed=1)
    environment = {
        **os.environ,
        # That a host is gone is to be noticed soon.
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s",
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "8s",
        "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "12s",
        "PYTHONPATH": os.pathsep.join([str(AROUND), os.environ.get("PYTHONPATH", "")]),
        "NBJUDGE_COURSE": str(AROUND),  # they are started in another folder
    }
    dask = [sys.executable, "-P", "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    port = 20000 + os.getpid() % 20000
    started = []
    try:
        scheduler = ["scheduler", "--host", "0.0.0.0", "--port", str(port), "--no-dashboard"]
        started.append(subprocess.Popen([*dask, *scheduler], env=environment, **quiet))
        for name, net, _ in hosts:
            worker = ["worker", f"tcp://{net}.1:{port}", "--host", f"{net}.2", "--no-dashboard"]
            worker += ["--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path / name)]
            inside = ["ip", "netns", "exec", name]
            started.append(subprocess.Popen([*inside, *dask, *worker], env=environment, **quiet))
        address = f"tcp://127.0.0.1:{port}"
        from distributed import Client

        with Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        cut = []

        def cut_off(done, total, student):
            if done == 2 and not cut:
                cut.append(hosts[1][2])
                run("ip", "link", "set", hosts[1][2], "down")

        report = grade(
            tmp_path / "in",
            tmp_path / "out",
            small_course,
            seed=1,
            scheduler=address,
            progress=cut_off,
        )
        assert cut
        assert report.unfinished == []
        assert sorted(report.executed) == sorted(alone.executed)
        assert rows(tmp_path / "out") == rows(tmp_path / "alone")
    finally:
        for process in reversed(started):
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
            process.wait()


@pytest.mark.thorough("test of kills")
def test_workers_gone_for_good_end_the_run_and_lose_nothing(
    one_nursery, small_course, tmp_path, monkeypatch
):
    a_class(tmp_path / "in", small_course, 8)
    monkeypatch.setattr(cluster, "PATIENCE", 3.0)
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, memory_limit=0
    ) as workers:

        def gone(done, total, student):
            if done == 3:
                workers.scale(0)

        began = time.monotonic()
        with pytest.raises(GradingFailed, match="Finished work is kept"):
            grade(
                tmp_path / "in",
                tmp_path / "out",
                small_course,
                scheduler=workers.scheduler_address,
                progress=gone,
            )
        assert time.monotonic() - began < 300
    with Ledger(tmp_path / "out" / "ledger.db") as ledger:
        finished = [n for n, e in ledger.entries(NAME).items() if e.state == "finished"]
    assert 3 <= len(finished) < 8
    report = grade(tmp_path / "in", tmp_path / "out", small_course)
    assert not set(report.executed) & set(finished)
    assert {s.score for s in report.students.values()} == {5, 10}
