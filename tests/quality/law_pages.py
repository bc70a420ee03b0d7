"""A crawl of a code of law and of those who host parts of it, made by a seeded script.

Sections, chapters, whole acts, print views, versions by year, bills that amend sections, subject indexes, guides that
quote, commentary, mirrors, city codes that follow a model. None of this is stitched together; what is, was planted on
other domains.
"""

from __future__ import annotations

from crawled_pages import Crawl
from real_pages import Page

OFFICIAL, ARCHIVE, OPEN = "laws.state.example", "archive.laws.state.example", "open-laws.example"
YEARS = (2019, 2020, 2021, 2022, 2023)
GUIDES = ("tenants.example", "workers.example", "legal-aid.example", "library-of-law.example", "bar.example")
SPAM = ("cheap-lawyer.example", "sue-them.example", "law-answers.example", "legal-tips.example", "attorney.example")
ENACTING = "Be it enacted by the legislature of the state, the people represented in assembly concurring, as follows."
EFFECT = "This section takes effect on the first day of the month that follows its publication in the state register."


class Code(Crawl):
    """Acts of chapters of sections, as they stand in each year."""

    def __init__(self, seed: int, acts: int = 5, chapters: int = 5) -> None:
        super().__init__("law", seed)
        self.sections: dict[tuple[int, int, int], list[str]] = {}
        for act in range(1, acts + 1):
            for chapter in range(1, chapters + 1):
                for section in range(1, self.rng.randint(6, 14)):
                    paragraphs = [self.say(self.rng.randint(25, 90)) for _ in range(self.rng.randint(1, 5))]
                    self.sections[act, chapter, section] = paragraphs
        self.headings = {place: self.title() for place in self.sections}
        self.chapters = sorted({place[:2] for place in self.sections})

    def text(self, place: tuple[int, int, int]) -> list[str]:
        act, chapter, section = place
        heading = f"Section {act}.{chapter}.{section}. {self.headings[place]}"
        return [heading, *(f"({n}) {each}" for n, each in enumerate(self.sections[place], 1))]

    def of_chapter(self, act: int, chapter: int) -> list[str]:
        return [block for place in self.sections if place[:2] == (act, chapter) for block in self.text(place)]

    def amend(self) -> None:
        """A year passes: some sections change by words, some by whole paragraphs."""
        for place in self.rng.sample(sorted(self.sections), len(self.sections) // 8):
            paragraphs = self.sections[place]
            which = self.rng.randrange(len(paragraphs))
            paragraphs[which] = self.rng.choice((self.say(50), self.edit(paragraphs[which], 0.1)))
            if self.rng.random() < 0.3:
                paragraphs.append(self.say(40))

    def publish(self, year: int) -> None:
        host = OFFICIAL if year == YEARS[-1] else ARCHIVE
        base = f"http://{host}/{year}"
        for place in self.sections:
            name = "-".join(map(str, place))
            history = f"History: enacted {self.rng.randint(1950, 2000)}, amended by act {self.rng.randint(1, 400)}."
            self.add("section", f"{base}/s{name}.html", [*self.text(place), history])
            if year == YEARS[-1]:
                note = f"{self.say(self.rng.choice((10, 60)))} Cited as section {name}."
                self.add("section elsewhere", f"http://{OPEN}/code/{name}", [*self.text(place), note])
        for act, chapter in self.chapters:
            blocks = [f"Chapter {act}.{chapter}", *self.of_chapter(act, chapter)]
            links = [f"{base}/s{act}-{chapter}-{s}.html" for s in range(1, 14)]
            self.add("chapter", f"{base}/c{act}-{chapter}.html", blocks, links if year % 2 else ())
            if year == YEARS[-1]:
                self.add("print view", f"{base}/print/c{act}-{chapter}.html", blocks)
                self.add("chapter elsewhere", f"http://{OPEN}/chapters/{act}-{chapter}", blocks)
        for act in sorted({act for act, _ in self.chapters}):
            whole = [block for a, chapter in self.chapters if a == act for block in self.of_chapter(act, chapter)]
            self.add("whole act", f"{base}/a{act}.html", [ENACTING, *whole])
            titles = [f"Section {'.'.join(map(str, p))}. {self.headings[p]}" for p in self.sections if p[0] == act]
            self.add("contents", f"{base}/contents{act}.html", titles)

    def bills(self, year: int) -> None:
        for number in range(14):
            places = self.rng.sample(sorted(self.sections), self.rng.randint(3, 8))
            blocks = [ENACTING]
            for place in places:
                name = ".".join(map(str, place))
                blocks += [f"Section {name} of the code is amended to read as follows:", *self.text(place), EFFECT]
            where = self.rng.choice(("legislature.state.example", "assembly.example"))
            self.add("bill", f"http://{where}/{year}/bill{number}.html", blocks)

    def others(self) -> None:
        places = sorted(self.sections)
        for site in GUIDES:
            for number in range(16):
                act = self.rng.randint(1, 5)
                chosen = self.rng.sample([place for place in places if place[0] == act], 6)
                guide = [b for p in chosen for b in (self.say(70), self.rng.choice(self.text(p)[1:]))]
                self.add("guide", f"http://{site}/guides/{number}.html", guide)
                one = self.rng.choice(places)
                comment = [b for each in self.text(one) for b in (each, self.say(60))]
                self.add("commentary", f"http://{site}/comments/{number}.html", comment)
                chosen = self.rng.sample(places, 25)
                index = [f"{self.headings[p]}, section {'.'.join(map(str, p))}" for p in chosen]
                self.add("subject index", f"http://{site}/subjects/{number}.html", index)
        for act, chapter in self.chapters:
            reading = [b for p in places if p[:2] == (act, chapter) for b in self.text(p)[:3]]
            self.add("excerpts", f"http://school.example/readings/{act}-{chapter}.html", [self.say(50), *reading])
        for page in [page for page in self.pages if page.url and f"/{OFFICIAL}/" in page.url][:200]:
            assert page.url
            url = page.url.replace(OFFICIAL, "mirror.example")
            self.add(f"mirror of {page.kind}", url, self.blocks[page.url])

    def cities(self) -> None:
        """City codes after a model, each with most of its provisions, some changed."""
        for chapter in range(6):
            model = [self.say(60) for _ in range(20)]
            self.add("model", f"http://model-codes.example/{chapter}.html", model)
            for city in range(22):
                kept = [m for m in model if self.rng.random() < 0.7]
                own = [self.edit(m, 0.1) if self.rng.random() < 0.3 else m for m in kept]
                local = [self.say(60) for _ in range(self.rng.randint(2, 8))]
                blocks = [b for i, b in enumerate([*own, *local]) if b or i]
                self.add("city code", f"http://city{city}.example/code/{chapter}.html", blocks)


def crawl_laws(seed: int = 1) -> list[Page]:
    """All pages of the crawl, the same for the same seed."""
    code = Code(seed)
    for year in YEARS:
        code.publish(year)
        code.bills(year)
        code.amend()
    code.others()
    code.cities()
    code.stitch(("section elsewhere", "commentary", "guide", "bill", "model", "city code"), SPAM, 120)
    return code.pages
