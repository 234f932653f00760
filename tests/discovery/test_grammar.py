"""Single lines of ibnetdiscover and what they mean, by the forms of rdma-core and what the world does to them."""

from __future__ import annotations

import pytest

from discovery.ibnetdiscover.grammar import (
    UNKNOWN_KIND,
    Attribute,
    AttributeName,
    Header,
    Marked,
    PortLine,
    ToolError,
    Unreadable,
    read,
)
from discovery.scan import NodeKind, Speed

TO_HOST = PortLine(
    port=7,
    port_identity=b"",
    peer_kind=NodeKind.HOST,
    peer=b"0c42a103008b40d0",
    peer_port=1,
    peer_port_identity=b"c42a103008b40d0",
    peer_description=b"gpu-07 mlx5_0",
    width=4,
    speed=Speed.NDR,
)


@pytest.mark.parametrize(
    "line",
    [
        b'[7]\t"H-0c42a103008b40d0"[1](c42a103008b40d0) \t\t# "gpu-07 mlx5_0" lid 101 4xNDR',
        b'[7]     "H-0c42a103008b40d0"[1](c42a103008b40d0)         # "gpu-07 mlx5_0" lid 101 4xNDR',
        b'[7]"H-0c42a103008b40d0"[1](c42a103008b40d0)# "gpu-07 mlx5_0" lid 101 4xNDR',
        b'  [7] "H-0c42a103008b40d0" [1] (c42a103008b40d0) # "gpu-07 mlx5_0" lid 101 4xNDR  ',
        b'[7][ext 4]\t"H-0c42a103008b40d0"[1](c42a103008b40d0) \t\t# "gpu-07 mlx5_0" lid 101 4xNDR',
        b'[7]\t"H-0c42a103008b40d0"[1][ext 12](c42a103008b40d0) \t\t# "gpu-07 mlx5_0" lid 101 4xNDR',
        b'[7]\t"H-0c42a103008b40d0"[1](c42a103008b40d0) \t\t# "gpu-07 mlx5_0" lid 101 4xNDR s=128 w=2 v=4',
        b'[7]\t"H-0c42a103008b40d0"[1](c42a103008b40d0) \t\t# "gpu-07 mlx5_0" lid 101 4xNDR slot 7',
        b'[7]\t"H-0c42a103008b40d0"[1](c42a103008b40d0) \t\t# "gpu-07 mlx5_0" lid 101 4xNDR (scp)',
        b'[7]\t"H-0c42a103008b40d0"[1](c42a103008b40d0) \t\t# "gpu-07 mlx5_0" lid 101 4x NDR',
    ],
)
def test_spellings_of_one_port_line(line: bytes) -> None:
    assert read(line) == (TO_HOST,)


def test_an_adapters_own_line_has_its_lid_in_front_of_the_peers_name() -> None:
    line = b'[1](e09d7303007a4bd8) \t"S-2c5eab0300b87b40"[17]\t\t# lid 657 lmc 0 "MF0;leaf:MQM9701/U1" lid 73 4xNDR'
    assert read(line) == (
        PortLine(
            1, b"e09d7303007a4bd8", NodeKind.SWITCH, b"2c5eab0300b87b40", 17, b"", b"MF0;leaf:MQM9701/U1", 4, Speed.NDR
        ),
    )


def port_line(line: bytes) -> PortLine:
    (statement,) = read(line)
    assert isinstance(statement, PortLine)
    return statement


@pytest.mark.parametrize(
    "description",
    [b"", b"a # b", b"a - b", b'a "b" c', b'"', b"[1](2)", b"trailing   ", b'x" lid 5 4xSDR', b"\xe9t\xe9", b" 'q' "],
)
def test_descriptions_reach_to_the_last_quote(description: bytes) -> None:
    line = b'[7]\t"S-0c42a103008b40d0"[1]\t\t# "' + description + b'" lid 101 4xNDR'
    assert port_line(line).peer_description == description
    assert port_line(line).speed == Speed.NDR


