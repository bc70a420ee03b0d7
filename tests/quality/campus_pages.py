"""A crawl of a university, made by a seeded script: many hosts of one domain, and the domains around it.

What such a crawl repeats: staff lists and profiles, course pages, catalogues and timetables by year, news on sites of
departments, publication lists of co-authors, calendars, minutes, regulations by version and quoted, and notices that
every site has in part. None of this is stitched together; what is, was planted on other domains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from crawled_pages import Crawl
from real_pages import Page

HOME = "uni.example"
OTHERS = ("college.example", "institute.example", "polytechnic.example")
DEPARTMENTS = ("cs", "math", "physics", "history", "law", "music", "biology", "chemistry", "medicine", "economics")
YEARS = (2019, 2020, 2021, 2022, 2023)
TAKEN_FROM = ("profile", "news", "course", "abstract", "minutes", "regulation", "event")
AT_HOME = (f"students.{HOME}", f"blogs.{HOME}", f"math.{HOME}/~hugo", f"www.{HOME}/guide")
SPAM = ("essays-now.example", "study-help.example", "campus-facts.example", "top-degrees.example", "exam.example")
ASSESSMENT = (
    "Assessment is by a written examination at the end of term; students who fail may sit it once more in autumn.",
    "Attendance is compulsory. The grade is that of the term paper, which is due three weeks after the last lecture.",
    "Students give a talk of thirty minutes and hand in a written report of about fifteen pages by the end of term.",
    "The module is completed by an oral examination of twenty minutes, after weekly exercises have been passed.",
)
MINUTES = (
    "The minutes of the previous meeting were approved without amendment and will be published on the website.",
    "The chair welcomed the members and noted that the council was quorate according to its rules of procedure.",
    "The dean reported on the budget and answered questions from the members of the council about vacant positions.",
    "There being no further business the meeting was closed, and the date of the next one will be announced by mail.",
)
STOCK = "Office hours by appointment; please write to the secretary of the department at least two days before."


class Work(NamedTuple):
    """What somebody published."""

    authors: list[str]
    title: str
    journal: str
    page: int
    year: int

    def cite(self, host: str) -> str:
        """As the domain of a host does it."""
        first, last = self.page, self.page + 12
        match sum(map(ord, host.split(".")[-2])) % 3:
            case 0:
                return f"{', '.join(self.authors)}: {self.title}. {self.journal}, pages {first} to {last}, {self.year}."
            case 1:
                return f"{self.title}. {' and '.join(self.authors)}. In {self.journal} ({self.year}), {first}-{last}."
            case _:
                return f"{self.year}. {'; '.join(self.authors)}. {self.title}, {self.journal}: {first}-{last}."


def cite(works: Iterable[Work], host: str) -> list[str]:
    return [work.cite(host) for work in works]


class Campus(Crawl):
    """The university and its neighbours."""

    def __init__(self, seed: int) -> None:
        super().__init__("campus", seed)
        self.hosts = [f"{name}.{HOME}" for name in DEPARTMENTS]
        self.staff = {host: [self.person() for _ in range(9)] for host in (*self.hosts, *OTHERS)}
        self.interests = {name: self.say(22) for names in self.staff.values() for name in names}

    def profiles(self) -> None:
        for host, names in self.staff.items():
            urls = []
            for name in names:
                url = f"http://{host}/people/{name.replace(' ', '-').lower()}.html"
                blocks = [f"{name}, room {self.rng.randint(100, 900)}", STOCK, self.interests[name], self.say(90)]
                urls.append(self.add("profile", url, blocks))
            lines = [f"{name}. Room {self.rng.randint(100, 900)}. {self.interests[name]}" for name in names]
            self.add("staff list", f"http://{host}/people/", lines, urls)
            self.add("staff list", f"http://{host}/research/groups.html", [self.say(40), *self.rng.sample(lines, 6)])
        for letter in "ABCDEFGHIJ":
            names = [name for names in self.staff.values() for name in names]
            chosen = sorted(self.rng.sample(names, 12))
            lines = [f"{name}. {self.interests[name]}" for name in chosen]
            self.add("directory", f"http://www.{HOME}/directory/{letter}.html", lines)
            self.add("experts for the press", f"http://press.{HOME}/experts/{letter}.html", self.rng.sample(lines, 8))

    def publications(self) -> None:
        """Entries, each in the lists of its authors, of projects, of departments by year and in the library's; other
        domains have their own way to cite."""
        names = [(host, name) for host, names in self.staff.items() for name in names]
        lists: dict[tuple[str, str], list[Work]] = {pair: [] for pair in names}
        by_year: dict[tuple[str, int], list[Work]] = {}
        entries = []
        for number in range(700):
            circle = names[number % len(names) :][:12] or names
            authors = self.rng.sample(circle, min(len(circle), self.rng.randint(2, 5)))
            year = self.rng.choice(YEARS)
            journal = self.rng.choice(("Journal of Campus Studies", "Annals of the Society", "Letters"))
            title = f"{self.title()}: {self.title()}"
            entry = Work([name for _, name in authors], title, f"{journal} {self.rng.randint(1, 60)}", number, year)
            entries.append(entry)
            for pair in authors:
                lists[pair].append(entry)
                if entry not in by_year.setdefault((pair[0], year), []):
                    by_year[pair[0], year].append(entry)
            abstract = self.say(120)
            self.add("abstract", f"http://library.{HOME}/items/{number}.html", [entry.cite(HOME), abstract])
        for (host, name), listed in lists.items():
            url = f"http://{host}/people/{name.replace(' ', '-').lower()}/publications.html"
            self.add("publication list", url, [f"Publications of {name}", *cite(reversed(listed), host)])
        for (host, year), listed in by_year.items():
            self.add(
                "publication list",
                f"http://{host}/publications/{year}.html",
                [f"Publications {year}", *cite(listed, host)],
            )
        for number in range(40):
            first = self.rng.randrange(len(entries) - 40)
            listed = self.rng.sample(entries[first : first + 40], 9)
            where = self.rng.choice((*self.hosts, *OTHERS, "funding.example", "society.example"))
            self.add("project", f"http://{where}/projects/{number}.html", [self.say(60), *cite(listed, where)])

    def courses(self) -> None:
        described: dict[str, list[tuple[str, str]]] = {}
        for host in (*self.hosts, *OTHERS):
            described[host] = [(self.title(), f"{self.say(75)} {self.rng.choice(ASSESSMENT)}") for _ in range(16)]
        for year in YEARS:
            for host, courses in described.items():
                name = host.split(".")[0]
                for place, (title, _) in enumerate(courses):
                    if self.rng.random() < 0.15:
                        courses[place] = title, f"{self.say(75)} {self.rng.choice(ASSESSMENT)}"
                urls = []
                for place, (title, text) in enumerate(courses):
                    url = f"http://{host}/courses/{year}/{place}.html"
                    who = self.rng.choice(self.staff[host])
                    blocks = [title, f"Lecturer: {who}, term {year}", text, f"Literature: {self.say(15)}"]
                    if year == YEARS[-1] or self.rng.random() < 0.3:
                        urls.append(self.add("course", url, blocks))
                lines = [f"{title}. {text}" for title, text in courses]
                catalogue = f"http://catalogue.{HOME}/{year}/{name}.html"
                self.add("catalogue", catalogue, [f"Courses {year}", *lines], urls)
                times = [
                    f"{title}, {self.rng.choice(('Monday', 'Tuesday', 'Friday'))} {self.rng.randint(8, 18)} to "
                    f"{self.rng.randint(9, 20)}, hall {self.rng.randint(1, 9)}, {self.rng.choice(self.staff[host])}"
                    for title, _ in courses
                ]
                self.add("timetable", f"http://{host}/timetable/{year}.html", times)
            for number in range(12):
                hosts = self.rng.sample(list(described), 5)
                chosen = [self.rng.choice(described[host]) for host in hosts for _ in range(2)]
                lines = [f"{title}. {text}" for title, text in chosen]
                where = self.rng.choice(("www", "students", "international"))
                url = f"http://{where}.{HOME}/programmes/{year}/{number}.html"
                self.add("programme", url, [self.say(70), *lines])

    def news(self) -> None:
        items = []
        for number in range(260):
            blocks = [self.title(), self.say(45), self.say(80), self.say(60)]
            url = self.add("news", f"http://news.{HOME}/{number}.html", blocks)
            items.append((url, blocks))
            for host in self.rng.sample((*self.hosts, *OTHERS, "newswire.example", "city.example"), 3):
                cut = blocks[: self.rng.choice((2, 3, 4))]
                lead = [self.say(20)] if self.rng.random() < 0.5 else []
                self.add("news repeated", f"http://{host}/news/{number}.html", [*lead, *cut], [url])
        for number in range(60):
            host = self.rng.choice((f"www.{HOME}", *self.hosts, f"alumni.{HOME}"))
            chosen = self.rng.sample(items, 9)
            teasers = [f"{blocks[0]}. {blocks[1]}" for _, blocks in chosen]
            self.add("news listing", f"http://{host}/news/page{number}.html", teasers, [url for url, _ in chosen])

    def events(self) -> None:
        talks = []
        for number in range(240):
            text = f"{self.title()}. {self.person()}, {self.rng.choice(OTHERS)}. {self.say(45)}"
            host = self.rng.choice(self.hosts)
            url = self.add("event", f"http://{host}/events/{number}.html", [text, STOCK, self.say(30)])
            talks.append((url, text))
        for number in range(50):
            chosen = self.rng.sample(talks[number * 4 : number * 4 + 40], 10)
            where = self.rng.choice((f"www.{HOME}", f"calendar.{HOME}", "society.example", "city.example"))
            links = [url for url, _ in chosen] if number % 2 else []
            elsewhere = HOME not in where
            kind = "calendar elsewhere" if elsewhere else "calendar"
            url = f"http://{where}/calendar/{number}.html"
            # A town's calendar of what the university announces is a digest: people disagree about these.
            self.add(kind, url, [text for _, text in chosen], links, stitched=None if elsewhere else False)

    def minutes(self) -> None:
        for host in self.hosts:
            members = self.rng.sample(self.staff[host], 7)
            for year in YEARS:
                for month in (2, 6, 11):
                    lines = [
                        f"Present: {', '.join(members)}",
                        *self.rng.sample(MINUTES, 3),
                        self.say(120),
                        self.say(60),
                    ]
                    self.add("minutes", f"http://{host}/council/{year}-{month}.html", lines)

    def regulations(self) -> None:
        general = [f"Section {i}. {self.say(90)}" for i in range(1, 31)]
        kept = dict(enumerate(general))
        for year in YEARS:
            for place in self.rng.sample(sorted(kept), 5):
                kept[place] = self.edit(kept[place], 0.2)
            self.add("regulation", f"http://www.{HOME}/regulations/{year}.html", kept.values())
            for host in (*self.hosts, *OTHERS):
                own = [self.say(80) if self.rng.random() < 0.25 else kept[i] for i in sorted(kept)]
                self.add("regulation", f"http://{host}/regulations/{year}.html", own)
        for host in (*self.hosts, *OTHERS):
            for number in range(4):
                quoted = self.rng.sample(sorted(kept), 4)
                answers = [block for i in quoted for block in (self.say(60), kept[i])]
                self.add("questions", f"http://{host}/faq/{number}.html", answers)

    def notices(self) -> None:
        """Notices from a generator: each site has a choice of its paragraphs."""
        pool = [self.say(70) for _ in range(40)]
        sites = [*self.hosts, *OTHERS, *(f"{name}.{HOME}" for name in ("www", "news", "library", "sports", "alumni"))]
        for number, site in enumerate([*sites, *(f"partner{i}.example" for i in range(25))]):
            chosen = sorted(self.rng.sample(range(40), 14))
            blocks = [self.say(30), *(pool[i] for i in chosen), self.say(20)]
            self.add("privacy notice", f"http://{site}/privacy{number}.html", blocks)


def crawl_campus(seed: int = 1, sites: Sequence[str] = SPAM) -> list[Page]:
    """All pages of the crawl, the same for the same seed; those that are stitched together are on these sites."""
    campus = Campus(seed)
    campus.profiles()
    campus.publications()
    campus.courses()
    campus.news()
    campus.events()
    campus.minutes()
    campus.regulations()
    campus.notices()
    campus.stitch(TAKEN_FROM, sites, 120)
    return campus.pages


def crawl_campus_at_home(seed: int = 1) -> list[Page]:
    """The same, but what is stitched together is on hosts of the university, too: a crawl of one domain."""
    return crawl_campus(seed, AT_HOME)
