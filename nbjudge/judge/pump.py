"""A kernel's messages: run a cell, collect its output, and detect when it has ended or died.

The kernel is a learner's process. Its messages are bounded in size, number and time, are accepted
only in reply to a request, and are never treated as more than text.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Protocol

import zmq
from jupyter_client.session import Session, json_unpacker
from nbformat import NotebookNode

from nbjudge.judge.endings import DIED, FAILED, FLOODED, OUT_OF_TIME
from nbjudge.report.outputs import output

#: Maximum size of a message in bytes; a longer one closes the connection.
MESSAGE_BYTES = 16 << 20

#: Seconds between checks on a silent kernel.
LOOK_SECONDS = 0.1

#: While a kernel waits for a processor, a cell is extended by this many times its limit at most.
PATIENCE = 5

#: Seconds that an interrupted kernel has to become idle.
REST_SECONDS = 2.0

#: A cell is stopped if its output is this many times what is kept, or if it shows this many
#: displays. Printed text may come in any number of pieces.
FLOOD, DISPLAYS = 8, 2000

#: Bytes that each output counts in addition to its content, so that empty ones are not free.
EACH = 200

OK = "ok"


class Kernel(Protocol):
    """What a kernel must provide: how to reach it, and whether it is alive."""

    connection: dict[str, Any]

    def alive(self) -> bool:
        """Whether it is still running."""

    def waited(self) -> float:
        """Seconds that it has waited for a processor."""


@dataclass
class CellRun:
    """The result of running a cell.

    ``how`` is ``"ok"``, ``"failed"`` (with an error), ``"out of time"``, ``"flooded"`` or
    ``"died"``; ``rests`` says whether the kernel can run more, ``cut`` whether output is missing,
    ``flood`` which share of the output limit the cell used.
    """

    how: str
    outputs: list[NotebookNode] = field(default_factory=list)
    rests: bool = True
    cut: bool = False
    flood: float = 0.0


class Pump:
    """Talks to one kernel.

    Parameters
    ----------
    kernel:
        The kernel; it may still be starting.
    output_bytes:
        Maximum number of bytes of one cell's output that are kept.
    """

    def __init__(self, kernel: Kernel, output_bytes: int):
        self.kernel, self.output_bytes = kernel, output_bytes
        connection = kernel.connection
        self.session = Session(
            key=connection["key"].encode(), signature_scheme=connection["signature_scheme"],
            username="judge", unpack=_undated,
        )  # fmt: skip
        self.context = zmq.Context()
        self.shell = self._socket(zmq.DEALER, connection, "shell_port")
        self.control = self._socket(zmq.DEALER, connection, "control_port")
        self.iopub = self._socket(zmq.SUB, connection, "iopub_port")
        self.poller = zmq.Poller()
        self.poller.register(self.shell, zmq.POLLIN)
        self.poller.register(self.iopub, zmq.POLLIN)

    def _socket(self, kind: int, connection: dict[str, Any], port: str) -> zmq.Socket:
        made = self.context.socket(kind)
        made.setsockopt(zmq.LINGER, 0)
        made.setsockopt(zmq.MAXMSGSIZE, MESSAGE_BYTES)
        # Together with the message size this bounds the judge's memory that a kernel can fill.
        made.setsockopt(zmq.RCVHWM, 16)
        # The kernel may not be listening yet.
        made.setsockopt(zmq.RECONNECT_IVL, 5)
        made.setsockopt(zmq.RECONNECT_IVL_MAX, 50)
        if kind == zmq.SUB:
            made.setsockopt(zmq.SUBSCRIBE, b"")
        else:
            made.setsockopt(zmq.IDENTITY, self.session.bsession)
        made.connect(f"{connection['transport']}://{connection['ip']}-{connection[port]}")
        return made

    def close(self) -> None:
        """Close the connections."""
        self.context.destroy(linger=0)

    # -- what is asked ---------------------------------------------------------------------------

    def ready(self, seconds: float) -> bool:
        """Wait until the kernel answers and its output arrives; returns whether it does."""
        deadline = monotonic() + seconds
        asked = self._send("kernel_info_request", {})
        answered = heard = False
        while monotonic() < deadline:
            for channel, message in self._messages(min(LOOK_SECONDS, deadline - monotonic())):
                heard |= channel is self.iopub
                answered |= channel is self.shell and _parent(message) == asked
            if answered and heard:
                return True
            if answered:  # its first output came before we were subscribed
                asked, answered = self._send("kernel_info_request", {}), False
            if not self.kernel.alive():
                return False
        return False

    def start(self, source: str) -> str:
        """Start code that has no output, without waiting for it; returns the request's id."""
        content = {"code": source, "silent": True, "store_history": False}
        return self._execute(content)

    def ended(self, number: str, seconds: float) -> bool:
        """Wait for a started request to end; returns whether it has."""
        deadline = monotonic() + seconds
        while True:
            for channel, message in self._messages(min(LOOK_SECONDS, deadline - monotonic())):
                if channel is self.shell and _parent(message) == number:
                    return True
            if monotonic() >= deadline or not self.kernel.alive():
                return False

    def waits_for(self, sock: socket.socket, seconds: float) -> bool:
        """Wait briefly until ``sock`` is readable, discarding the kernel's output."""
        self.poller.register(sock, zmq.POLLIN)
        try:
            for ready, _ in self.poller.poll(int(max(0, min(seconds, 10 * LOOK_SECONDS)) * 1000)):
                if ready == sock.fileno():
                    return True
        finally:
            self.poller.unregister(sock)
        self._messages(0)
        return False

    def run(self, source: str, seconds: float, flood: float = 1.0) -> CellRun:
        """Run a cell and wait for its end.

        It may take this many seconds and use this share of the output limit.
        """
        deadline = monotonic() + seconds
        number = self._execute({"code": source, "silent": False, "store_history": True})
        collected = CellOutputs(self.output_bytes)
        replied = idle = False
        how, ends, given, before = OK, deadline, 0.0, self.kernel.waited()
        while not (replied and idle):
            left = ends - monotonic()
            if left <= 0:
                if replied:  # its last output was lost
                    break
                more = min(self.kernel.waited() - before, PATIENCE * seconds) - given
                if how == OK and more > LOOK_SECONDS:
                    ends, given = monotonic() + more, given + more
                    continue
                if how in (OUT_OF_TIME, FLOODED):
                    return CellRun(how, collected.outputs, rests=False, flood=collected.flood)
                how, ends = OUT_OF_TIME, monotonic() + REST_SECONDS
                self._send("interrupt_request", {}, self.control)
                continue
            for channel, message in self._messages(min(LOOK_SECONDS, left)):
                if _parent(message) != number:
                    continue
                if channel is self.shell:
                    replied = True
                    how = FAILED if how == OK and _status(message) != "ok" else how
                    ends = min(ends, monotonic() + 1.0)
                elif message["msg_type"] == "status":
                    idle = message["content"].get("execution_state") == "idle"
                else:
                    collected.take(message["msg_type"], message["content"])
            if not replied and not self.kernel.alive():
                return CellRun(DIED, collected.outputs, rests=False, flood=collected.flood)
            if collected.flood > flood and how == OK and not replied:
                how, ends = FLOODED, monotonic() + REST_SECONDS
                self._send("interrupt_request", {}, self.control)
        if not idle:
            self._hear_again()
        cut = not idle or collected.size > self.output_bytes
        return CellRun(how, collected.outputs, cut=cut, flood=collected.flood)

    def _hear_again(self) -> None:
        """Reconnect to the kernel's output after an oversized message closed the connection."""
        self.poller.unregister(self.iopub)
        self.iopub.close()
        self.iopub = self._socket(zmq.SUB, self.kernel.connection, "iopub_port")
        self.poller.register(self.iopub, zmq.POLLIN)
        self.ready(REST_SECONDS)

    # -- messages --------------------------------------------------------------------------------

    def _execute(self, content: dict[str, Any]) -> str:
        content |= {"user_expressions": {}, "allow_stdin": False, "stop_on_error": False}
        return self._send("execute_request", content)

    def _send(self, kind: str, content: dict[str, Any], channel: zmq.Socket | None = None) -> str:
        message = self.session.msg(kind, content)
        frames = self.session.serialize(message)
        with suppress(zmq.Again):  # nothing is listening: it will be found dead or out of time
            (channel or self.shell).send_multipart(frames, zmq.NOBLOCK)
        return message["header"]["msg_id"]

    def _messages(self, seconds: float) -> list[tuple[zmq.Socket, dict[str, Any]]]:
        """The correctly signed, well-formed messages that arrive within this time."""
        messages = []
        for channel, _ in self.poller.poll(int(max(0, seconds) * 1000)):
            size = 0
            for _ in range(100):
                if size > MESSAGE_BYTES:
                    break
                try:
                    frames = channel.recv_multipart(zmq.NOBLOCK)
                except zmq.Again:
                    break
                size += sum(map(len, frames))
                if (message := self._read(frames)) is not None:
                    messages.append((channel, message))
        return messages

    def _read(self, frames: list[bytes]) -> dict[str, Any] | None:
        try:
            _, rest = self.session.feed_identities(frames)
            message = self.session.deserialize(rest)
        except Exception:  # forged, or not a message at all
            return None
        content, parent = message.get("content"), message.get("parent_header")
        if type(content) is not dict or type(parent) is not dict:
            return None
        return message if type(message.get("msg_type")) is str else None


