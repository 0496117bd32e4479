"""The full reader of shell command lines: tree-sitter with its bash grammar."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from hostgate.core.lexer import Unreadable, unquoted
from hostgate.core.shell import CHANGES, SPREAD, Part, bind, changed, expanded, is_assignment

_BASH = Language(tree_sitter_bash.language())

# What begins in the directory around it, and leaves that as it was.
ASIDE = frozenset(["subshell", "command_substitution", "process_substitution"])
GROUPS = frozenset(
    """subshell compound_statement do_group if_statement while_statement for_statement
    c_style_for_statement case_statement""".split()
)
LISTS = frozenset(["list", "redirected_statement", "pipeline"])  # behind them, & is a subshell
COMMANDS = frozenset(["command", "declaration_command", "unset_command", "test_command"])
REDIRECTIONS = frozenset(["file_redirect", "heredoc_redirect", "herestring_redirect"])
PLAIN = frozenset(["word", "number", "raw_string", "variable_name", "comment"])  # hold nothing
WRITING = frozenset([">", ">>", ">|", "&>", "&>>"])


def parts(text: str) -> list[Part] | None:
    """The simple commands of a command line, in order; ``None`` where it does not parse."""
    # The grammar's scanner hands every character to isalnum(), which reads out of its table for
    # one beyond ASCII and can crash. A letter in its place is a word's part as well; the words
    # are taken from the text, where a character is then a byte of the tree.
    plain = text if text.isascii() else "".join([c if c.isascii() else "x" for c in text])
    root = Parser(_BASH).parse(plain.encode()).root_node
    return None if root.has_error else _Walk(text).over(root)


class _Walk:
    """One walk over a tree, in the order of the text; without recursion, so of any depth."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[Part] = []
        self.directory: str | None = ""
        self.last: Part | None = None  # the command that a redirection behind it belongs to
        self.functions: dict[str, Node | None] = {}
        self.nested = False
        self.given: list[str] = []  # what the function around is called with
        self.bound: dict[str, list[str]] = {}
        self.exported: list[str] = []
        self.todo: list[Callable[[], None]] = []  # what is next stands last

    def over(self, root: Node) -> list[Part]:
        self.visit(root, piped=False)
        while self.todo:
            self.todo.pop()()
        return self.parts

    def visit(self, node: Node, piped: bool) -> None:
        kind = node.type
        if kind in COMMANDS:
            self.command(node, piped)
        elif kind in REDIRECTIONS:
            self.redirect(node)
        elif kind == "function_definition":
            name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
            if name is not None and body is not None:
                self.functions[self.of(name)] = body  # it runs where it is called
        elif kind not in PLAIN:
            if kind == "for_statement":
                body = node.child_by_field_name("body")
                ends = body.start_byte if body else node.end_byte
                before = [child for child in node.named_children if child.end_byte <= ends]
                names = [self.word(child) for child in before]
                bind(self.bound, ["for", *names[:1], "in", *names[1:]])
            elif kind == "variable_assignment":
                bind(self.bound, [self.word(node)])
            follows = node.next_sibling
            if kind in LISTS and follows is not None and follows.type == "&":
                self.todo.append(partial(self.back, self.directory, None, self.nested))
            if kind in ASIDE:
                last = None if kind in GROUPS else self.last
                self.todo.append(partial(self.back, self.directory, last, self.nested))
                self.nested = self.nested or kind != "subshell"
            elif kind in GROUPS:
                self.todo.append(self.end_of_group)
            self.inside(node.children, piped)

    def inside(self, nodes: list[Node], piped: bool) -> None:
        """Visit these nodes next, each of those behind a ``|`` as one that reads a pipe."""
        visits = []
        for node in nodes:
            if node.is_named:
                visits.append(partial(self.visit, node, piped))
            piped = piped or node.type in ("|", "|&")
        self.todo += reversed(visits)

    def end_of_group(self) -> None:
        self.last = None  # a redirection of the whole group belongs to none of its commands

    def back(self, directory: str | None, last: Part | None, nested: bool) -> None:
        self.directory, self.last, self.nested = directory, last, nested

    def give(self, words: list[str]) -> None:
        self.given = words

    def command(self, node: Node, piped: bool) -> None:
        words: list[str] = []
        assigned: list[str] = []
        nested: list[Node] = []
        redirections: list[Node] = []
        for child in node.children:
            if child.type in REDIRECTIONS:
                redirections.append(child)
                continue
            assigns = child.type == "variable_assignment" and node.type == "command"
            (assigned if assigns else words).append(self.word(child))
            nested += child.children if assigns else [child]
        part = Part(words, self.directory, node.start_byte)
        part.assigned, part.piped, part.nested = assigned, piped, self.nested
        bind(self.bound, words)
        part.words = words = expanded(part, words, self.bound)
        if node.type == "test_command":
            part.words = words = [word.strip("\"'") for word in self.of(node).split()]
        if words[:1] and words[0] in self.functions:
            if body := self.functions[words[0]]:  # once, however often it is called
                self.functions[words[0]] = None
                self.todo.append(partial(self.give, self.given))
                self.given = words[1:]
                self.todo.append(partial(self.visit, body, piped))
        elif words[:1] and words[0] in CHANGES:
            follows = node.next_sibling.type if node.next_sibling else ""
            before = node.prev_sibling.type if node.prev_sibling else ""
            aside = before in ("|", "|&") or follows in ("|", "|&", "&")  # in a subshell
            if not aside and before != "||":  # cd a || cd b: the first one will do
                self.directory = changed(self.directory, words)
        elif words and (words[0] not in ("$@", "$*") or self.given):
            if words[0] in ("$@", "$*"):  # a function that runs what it is given
                part.words = words = self.given + words[1:]
            self.last = part
            self.parts.append(part)
            part.assigned = assigned + self.exported
            if words[0] == "export":
                self.exported = [*self.exported, *filter(is_assignment, words[1:])][:SPREAD]
            for redirection in redirections:
                self.redirect(redirection)
        self.inside([child for child in nested if child.type not in PLAIN], piped=False)

    def redirect(self, node: Node) -> None:
        operator = next((child.type for child in node.children if not child.is_named), "")
        descriptor = node.child_by_field_name("descriptor")
        for child in node.named_children:
            last = self.last or Part([])
            if child.type == "heredoc_body":  # the grammar leaves out the blanks it begins with
                body = self.text.rfind("\n", 0, child.start_byte) + 1
                last.document = self.text[body : child.start_byte] + self.of(child)
            elif node.type == "herestring_redirect":
                last.document = self.word(child)
            elif child.type in REDIRECTIONS:
                self.redirect(child)
            elif node.type == "file_redirect" and child != descriptor:
                if operator == "<":
                    last.redirect("<", self.word(child))
                elif operator in WRITING and (descriptor is None or self.of(descriptor) == "1"):
                    last.redirect(">", self.word(child))
        rest = [child for child in node.children if child.type not in REDIRECTIONS]
        self.inside(rest, piped=False)  # cat <<EOF | bash: the pipe stands within the redirection

    def of(self, node: Node) -> str:
        return self.text[node.start_byte : node.end_byte]

    def word(self, node: Node) -> str:
        """The text of a word with its quotes taken off; a substitution in it as written."""
        written = self.of(node)
        try:
            word, end = unquoted(written, 0)
        except Unreadable:
            return written
        return word if end == len(written) else written
