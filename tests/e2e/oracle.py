"""What a dump says of its hosts' leaves, read by a few regular expressions: the independent word in these tests.

Only the ordinary spelling of the tool is understood; the captures that it is used on have no other.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

ADAPTER = re.compile(r'^Ca\s+\d+\s+"H-[0-9a-f]+"\s*# "([^"]*)"')
UPLINK = re.compile(r'^\[\d+\]\([0-9a-f]+\)\s*"S-[0-9a-f]+"\[\d+\]\s*# lid \d+ lmc \d+ "([^"]*)"')


def leaves_of_hosts(path: Path) -> Mapping[str, list[str]]:
    """Host name (in lower case, the first word of its adapters) to the descriptions of the switches it hangs on."""
    leaves: dict[str, list[str]] = defaultdict(list)
    host = ""
    for line in path.read_text().splitlines():
        adapter = ADAPTER.match(line)
        if adapter:
            host = adapter[1].split()[0].lower()
        uplink = UPLINK.match(line)
        if uplink:
            leaves[host].append(uplink[1])
    return leaves


def units_of_hosts(path: Path, host: str, unit: re.Pattern[str]) -> dict[str, str]:
    """The unit that most leaves of each host carry in their name; hosts that match `host` only."""
    return {
        name: Counter(found[1] for leaf in leaves if (found := unit.search(leaf))).most_common(1)[0][0]
        for name, leaves in leaves_of_hosts(path).items()
        if re.search(host, name)
    }