class CellOutputs:
    """A cell's outputs in nbformat's form, limited to ``most`` bytes."""

    def __init__(self, most: int):
        self.most, self.size = most, 0
        self.outputs: list[NotebookNode] = []
        self._displays = 0
        self._clear_first = self._full = False

    @property
    def flood(self) -> float:
        """The share of the output limit used so far."""
        return max(self.size / (FLOOD * self.most), self._displays / DISPLAYS)

    def take(self, kind: str, content: dict[str, Any]) -> None:
        """Add the content of one output message."""
        if kind == "clear_output":
            self._clear_first = bool(content.get("wait"))
            if not self._clear_first:
                self.outputs.clear()
            return
        made = self._made(kind, content)
        if made is None:
            return
        self.size += _length(made)
        self._displays += kind == "display_data"
        if self._clear_first:
            self.outputs.clear()
            self._clear_first = False
        if self.size > self.most and (kind != "error" or self._full):
            return
        self._full = self.size > self.most  # one error is still kept after that
        last = self.outputs[-1] if self.outputs else None
        if kind == "stream" and last is not None and last.get("name") == made.name:
            last.text += made.text
        else:
            self.outputs.append(made)

    def _made(self, kind: str, content: dict[str, Any]) -> NotebookNode | None:
        def text(name: str, most: int = self.most) -> str:
            value = content.get(name)
            return value[:most] if type(value) is str else ""

        if kind == "stream":
            name = "stderr" if content.get("name") == "stderr" else "stdout"
            return output("stream", name=name, text=text("text"))
        if kind == "error":
            lines = content.get("traceback")
            lines = lines if type(lines) is list else []
            shown = [line[: self.most] for line in lines[:100] if type(line) is str]
            return output(
                "error", ename=text("ename", 200), evalue=text("evalue", 5000), traceback=shown
            )
        if kind in ("display_data", "execute_result"):
            data = content.get("data")
            data = data if type(data) is dict else {}
            return output(kind, data={k: v for k, v in data.items() if type(v) is str})
        return None


def _undated(part: bytes) -> Any:
    """A part of a message without its date, which is unused and slow to parse."""
    part_read = json_unpacker(part)
    if type(part_read) is dict:
        part_read.pop("date", None)
    return part_read


def _length(made: NotebookNode) -> int:
    data = made.get("data", {})
    lines = made.get("traceback", [])
    texts = [made.get("text", ""), made.get("evalue", ""), *data.values(), *lines]
    return EACH + sum(map(len, texts))


def _parent(message: dict[str, Any]) -> object:
    return message["parent_header"].get("msg_id")


def _status(message: dict[str, Any]) -> object:
    return message["content"].get("status")
