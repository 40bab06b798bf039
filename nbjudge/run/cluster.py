"""Judge on a Dask cluster, which is an extra: one machine needs none.

Every machine has the same version of the judge and of the course.
"""

from __future__ import annotations

import atexit
import gc
import itertools
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import SplitResult, urlsplit

import dask
from distributed import Client, WorkerPlugin, get_worker
from distributed.comm import CommClosedError

from nbjudge.failure import GradingFailed
from nbjudge.run.bench import Bench, RunSettings
from nbjudge.store.digests import judge_digest

#: Seconds to wait for a worker to come back if a scheduler has none left.
PATIENCE = 60.0

#: What TLS needs on this machine, by Dask's settings below ``distributed.comm.tls``.
CERTIFICATES = ("ca-file", "client.cert", "client.key")

#: What the address of a cluster of Dask Gateway begins with; the cluster's name follows.
GATEWAY = "gateway://"

#: Maximum number of attempts to register the plugin if a worker is lost meanwhile.
REGISTRATIONS = 5


# -- on the workers --------------------------------------------------------------------------------


class Judging(WorkerPlugin):
    """Brings the terms to each worker, including later ones, and stops its nursery with it."""

    name = "nbjudge"

    def __init__(self, terms: RunSettings):
        self.terms = terms

    def setup(self, worker: Any) -> None:
        """Called on the worker."""
        if self.terms.digest != judge_digest():
            raise RuntimeError(
                f"the worker at {worker.address} has another version of the course: install the "
                "same on all machines, and start workers in the course's folder"
            )
        gc.freeze()  # everything loaded by now stays
        self.bench = Bench(self.terms)
        atexit.register(self.bench.end)

    def teardown(self, worker: Any) -> None:
        """Called on the worker."""
        self.bench.end()


def judge_parcel(parcel: bytes) -> bytes:
    """The task that workers run: judge one job."""
    plugin = get_worker().plugins[Judging.name]
    assert isinstance(plugin, Judging)
    return plugin.bench.judge(parcel)


# -- in the process that grades ------------------------------------------------------------------


@contextmanager
def cluster(scheduler: str, terms: RunSettings) -> Iterator[Cluster]:
    """The cluster at an address, whose workers judge by these terms.

    Raises
    ------
    GradingFailed
        If nothing answers there, or the workers cannot judge.
    """
    logging.getLogger("distributed").propagate = False
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GB"}):
        _require_certificates(scheduler)
        _see_whether_it_answers(scheduler)
        try:
            client = _client(scheduler)
        except Exception as error:
            raise GradingFailed(
                f"scheduler is {scheduler!r}, but no connection could be made: {error}"
            ) from None
        try:
            _teach(client, terms)
            yield Cluster(client)
        finally:
            client.close()


def _client(scheduler: str) -> Client:
    """A client of the scheduler. Dask's settings say where its gateway is, and who asks there."""
    if not scheduler.startswith(GATEWAY):
        return Client(scheduler, timeout=10, set_as_default=False)
    from dask_gateway import Gateway

    cluster = Gateway().get_cluster(scheduler.removeprefix(GATEWAY))
    return Client(
        cluster.scheduler_address, security=cluster.security, timeout=10, set_as_default=False
    )


def _teach(client: Client, terms: RunSettings) -> None:
    """Have every worker, including later ones, judge by these terms.

    If a worker is lost just then, try again: a moment later the scheduler has noticed.
    """
    for left in reversed(range(REGISTRATIONS)):
        try:
            client.register_plugin(Judging(terms))
            return
        except Exception as error:
            if not left or not isinstance(error, CommClosedError):
                raise GradingFailed(f"The workers cannot judge: {error}") from None
            sleep(0.5)


class Cluster:
    """The workers of a scheduler; they may come and go."""

    def __init__(self, client: Client):
        self.client = client
        self.patience: float | None = PATIENCE
        self._keys = (f"judge-{os.getpid()}-{id(self)}-{n}" for n in itertools.count())
        self._since = monotonic()

    def size(self) -> int:
        """The number of threads that judge now."""
        try:
            return sum(self.client.nthreads().values())
        except Exception:
            return 0

    def submit(self, parcel: bytes) -> Any:
        """Have a job judged."""
        return self.client.submit(judge_parcel, parcel, key=next(self._keys), pure=False)

    def look(self) -> None:
        """Wait for workers, but not forever."""
        if self.size():
            self._since = monotonic()
        elif monotonic() - self._since > PATIENCE:
            raise GradingFailed(
                f"There has been no worker for {PATIENCE:.0f} s. Finished work is kept: when "
                "there are workers again, run the same command to continue."
            )


def refuse_unencrypted(scheduler: str) -> None:
    """Refuse an address on another machine without TLS.

    Results are unpickled here: whoever could change them on their way could run code.

    Raises
    ------
    GradingFailed
        If it is one; the message says what to do.
    """
    address = _parts_of(scheduler)
    if address.scheme in ("tls", "wss", "inproc", "gateway") or _is_this_machine(
        address.hostname or ""
    ):
        return
    raise GradingFailed(
        f"scheduler is {scheduler!r}, which is not encrypted: whoever can reach it could run code "
        "on this machine. Use tls:// with certificates, or add --trust-network if the network is "
        "yours alone."
    )


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name
        return False


def _parts_of(scheduler: str) -> SplitResult:
    """The parts of an address, by Dask's own default if it names no protocol."""
    usual = dask.config.get("distributed.comm.default-scheme", "tcp")
    return urlsplit(scheduler if "://" in scheduler else f"{usual}://{scheduler}")


def _require_certificates(scheduler: str) -> None:
    """Refuse an address with TLS if a certificate is not named or not there."""
    if _parts_of(scheduler).scheme != "tls":
        return
    wrong = []
    for setting in CERTIFICATES:
        variable = "DASK_DISTRIBUTED__COMM__TLS__" + setting.replace(".", "__").replace("-", "_")
        file = dask.config.get(f"distributed.comm.tls.{setting}", None)
        if not file:
            wrong.append(f"{variable.upper()} is not set")
        elif not Path(file).is_file():
            wrong.append(f"{variable.upper()} is {str(file)!r}, and there is no such file")
    if wrong:
        raise GradingFailed(
            f"scheduler is {scheduler!r}, and TLS needs certificates: {'; '.join(wrong)}."
        )


def _see_whether_it_answers(scheduler: str) -> None:
    """Refuse an address where nothing listens: Dask would keep trying, and log a lot."""
    address = _parts_of(scheduler)
    if address.scheme not in ("tcp", "tls"):
        return
    try:
        where = address.hostname or "", address.port or 8786
        socket.create_connection(where, timeout=10).close()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise GradingFailed(
            f"scheduler is {scheduler!r}, but nothing answers there ({why}). Start it, or check "
            "the address."
        ) from None
