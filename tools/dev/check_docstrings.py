"""Check that every declaration of a public header has a /// docstring.

Reads include/lance/*.h: classes, enums and their values, functions, fields, aliases and constants.
Not asked for: namespaces, forward declarations, friends, private parts, destructors, and functions
that are = default or = delete. A docstring stands right above its declaration, or behind it on the
same line as ///<. In the headers of src/ every class, struct and enum must have one.
"""

import re
import sys
from typing import NamedTuple

import source_tree

# One token of a header. Words and single characters; what cannot matter is dropped.
TOKEN = re.compile(
    r"""(?P<trailing>///<[^\n]*)
      | (?P<doc>///[^\n]*)
      | (?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
      | (?P<string>R"(?P<raw>[^(]*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*")
      | (?P<number>\d[\w.']*)
      | (?P<char>'(?:\\.|[^'\\\n])+')
      | (?P<word>[A-Za-z_~]\w*)
      | (?P<newline>\n)
      | (?P<space>[ \t\r]+)
      | (?P<mark>::|->|&&|\[\[|\]\]|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

CLASS_WORDS = ("class", "struct", "union")


class Token(NamedTuple):
    """A piece of a header with the line it starts at."""

    kind: str
    text: str
    line: int


class Declaration(NamedTuple):
    """Something declared, and whether it says what it is."""

    line: int
    kind: str
    name: str
    documented: bool


def tokens_of(text: str) -> list[Token]:
    """Cut a header into words, marks, docstrings and line ends."""
    tokens, line = [], 1
    for match in TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup != "raw" else "string"
        if kind not in ("comment", "space", "directive"):
            tokens.append(Token(kind, match[0], line))
        line += match[0].count("\n")
    return tokens


class HeaderScanner:
    """Walks the tokens of one header and lists its public declarations."""

    def __init__(self, text: str):
        self._tokens = tokens_of(text)
        self._next = 0
        self.declarations: list[Declaration] = []

    def scan(self) -> list[Declaration]:
        """Every declaration that ought to have a docstring, in order."""
        self._scope(visible=True, class_name=None)
        return self.declarations

    def _peek(self) -> Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self) -> Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _skip_group(self) -> None:
        """Go past a brace group; its opening brace has been taken."""
        depth = 1
        while depth and self._peek():
            depth += {"{": 1, "}": -1}.get(self._take().text, 0)

    def _trailing_doc(self) -> bool:
        """Whether a ///< follows on the line, perhaps behind a comma or semicolon."""
        ahead = self._next
        while ahead < len(self._tokens) and self._tokens[ahead].text in (",", ";"):
            ahead += 1
        if ahead >= len(self._tokens) or self._tokens[ahead].kind != "trailing":
            return False
        return True

    def _scope(self, visible: bool, class_name: str | None) -> None:
        """A namespace or class body up to its closing brace, or the whole file."""
        documented, newlines = False, 0
        while (token := self._peek()) is not None:
            if token.kind == "newline":
                self._take()
                newlines += 1
                # A blank line parts a docstring from what follows.
                documented = documented and newlines < 2
            elif token.kind == "doc":
                self._take()
                documented, newlines = True, 0
            elif token.text == "}":
                self._take()
                return
            elif token.text == ";" or token.kind == "trailing":
                self._take()
            elif token.text in ("public", "private", "protected") and self._next_mark() == ":":
                visible = self._take().text == "public"
                self._take()
                documented = False
            else:
                self._declaration(visible, class_name, documented)
                documented, newlines = False, 0

    def _next_mark(self) -> str:
        ahead = self._next + 1
        return self._tokens[ahead].text if ahead < len(self._tokens) else ""

    def _declaration(self, visible: bool, class_name: str | None, documented: bool) -> None:
        """One declaration from its first word to its semicolon or body."""
        head: list[Token] = []
        depth = 0
        while (token := self._peek()) is not None:
            if token.kind in ("newline", "doc", "trailing"):
                self._take()
            elif depth == 0 and token.text == "{":
                self._take()
                if self._body(head, visible, class_name, documented):
                    return
                head.append(Token("mark", "{}", token.line))
            elif depth == 0 and token.text == ";":
                self._take()
                self._end(head, visible, class_name, documented)
                return
            elif depth == 0 and token.text == "}":
                return
            else:
                depth += {"(": 1, ")": -1}.get(token.text, 0)
                head.append(self._take())
                # Braces inside parentheses are default arguments.
                while depth and self._peek() and self._peek().text == "{":
                    self._take()
                    self._skip_group()

    def _body(self, head, visible, class_name, documented) -> bool:
        """Deal with a brace at depth 0; true when the declaration ends with its group."""
        words = declared_words(head)
        if (
            words[:1] == ["namespace"]
            or words[:2] == ["inline", "namespace"]
            or words[:1] == ["extern"]
        ):
            self._scope(visible=True, class_name=None)
            return True
        if words[:1] == ["enum"]:
            self._note(head, "enum", name_after(words, "enum"), visible, documented)
            self._enumerators(visible)
            return True
        if words and words[0] in CLASS_WORDS and "(" not in words:
            name = name_after(words, words[0])
            self._note(head, words[0], name, visible, documented)
            self._scope(visible and words[0] != "class", name)
            if not visible:
                self._drop_inside(head[0].line)
            return True
        initializes_member = (
            ":" in words
            and "(" in words
            and head[-1].kind == "word"
            and head[-1].text not in ("const", "noexcept", "override", "final")
        )
        self._skip_group()
        if "(" not in words or "=" in before_parenthesis(words) or initializes_member:
            return False
        self._end(head, visible, class_name, documented)
        return True

    def _drop_inside(self, line: int) -> None:
        """Forget what was found inside a class that is not public itself."""
        self.declarations = [found for found in self.declarations if found.line < line]

    def _enumerators(self, visible: bool) -> None:
        """The values of an enum; its opening brace has been taken."""
        documented, name = False, None
        while (token := self._peek()) is not None:
            self._take()
            if token.kind == "doc":
                documented = True
            elif token.kind == "word" and name is None:
                name = token
            elif token.text in (",", "}") and name is not None:
                said = documented or self._trailing_doc()
                self._note([name], "value", name.text, visible, said)
                documented, name = False, None
            elif token.kind == "trailing" and name is not None:
                documented = True
            if token.text == "}":
                return

    def _end(self, head, visible, class_name, documented) -> None:
        """A declaration without a scope of its own is complete."""
        words = declared_words(head)
        if not words or words[0] in ("friend", "static_assert", "namespace", "enum"):
            return
        if words[:2] == ["using", "namespace"] or words[:1] == ["template"]:
            return
        if words[0] in CLASS_WORDS and len(words) <= 2:
            return
        if words[-2:] in (["=", "default"], ["=", "delete"]) or words[:1] == ["~"]:
            return
        if any(word.startswith("~") for word in words):
            return
        kind = "function" if "(" in words and "=" not in before_parenthesis(words) else "member"
        if words[0] == "using":
            kind = "alias"
        if class_name and kind == "member" and words[0] == "using" and "=" not in words:
            return
        self._note(
            head, kind, declared_name(words, kind), visible, documented or self._trailing_doc()
        )

    def _note(self, head, kind, name, visible, documented) -> None:
        if visible:
            self.declarations.append(Declaration(head[0].line, kind, name, documented))


def declared_words(head: list[Token]) -> list[str]:
    """The words and marks of a declaration without attributes and template parameters."""
    words, skip_to, angle = [], None, 0
    for index, token in enumerate(head):
        text = token.text
        if skip_to == "]]":
            skip_to = None if text == "]]" else skip_to
        elif text == "[[":
            skip_to = "]]"
        elif angle:
            angle += {"<": 1, ">": -1}.get(text, 0)
        elif text == "<" and index and head[index - 1].text == "template":
            words.pop()
            angle = 1
        elif re.fullmatch(r"LANCE_[A-Z]+", text):
            continue
        else:
            words.append(text)
    return words


def before_parenthesis(words: list[str]) -> list[str]:
    """What stands before the first parenthesis; an operator's '=' does not count."""
    if "operator" in words:
        return words[: words.index("operator")]
    return words[: words.index("(")] if "(" in words else words


def name_after(words: list[str], word: str) -> str:
    """The name of a class or enum."""
    names = [
        name for name in words[words.index(word) + 1 :] if name not in ("class", "struct", "final")
    ]
    return names[0] if names else "(unnamed)"


def declared_name(words: list[str], kind: str) -> str:
    """The name that a message shows for a function, alias or member."""
    if "operator" in words:
        return "operator" + "".join(words[words.index("operator") + 1 :][:2]).rstrip("(")
    if kind == "alias":
        return words[1] if len(words) > 1 else "using"
    stops = ("(",) if kind == "function" else ("=", "{}", "[")
    for index, word in enumerate(words):
        if word in stops and index:
            return words[index - 1]
    return words[-1]


def scan_header(text: str) -> list[Declaration]:
    """The declarations of a header that ought to have a docstring."""
    return HeaderScanner(text).scan()


def main(arguments=None) -> int:
    options = source_tree.argument_parser(__doc__).parse_args(arguments)
    tree = source_tree.SourceTree(options.root)
    findings = source_tree.Findings("check_docstrings")
    declared = 0
    headers = [
        path for path in tree.files(".h") if path.startswith(("include/lance/", "src/lance/"))
    ]
    for path in headers:
        for found in scan_header(tree.read(path)):
            if path.startswith("src/") and found.kind not in (*CLASS_WORDS, "enum"):
                continue
            declared += 1
            if not found.documented:
                findings.add(path, found.line, f"{found.kind} {found.name} has no /// docstring")
    if declared == 0:
        findings.add(".", 1, "no declarations found: nothing was checked")
    return findings.finish(f"{declared} declarations in {len(headers)} headers")


if __name__ == "__main__":
    sys.exit(main())
