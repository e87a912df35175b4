# SPDX-License-Identifier: Apache-2.0
"""What mkdocs does not do by itself: the README and the changelog are pages of the book, though they lie above docs/;
links to files that are no pages become their text, once it is sure that the files are there; links to headings are
checked; and headings have the names by which the documents link to them."""
import html.parser
import os
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

DOCS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(DOCS)
# Pages that are made of files above docs/.
FROM_ABOVE = {"index.md": "README.md", "changelog.md": "CHANGELOG.md"}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|!\[[^\[\]]*\]\([^()]*\))*)\]\(([^() ]+)\)")


def slug_of(heading, _separator):
    """As the places where the documents are read otherwise name a heading."""
    return re.sub(r"[^a-z0-9 _-]", "", heading.strip().lower()).replace(" ", "-")


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slug_of
    return config


def on_files(files, config):
    for file in list(files):
        if file.src_path.startswith("book" + os.sep):
            files.remove(file)
    for page in FROM_ABOVE:
        files.append(File(page, DOCS, config["site_dir"], config["use_directory_urls"]))
    left_out = {f.src_path for f in files.documentation_pages()} - set(pages_of(config["nav"]))
    if left_out:
        raise PluginError(f"docs/book/mkdocs.yml: nav does not name {', '.join(sorted(left_out))}")
    return files


def pages_of(nav):
    for entry in nav:
        for target in entry.values():
            yield from pages_of(target) if isinstance(target, list) else [target]


def on_page_read_source(page, config):
    above = FROM_ABOVE.get(page.file.src_path)
    if above is None:
        return None
    with open(os.path.join(ROOT, above), encoding="utf-8") as source:
        return source.read()


def on_page_markdown(markdown, page, config, files):
    folder = ROOT if page.file.src_path in FROM_ABOVE else DOCS
    page_of = {os.path.join(ROOT, above): name for name, above in FROM_ABOVE.items()}

    def link(match):
        picture, text, target = match.groups()
        text = LINK.sub(link, text)
        if re.match(r"[a-z]+:|#", target):
            return f"{picture}[{text}]({target})"
        path, sign, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(folder, path))
        if not os.path.exists(file):
            raise PluginError(f"{page.file.src_path}: there is no {target}")
        if file in page_of:
            return f"[{text}]({page_of[file]}{sign}{anchor})"
        if files.get_file_from_path(os.path.relpath(file, DOCS)) is None:
            return text
        return f"{picture}[{text}]({os.path.relpath(file, DOCS)}{sign}{anchor})"

    # Code is left as it is: fenced and indented blocks, and spans, which may be the text of a link.
    code = re.compile(r"(?:^```.*?^```$)|(?:(?<=\n\n)(?:    [^\n]*\n)+)|`[^`\n]+`", re.MULTILINE | re.DOTALL)
    kept = []

    def keep(match):
        kept.append(match.group())
        return f"\x00{len(kept) - 1}\x00"

    text = LINK.sub(link, code.sub(keep, markdown))
    text = re.sub(r"^<!-- try: .* -->\n", "", text, flags=re.MULTILINE)
    # Elsewhere a list needs no blank line above it, and what belongs to one of its items is set in as far as its text.
    text = re.sub(r"^(?! *(?:[-*|#>]|\d+\.) | *$|  )(.+)\n(?=(?:-|\d+\.) )", r"\1\n\n", text, flags=re.MULTILINE)
    text = re.sub(r"^ {2,3}(?=\S)", "    ", text, flags=re.MULTILINE)
    return re.sub("\x00(\\d+)\x00", lambda m: kept[int(m.group(1))], text)


class Anchors(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links = set(), []

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        if "id" in known:
            self.ids.add(known["id"])
        if tag == "a" and "#" in (known.get("href") or ""):
            self.links.append(known["href"])


def on_post_build(config):
    site = config["site_dir"]
    pages = {}
    for folder, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                pages[path] = Anchors()
                with open(path, encoding="utf-8") as page:
                    pages[path].feed(page.read())
    for path, found in pages.items():
        for link in found.links:
            if re.match(r"[a-z]+:", link) or os.path.basename(path) == "404.html":
                continue
            target, _, anchor = link.partition("#")
            at = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if anchor and anchor != "__skip" and at in pages and anchor not in pages[at].ids:
                raise PluginError(f"{os.path.relpath(path, site)}: no heading for {link}")
