"""A stand-in for a model, on 127.0.0.1: it runs the commands that a test gives it, one by one.

A test asks for a command, and the agent's next request is answered with it; the request after
that brings the result. Until there is a next command, or the end, the agent waits for its model.
"""

from __future__ import annotations

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from typing import Any
from urllib.parse import urlsplit

from clients import wire

SHELLS = ("Bash", "exec_command", "run_shell_command", "bash")  # how agents call their shell
GOING_ON = re.compile(r"running with session ID (\d+)")  # Codex, of a command that takes long
PATHS = {
    "/v1/messages": wire.MESSAGES,
    "/v1/responses": wire.RESPONSES,
    "/v1/chat/completions": wire.CHAT,
}


class Call:
    """A command that the model asks for, and what it is told of it."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.pieces: list[str] = []
        self.done = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Model:
    """One conversation, and the server that it is held with."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.changed = Condition()
        self._ended = False
        self._server = _Server(self)
        self._thread = Thread(target=self._server.serve_forever, args=[0.02])
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def ask(self, command: str) -> Call:
        """Have the agent run a command next."""
        with self.changed:
            self.calls.append(Call(command))
            self.changed.notify_all()
            return self.calls[-1]

    def end(self) -> None:
        """Say farewell to the agent when it has told the last result."""
        with self.changed:
            self._ended = True
            self.changed.notify_all()

    def close(self) -> None:
        """End the server. The agent must be gone."""
        self.end()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, asked: wire.Asked) -> wire.Move | None:
        """What the model does next; waits until there is something to do."""
        tool = next((name for name in SHELLS if name in asked.tools), None)
        if tool is None:
            return None  # a title, a summary
        with self.changed:
            number = 0
            for id, text in asked.results:
                number, poll = map(int, id.split("_")[1:])
                call = self.calls[number]
                if poll == len(call.pieces):
                    call.pieces.append(text)
                if going_on := GOING_ON.search(text):
                    session = int(going_on[1])
                    move = {"session_id": session, "chars": ""}
                    next_move = wire.Move(wire.call_id(number, poll + 1), "write_stdin", move)
                else:
                    call.done = True
                    next_move = None
                number += 1
            self.changed.notify_all()
            if asked.results and next_move:
                return next_move
            self.changed.wait_for(lambda: self._ended or len(self.calls) > number)
            if len(self.calls) <= number:
                return None
            command = self.calls[number].command
        known = asked.tools[tool]
        given = {"command": command, "cmd": command, "description": "d", "is_background": False}
        return wire.Move(
            wire.call_id(number), tool, {key: given[key] for key in given if key in known}
        )


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self, model: Model) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # an agent that was killed
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = urlsplit(self.path).path
        protocol, stream = PATHS.get(path), bool(body.get("stream"))
        if path.endswith((":generateContent", ":streamGenerateContent")):
            protocol, stream = wire.GEMINI, "stream" in path
        if protocol is None:
            return self._reply(404, wire.Answer("application/json", b"{}"))
        move = self.server.model.answer(protocol.read(body))
        return self._reply(200, protocol.write(move, stream))

    def do_GET(self) -> None:
        self._reply(404, wire.Answer("application/json", b"{}"))

    def do_HEAD(self) -> None:
        self._reply(404, wire.Answer("application/json", b""))

    def _reply(self, status: int, answer: wire.Answer) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)
        except ConnectionError:
            self.close_connection = True  # the agent is gone

    def log_message(self, *_: Any) -> None:
        pass
