"""Known links that are one: counted once, by what is known best of it, with the lower switch first."""

from __future__ import annotations

from collections.abc import Mapping

from topology.links import KnownLinks, Link, Verdict, by_guid


def upright(known: KnownLinks, level: Mapping[int, int]) -> KnownLinks:
    """The known links with the lower switch first as the levels are now; without those within a level."""
    wrong = [
        link
        for link in known.links
        if (below := level.get(link.lower.guid, -1)) >= 0 and below >= level.get(link.upper.guid, -1) >= 0
    ]
    if not wrong:
        return known
    links = dict(known.links)
    for link in wrong:
        verdict = links.pop(link)
        if level[link.lower.guid] > level[link.upper.guid]:
            links.setdefault(Link(link.upper, link.lower), verdict)
    return KnownLinks(links, known.node)


def best_known(links: dict[Link, Verdict]) -> dict[Link, Verdict]:
    """One link is counted once: a far end or a port that was not known gives way to the one that is."""
    vague = [link for link in links if not (link.lower.port and link.upper.port)]
    if not vague:
        return links
    guids = {end.guid for link in vague for end in link if end.guid}
    at = by_guid(link for link in links if link.lower.guid in guids or link.upper.guid in guids)
    for link in vague:
        near = at[link.lower.guid or link.upper.guid]
        if any(other in links and other != link and _tells_less(link, other) for other in near):
            del links[link]
    return links


def _tells_less(link: Link, other: Link) -> bool:
    """Whether the other one is as this one, or says what this one leaves open."""
    return all(
        end.guid in (0, found.guid) and end.port in (0, found.port) for end, found in zip(link, other, strict=True)
    )
