"""No connection is made to an address that is not public, however it is spelled and whatever a name leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from jobs.domain.answers import Answer, Failure, FailureKind
from jobs.targets.call import Call
from jobs.targets.curl import post
from tests.integration.targets.conftest import Allow, Resolve
from tests.support.http_calls import call_to, post_through_multi
from tests.support.http_server import EVERY_ADDRESS, HttpServer, answer, serving

REFUSED, UNKNOWN, UNREADABLE = FailureKind.REFUSED_ADDRESS, FailureKind.UNRESOLVED, FailureKind.PROTOCOL
# Names that this machine's resolver may know or not: refused or unknown, and never called.
NAME = {REFUSED, UNKNOWN}
SPELLINGS: dict[str, set[FailureKind]] = {
    "127.0.0.1": {REFUSED},
    "127.1": {REFUSED},
    "127.0.1": {REFUSED},
    "127.0.0.1.": NAME,
    "127.255.255.254": {REFUSED},
    "0x7f000001": {REFUSED},
    "0x7f.1": {REFUSED},
    "0x7F.0x0.0x0.0x1": {REFUSED},
    "2130706433": {REFUSED},
    "017700000001": {REFUSED},
    "0177.0.0.1": {REFUSED},
    "0177.0x0.1": {REFUSED},
    "00000177.0.0.01": {REFUSED},
    "127.0.0.1%00": {UNREADABLE, *NAME},
    "%31%32%37.0.0.1": {REFUSED},
    "127%2e0%2e0%2e1": {REFUSED},
    "0": {REFUSED},
    "0.0.0.0": {REFUSED},
    "0x0": {REFUSED},
    "localhost": {REFUSED},
    "LOCALHOST": {REFUSED},
    "LocalHost.": NAME,
    "localhost.localdomain": NAME,
    "localhost6": NAME,
    "ip6-localhost": NAME,
    "foo.localhost": NAME,
    "[::1]": {REFUSED},
    "[0:0:0:0:0:0:0:1]": {REFUSED},
    "[::]": {REFUSED},
    "[::ffff:127.0.0.1]": {REFUSED},
    "[::ffff:7f00:1]": {REFUSED},
    "[0:0:0:0:0:FFFF:7F00:0001]": {REFUSED},
    "[::127.0.0.1]": {REFUSED},
    "[::7f00:1]": {REFUSED},
    "[::ffff:0:127.0.0.1]": {REFUSED},
    "[64:ff9b::7f00:1]": {REFUSED},
    "[64:ff9b::127.0.0.1]": {REFUSED},
    "[64:ff9b:1::7f00:1]": {REFUSED},
    "[2002:7f00:1::]": {REFUSED},
    "[2001:0:7f00:1::]": {REFUSED},
    "[fd00::1]": {REFUSED},
    "[fd00:ec2::254]": {REFUSED},
    "[fe80::1%25lo]": {REFUSED},
    "[fe80::1]": {REFUSED},
    "[fec0::1]": {REFUSED},
    "[ff02::1]": {REFUSED},
    "[::1%25lo]": {REFUSED},
    "10.0.0.5": {REFUSED},
    "172.16.0.1": {REFUSED},
    "192.168.1.1": {REFUSED},
    "100.64.0.1": {REFUSED},
    "100.100.100.200": {REFUSED},
    "169.254.169.254": {REFUSED},
    "2852039166": {REFUSED},
    "198.18.0.1": {REFUSED},
    "224.0.0.1": {REFUSED},
    "240.0.0.1": {REFUSED},
    "255.255.255.255": {REFUSED},
    "127。0。0。1": {REFUSED, UNKNOWN, UNREADABLE},
    "１２７.0.0.1": {REFUSED, UNKNOWN, UNREADABLE},
    "①②⑦.0.0.1": {REFUSED, UNKNOWN, UNREADABLE},
    "ｌｏｃａｌｈｏｓｔ": {REFUSED, UNKNOWN, UNREADABLE},
    "127.0.0.256": NAME,
    "4294967296": NAME,
    "127.0.0.1 ": {UNREADABLE},
    "[127.0.0.1]": {UNREADABLE},
    "[::1": {UNREADABLE},
    "user@127.0.0.1": {REFUSED},
    "public.example@127.0.0.1": {REFUSED},
    r"public.example\@127.0.0.1": {REFUSED},
}


@pytest.fixture
def everywhere() -> Iterator[HttpServer]:
    """A server on every address of this machine."""
    with serving(answer(), host=EVERY_ADDRESS) as server:
        yield server


@pytest.fixture(params=[post, post_through_multi])
def make(request: pytest.FixtureRequest) -> Callable[[Call], Answer | Failure]:
    """Both ways of making a call."""
    made: Callable[[Call], Answer | Failure] = request.param
    return made


@pytest.mark.parametrize(("host", "kinds"), SPELLINGS.items(), ids=map(ascii, SPELLINGS))
def test_b136_no_spelling_of_a_forbidden_address_is_dialled(
    host: str, kinds: set[FailureKind], everywhere: HttpServer, allow: Allow
) -> None:
    result = post(call_to(everywhere.url(host), seconds=10))

    assert isinstance(result, Failure)
    assert result.kind in kinds, result
    assert everywhere.hits == 0


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "0x7f.1", "localhost", "0", "[::1]", "[::ffff:127.0.0.1]", "%31%32%37.1"]
)
def test_the_server_would_notice(host: str, everywhere: HttpServer, allow: Allow) -> None:
    allow("127.0.0.0/8", "::1/128", "0.0.0.0/32")

    assert isinstance(post(call_to(everywhere.url(host))), Answer)
    assert everywhere.hits == 1


def test_the_refusal_names_host_address_and_setting(allow: Allow, resolve: Resolve) -> None:
    resolve("10.0.0.5")

    result = post(call_to("http://endpoint.example/"))

    assert isinstance(result, Failure)
    assert result.address == "10.0.0.5"
    assert result.message == (
        'The host "endpoint.example" is refused: 10.0.0.5 is a private address, which HTTP jobs do not call. If it is '
        'meant, add "10.0.0.5/32" to BEATKEEPER["EGRESS_ALLOW"].'
    )


def test_b136_a_name_that_turns_private_after_the_check_is_not_dialled(
    make: Callable[[Call], Answer | Failure], everywhere: HttpServer, allow: Allow, resolve: Resolve
) -> None:
    """127.0.0.2 stands for the public address; both lead to the same server, which counts."""
    allow("127.0.0.2/32")
    asked = resolve("127.0.0.2", "127.0.0.1")
    call = call_to(everywhere.url("flip.example"))

    first, second = make(call), make(call)

    assert isinstance(first, Answer)
    assert first.address == "127.0.0.2"
    assert isinstance(second, Failure)
    assert (second.kind, second.address) == (REFUSED, "127.0.0.1")
    assert everywhere.hits == 1
    assert len(asked) == 2


def test_b136_of_several_addresses_the_refused_one_is_never_dialled(
    make: Callable[[Call], Answer | Failure], everywhere: HttpServer, allow: Allow, resolve: Resolve
) -> None:
    allow("127.0.0.2/32")
    resolve("127.0.0.1 127.0.0.2 127.0.0.3")

    result = make(call_to(everywhere.url("several.example")))

    assert isinstance(result, Answer)
    assert result.address == "127.0.0.2"


def test_where_the_allowed_address_is_down_the_refused_one_is_named(allow: Allow, resolve: Resolve) -> None:
    allow("127.0.0.2/32")
    resolve("127.0.0.1 127.0.0.2")
    with serving(answer()) as server:
        url = server.url("several.example")  # listens on 127.0.0.1 alone

        result = post(call_to(url))

    assert isinstance(result, Failure)
    assert (result.kind, server.hits) == (FailureKind.CONNECTION, 0)
    assert result.message.startswith('No connection to "several.example" (127.0.0.2): Connection refused. Another')


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
@pytest.mark.parametrize("scheme", ["http", "https", "file"])
def test_b135_a_redirect_to_an_internal_address_is_not_followed(
    status: str, scheme: str, make: Callable[[Call], Answer | Failure], loopback: None
) -> None:
    with serving(answer()) as inside:
        target = inside.url().replace("http:", f"{scheme}:")
        with serving(answer(status, b"", f"Location: {target}")) as outside:
            result = make(call_to(outside.url()))

    assert isinstance(result, Answer)
    assert result.status == int(status[:3])
    assert (outside.hits, inside.hits) == (1, 0)


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
def test_a_proxy_of_the_environment_is_not_used(name: str, loopback: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answer("502 Proxy")) as proxy, serving(answer()) as server:
        monkeypatch.setenv(name, proxy.url())

        result = post(call_to(server.url()))

    assert isinstance(result, Answer)
    assert (result.status, proxy.hits) == (200, 0)


@pytest.mark.parametrize("scheme", ["ftp", "file", "gopher", "dict", "ldap", "telnet", "ws"])
def test_no_other_protocol_is_spoken(scheme: str, loopback: None) -> None:
    with serving(answer()) as server:
        result = post(call_to(server.url().replace("http:", f"{scheme}:")))

    assert isinstance(result, Failure)
    assert (result.kind, server.hits) == (UNREADABLE, 0)


def test_cookies_of_an_answer_are_not_sent_again(loopback: None) -> None:
    with serving(answer("200 OK", b"", "Set-Cookie: session=1; Path=/")) as server:
        for _ in range(2):
            post_through_multi(call_to(server.url()))

    assert ["cookie" in request.headers for request in server.requests] == [False, False]