@pytest.mark.parametrize(
    ("tail", "width", "speed"),
    [
        (b"lid 9 4xSDR", 4, Speed.SDR),
        (b"lid 9 4xFDR10", 4, Speed.FDR10),
        (b"lid 9 12xQDR", 12, Speed.QDR),
        (b"lid 9 2xNDR", 2, Speed.NDR),
        (b"lid 9 4xXDR", 4, Speed.XDR),
        (b"lid 9 4x???", 4, Speed.UNKNOWN),
        (b"lid 9 ?????", 0, Speed.UNKNOWN),
        (b"lid 9 ??HDR", 0, Speed.HDR),
        (b"lid 9 4xGDR", 4, Speed.UNKNOWN),
        (b"lid 9 3xNDR", 0, Speed.NDR),
        (b"lid 9", 0, Speed.UNKNOWN),
        (b"", 0, Speed.UNKNOWN),
    ],
)
def test_rates(tail: bytes, width: int, speed: Speed) -> None:
    line = port_line(b'[7]\t"S-0c42a103008b40d0"[1]\t\t# "leaf" ' + tail)
    assert (line.width, line.speed) == (width, speed)


def test_the_kinds_of_peers() -> None:
    kinds = [
        port_line(b'[7]\t"%c-0c42a103008b40d0"[1]\t\t# "x" lid 1 4xNDR' % ord(letter)).peer_kind for letter in "SHR?"
    ]
    assert kinds == [NodeKind.SWITCH, NodeKind.HOST, NodeKind.ROUTER, UNKNOWN_KIND]


@pytest.mark.parametrize(
    ("line", "header"),
    [
        (
            b'Switch\t65 "S-2c5eab0300b87b40"\t\t# "MF0;leaf:MQM9701/U1" enhanced port 0 lid 73 lmc 0',
            Header(NodeKind.SWITCH, 65, b"2c5eab0300b87b40", b"MF0;leaf:MQM9701/U1"),
        ),
        (
            b'Switch41 "S-2c5eab0300b87b40"# "leaf" base port 0 lid 73 lmc 0',
            Header(NodeKind.SWITCH, 41, b"2c5eab0300b87b40", b"leaf"),
        ),
        (
            b'Ca      2 "H-0008f10403960558"          # "MT23108 InfiniHost"',
            Header(NodeKind.HOST, 2, b"0008f10403960558", b"MT23108 InfiniHost"),
        ),
        (b'Ca 1 "H-0c42"', Header(NodeKind.HOST, 1, b"0c42", b"")),
        (b'Ca\t1 "H-0c42"\t\t# ""', Header(NodeKind.HOST, 1, b"0c42", b"")),
        (b'Ca\t1 "H-0c42"\t\t# "a "b" c" (scp)', Header(NodeKind.HOST, 1, b"0c42", b'a "b" c')),
        (b'Rt\t2 "R-0002c90300b00001"\t\t# "edge"', Header(NodeKind.ROUTER, 2, b"0002c90300b00001", b"edge")),
    ],
)
def test_headers(line: bytes, header: Header) -> None:
    assert read(line) == (header,)


@pytest.mark.parametrize(
    ("line", "attribute"),
    [
        (b"vendid=0x2c9", Attribute(AttributeName.VENDOR, b"2c9")),
        (b"devid = 0xd2f2", Attribute(AttributeName.DEVICE, b"d2f2")),
        (
            b"sysimgguid=0x2c902004a0f00\t\t# Chassis 1 (guid 0x2c9) line 1",
            Attribute(AttributeName.SYSTEM, b"2c902004a0f00"),
        ),
        (b"switchguid=0x2c903007b78b0(2c903007b78b0)", Attribute(AttributeName.SWITCH, b"2c903007b78b0")),
        (b"caguid=0xec0d9a03007d7d0a", Attribute(AttributeName.HOST, b"ec0d9a03007d7d0a")),
        (b"rtguid=0xREDACTED", Attribute(AttributeName.ROUTER, b"REDACTED")),
    ],
)
def test_attributes(line: bytes, attribute: Attribute) -> None:
    assert read(line) == (attribute,)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" \t ",
        b"#",
        b"# Initiated from node 0c42 port 0c42",
        b"# Spine Nodes",
        b"Chassis 1 (guid 0x2c902004a0f00)",
        b"Non-Chassis Nodes",
        b"Hostname: io-director-1",
        b"Max of 3 hops discovered",
    ],
)
def test_lines_that_say_nothing(line: bytes) -> None:
    assert read(line) == ()


