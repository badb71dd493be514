# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads a manual page in scdoc(5)'s form."""
import re


def plain(text):
    """Without marks: "*--html* _FILE_" is "--html FILE"."""
    text = re.sub(r"(?<!\\)\*", "", text)
    text = re.sub(r"(?<![\\\w])_|(?<!\\)_(?!\w)", "", text)
    return text.replace("\\", "")


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.blocks = []  # literal ones: lists of lines
        self.sections = {}  # heading -> lines
        self.name = self.text.split("(")[0]
        self._read(self.text.splitlines()[1:])

    def _read(self, lines):
        heading, block = "", None
        for line in lines:
            if line == "```":
                block, closed = ([], None) if block is None else (None, block)
                if closed is not None:
                    self.blocks.append([x.replace("\\\\", "\\") for x in closed])
            elif block is not None:
                block.append(line)
            elif line.startswith("#"):
                heading = line.strip("# ")
                self.sections[heading] = []
            elif not line.startswith(";"):
                self.sections.setdefault(heading, []).append(line)

    def terms(self, *headings):
        """What is defined: lines at the margin, before indented ones. All sections, or those of the headings."""
        found = []
        for heading, lines in self.sections.items():
            if headings and heading not in headings:
                continue
            found += [line for line, after in zip(lines, lines[1:]) if line[:1] not in ("", "\t") and after[:1] == "\t"]
        return found

    def references(self):
        return re.findall(r"\*([\w.-]+)\*\((\d)\)", self.text)
