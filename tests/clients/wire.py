"""The four ways in which agents talk with their models, as far as shell commands need them.

Each has a reader, which finds in a request what tools are offered and what became of the calls
so far, and a writer of the answer: one tool call, or the end of the conversation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

Json = dict[str, Any]
FAREWELL = "That was all."
USED = {"input_tokens": 1, "output_tokens": 1}


class Move(NamedTuple):
    """A tool call that the model makes."""

    id: str
    tool: str
    given: Json


class Asked(NamedTuple):
    """What a request says: the tools with the names of their arguments, and results by call."""

    tools: dict[str, set[str]]
    results: list[tuple[str, str]]


class Answer(NamedTuple):
    kind: str
    body: bytes


class Protocol(NamedTuple):
    """``write`` is told whether the answer is to be a stream."""

    read: Callable[[Json], Asked]
    write: Callable[[Move | None, bool], Answer]


def plain(content: Any) -> str:
    """The text of a content, however it is wrapped."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(plain, content))
    if isinstance(content, dict):
        found = [content[key] for key in ("text", "content", "output", "error") if key in content]
        return plain(found[:1])
    return ""


def _json(document: Json) -> Answer:
    return Answer("application/json", json.dumps(document).encode())


def _stream(events: Iterable[Json | str], named: bool = False) -> Answer:
    """Server-sent events; where they are named, by their type."""
    text = ""
    for event in events:
        if isinstance(event, dict):
            text += f"event: {event['type']}\n" if named else ""
            event = json.dumps(event)
        text += f"data: {event}\n\n"
    return Answer("text/event-stream", text.encode())


def _tools(schemas: Iterable[tuple[str, Json]]) -> dict[str, set[str]]:
    return {name: set(schema.get("properties", {})) for name, schema in schemas}


# Anthropic Messages


def _read_messages(body: Json) -> Asked:
    blocks = [
        block
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    return Asked(
        _tools((tool["name"], tool.get("input_schema", {})) for tool in body.get("tools", [])),
        [(block["tool_use_id"], plain(block.get("content"))) for block in blocks],
    )


def _write_messages(move: Move | None, stream: bool) -> Answer:
    block: Json = {"type": "text", "text": FAREWELL}
    delta: Json = {"type": "text_delta", "text": FAREWELL}
    if move:
        block = {"type": "tool_use", "id": move.id, "name": move.tool, "input": move.given}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(move.given)}
    empty: Json = {"input": {}} if move else {"text": ""}
    stop = {"stop_reason": "tool_use" if move else "end_turn", "stop_sequence": None}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
        "content": [block], "usage": USED, **stop,
    }  # fmt: skip
    if not stream:
        return _json(message)
    begun = {**message, "content": [], "stop_reason": None}
    events: list[Json] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {**block, **empty}},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": USED},
        {"type": "message_stop"},
    ]
    return _stream(events, named=True)


# OpenAI Responses


def _read_responses(body: Json) -> Asked:
    given = body["input"] if isinstance(body["input"], list) else []
    return Asked(
        _tools((tool.get("name", ""), tool.get("parameters") or {}) for tool in body["tools"]),
        [
            (item["call_id"], plain(item["output"]))
            for item in given
            if item["type"] == "function_call_output"
        ],
    )


def _write_responses(move: Move | None, stream: bool) -> Answer:
    part = {"type": "output_text", "text": FAREWELL, "annotations": []}
    item: Json = {"type": "message", "id": "m", "role": "assistant", "content": [part]}
    if move:
        given = {"name": move.tool, "arguments": json.dumps(move.given)}
        item = {"type": "function_call", "id": move.id, "call_id": move.id, **given}
    usage = {**USED, "total_tokens": 2}
    events: list[Json] = [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "output": [item], "usage": usage}},
    ]
    return _stream(events, named=True)


# OpenAI Chat Completions


def _read_chat(body: Json) -> Asked:
    tools = [tool["function"] for tool in body.get("tools") or []]
    told = [message for message in body["messages"] if message["role"] == "tool"]
    return Asked(
        _tools((tool["name"], tool.get("parameters", {})) for tool in tools),
        [(message["tool_call_id"], plain(message["content"])) for message in told],
    )


def _write_chat(move: Move | None, stream: bool) -> Answer:
    message: Json = {"role": "assistant", "content": FAREWELL}
    if move:
        function = {"name": move.tool, "arguments": json.dumps(move.given)}
        call = {"index": 0, "id": move.id, "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    end = "tool_calls" if move else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    base: Json = {"id": "c", "created": 1, "model": "scripted"}
    choice: Json = {"index": 0, "finish_reason": end}
    if not stream:
        base["object"] = "chat.completion"
        return _json({**base, "choices": [{**choice, "message": message}], "usage": usage})
    base["object"] = "chat.completion.chunk"
    first = {"index": 0, "delta": message, "finish_reason": None}
    last = {**choice, "delta": {}}
    return _stream(
        [{**base, "choices": [first]}, {**base, "choices": [last], "usage": usage}, "[DONE]"]
    )


# Gemini


def _read_gemini(body: Json) -> Asked:
    declared = [one for tool in body.get("tools", []) for one in tool["functionDeclarations"]]
    told = [
        part["functionResponse"]["response"]
        for content in body["contents"]
        for part in content.get("parts", [])
        if "functionResponse" in part
    ]
    return Asked(
        _tools((one["name"], one.get("parametersJsonSchema") or {}) for one in declared),
        [(call_id(at), plain(text)) for at, text in enumerate(told)],  # in order, without ids
    )


def _write_gemini(move: Move | None, stream: bool) -> Answer:
    part: Json = {"text": FAREWELL}
    if move:
        part = {"functionCall": {"id": move.id, "name": move.tool, "args": move.given}}
    content = {"role": "model", "parts": [part]}
    document = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}
    return _stream([document]) if stream else _json(document)


def call_id(number: int, poll: int = 0) -> str:
    """The id of the call for a command, or of a later one that asks how it goes on."""
    return f"call_{number}_{poll}"


MESSAGES = Protocol(_read_messages, _write_messages)
RESPONSES = Protocol(_read_responses, _write_responses)
CHAT = Protocol(_read_chat, _write_chat)
GEMINI = Protocol(_read_gemini, _write_gemini)