@pytest.mark.parametrize(
    "line",
    [
        b"src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,1 Attr 0x11:0) bad status 110; Connection timed out",
        b"ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (DR path slid 65535; dlid 65535; 0,1)",
        b"/usr/src/ibnetdisc/query_smp.c:227; umad (DR path slid 0; dlid 0; 0 Attr 0xff90:1) bad status 110",
    ],
)
def test_messages_of_the_tool_that_something_did_not_answer(line: bytes) -> None:
    assert ToolError() in read(line)


def test_a_message_behind_a_line_takes_nothing_from_it() -> None:
    noise = b"src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110; Connection timed out"
    line = b'[7]\t"H-0c42a103008b40d0"[1](c42a103008b40d0) \t\t# "gpu-07 mlx5_0" lid 101 4xNDR'
    assert read(line + noise) == (TO_HOST, ToolError())
    assert read(b"vendid=0x2c9" + noise) == (Attribute(AttributeName.VENDOR, b"2c9"), ToolError())


def test_marks_of_diff() -> None:
    assert read(b"< vendid=0x2c9") == (Marked(),)
    assert read(b"> vendid=0x2c9") == (Marked(), Attribute(AttributeName.VENDOR, b"2c9"))


def test_terminal_control_sequences_are_passed_over() -> None:
    assert read(b"\x1b[0m\x1b]0;root@ufm\x07vendid=0x2c9\x1b[K") == (Attribute(AttributeName.VENDOR, b"2c9"),)


def test_an_entry_of_a_port_list_is_a_node_and_a_cable() -> None:
    line = b"CA   134  1 0x7cfe9003003b4bde 4x EDR - SW  1719 10 0x7cfe9003009ce5b0 ( 'o0001 HCA-1' - 'ib-i1l1s01' )"
    own = Header(NodeKind.HOST, 0, b"7cfe9003003b4bde", b"o0001 HCA-1")
    cable = PortLine(
        1,
        b"7cfe9003003b4bde",
        NodeKind.SWITCH,
        b"7cfe9003009ce5b0",
        10,
        b"7cfe9003009ce5b0",
        b"ib-i1l1s01",
        4,
        Speed.EDR,
    )
    assert read(line) == (own, cable)


def test_a_port_without_a_cable_in_a_port_list_is_a_node_alone() -> None:
    line = b"SW  2052 37 0x506b4b03005c2740 4x ???                                    'ib-i4l1s01'"
    assert read(line) == (Header(NodeKind.SWITCH, 0, b"506b4b03005c2740", b"ib-i4l1s01"),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'[7]\t"H-0c42a103008b', "no port line"),
        (b"[7]", "no port line"),
        (b'[7]\t"H-"[1](1) # "x" lid 1 4xNDR', "no port line"),
        (b'[7]\t"H-0c42"[1](1) # "cut', "no port line"),
        (b'[0]\t"H-0c42"[1](1) # "x" lid 1 4xNDR', "port number"),
        (b'[7]\t"H-0c42"[255](1) # "x" lid 1 4xNDR', "port number"),
        (b'Switch\t41 "S-0c42', "no node header"),
        (b'Switch\t999 "S-0c42" # "x"', "at most 254 ports"),
        (b"vendid=0xzz", "no hexadecimal number"),
        (b"devid=0x123456789", "no hexadecimal number"),
        (b"SW   479 22 0x0002c9020040f161 4x QDR      Infiniscale-IV Mellanox Technologies", "single quotes"),
        (b"[root@ufm01 ~]# ibnetdiscover", "not a line"),
        (b"x" * 3000, "longer than"),
    ],
)
def test_lines_that_cannot_be_read_say_why(line: bytes, reason: str) -> None:
    (statement,) = read(line)
    assert isinstance(statement, Unreadable)
    assert reason in statement.reason


@pytest.mark.parametrize("line", [b'[7]\t"S-0c42"[1]' + b" " * 1900 + b"!", b"CA 1 1 0x1 4x EDR " + b"' - '" * 380])
def test_a_hostile_line_takes_no_time(line: bytes) -> None:
    """Bounded work for a bounded line; a quadratic pattern would take seconds for some thousands of these."""
    for _ in range(200):
        read(line)
