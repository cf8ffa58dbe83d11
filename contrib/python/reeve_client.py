#!/usr/bin/env python3
"""A client of the Reeve agent in one file, on the standard library alone.

    from reeve_client import Client, ObjectId

    with Client() as client:
        realm = client.open("/home/me/dogs.realm", schema={"classes": [
            {"name": "Dog", "primaryKey": "_id", "properties": [
                {"name": "_id", "type": "int"}, {"name": "name", "type": "string"}]}]})
        realm.put("Dog", [{"_id": 1, "name": "Rex"}])
        for dog in realm.query("Dog", "name BEGINSWITH $0", ["R"], sort=[["name", True]]):
            print(dog["name"])
        for change in realm.watch("Dog", initial=True):
            print(change["insertions"], change["modifications"], change["deletions"])

Or from a shell: `reeve_client.py query FILE CLASS [TEXT]`, `put FILE CLASS JSON`, `watch FILE CLASS`.

Values: int, float, bool, str, bytes, None, list, dict are Python's; `datetime` (aware, UTC), `uuid.UUID`,
`ObjectId`, `Timestamp` (when nanoseconds matter), `Float`, `Link`, `GlobalKey` and `Decimal128` are the rest.
See Sources/Wire/PROTOCOL.md for what travels.
"""

import argparse
import collections
import datetime
import json
import os
import socket
import stat
import string
import struct
import sys
import uuid

PROTOCOL = 1
LONGEST_DOCUMENT = 32 << 20
DEEPEST = 256
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


# Values that Python has no type for -------------------------------------------------------------

class ObjectId(collections.namedtuple("ObjectId", "bytes")):
    """Twelve bytes, or 24 hexadecimal digits."""

    def __new__(cls, value):
        value = bytes.fromhex(value) if isinstance(value, str) else bytes(value)
        if len(value) != 12:
            raise ValueError("an object id has twelve bytes")
        return super().__new__(cls, value)

    def __str__(self):
        return self.bytes.hex()


Timestamp = collections.namedtuple("Timestamp", "seconds nanoseconds")
Float = collections.namedtuple("Float", "value")
Link = collections.namedtuple("Link", "class_name key")
GlobalKey = collections.namedtuple("GlobalKey", "high low")
Decimal128 = collections.namedtuple("Decimal128", "bytes")
Int32 = type("Int32", (int,), {"__doc__": "An int that travels in 32 bits."})


# BSON ------------------------------------------------------------------------------------------

class BSONError(ValueError):
    """Bytes that are no BSON document of the protocol, or a value that can't travel."""


def encode(document):
    """The bytes of a dict."""
    body = b"".join(_element(key, value) for key, value in document.items())
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def _element(key, value):
    name = key.encode()
    if b"\0" in name:
        raise BSONError("a key contains NUL")
    kind, payload = _value(value)
    return bytes([kind]) + name + b"\0" + payload


def _value(value):
    if value is None:
        return 0x0A, b""
    if isinstance(value, bool):
        return 0x08, bytes([value])
    if isinstance(value, Int32):
        return 0x10, struct.pack("<i", value)
    if isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            raise BSONError("an int has 64 bits")
        return 0x12, struct.pack("<q", value)
    if isinstance(value, float):
        return 0x01, struct.pack("<d", value)
    if isinstance(value, str):
        text = value.encode()
        return 0x02, struct.pack("<i", len(text) + 1) + text + b"\0"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return 0x05, struct.pack("<iB", len(value), 0) + bytes(value)
    if isinstance(value, uuid.UUID):
        return 0x05, struct.pack("<iB", 16, 4) + value.bytes
    if isinstance(value, ObjectId):
        return 0x07, value.bytes
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise BSONError("a datetime needs a time zone")
        passed = value - EPOCH
        microseconds = (passed.days * 86400 + passed.seconds) * 1_000_000 + passed.microseconds
        if microseconds % 1000:
            seconds = abs(microseconds) // 1_000_000 * (-1 if microseconds < 0 else 1)
            return _value(Timestamp(seconds, (microseconds - seconds * 1_000_000) * 1000))
        return 0x09, struct.pack("<q", microseconds // 1000)
    if isinstance(value, Timestamp):
        return 0x03, encode({"$ts": [value.seconds, Int32(value.nanoseconds)]})
    if isinstance(value, Float):
        return 0x03, encode({"$float": float(value.value)})
    if isinstance(value, Link):
        return 0x03, encode({"$link": value.class_name, "key": value.key})
    if isinstance(value, GlobalKey):
        return 0x03, encode({"$global": [value.high, value.low]})
    if isinstance(value, Decimal128):
        return 0x13, value.bytes
    if isinstance(value, dict):
        return 0x03, encode(value)
    if isinstance(value, (list, tuple)):
        return 0x04, encode({str(index): item for index, item in enumerate(value)})
    raise BSONError("%s can't travel" % type(value).__name__)


def decode(data, depth=1):
    """The dict of a document's bytes, which must be exactly one document."""
    if depth > DEEPEST:
        raise BSONError("documents are nested too deep")
    if len(data) < 5 or struct.unpack_from("<i", data)[0] != len(data) or data[-1] != 0:
        raise BSONError("a length is wrong")
    result, at, end = {}, 4, len(data) - 1
    while at < end:
        kind = data[at]
        stop = data.find(b"\0", at + 1, end)
        if stop < 0:
            raise BSONError("a key has no end")
        key = _text(data[at + 1:stop])
        value, at = _read(data, kind, stop + 1, end, depth)
        result.setdefault(key, value)
    return result


def _text(data):
    try:
        return bytes(data).decode()
    except UnicodeDecodeError as error:
        raise BSONError("a string is not UTF-8") from error


_FIXED = {0x01: "<d", 0x08: "<B", 0x09: "<q", 0x10: "<i", 0x12: "<q"}


def _read(data, kind, at, end, depth):
    """The value at `at` and where the next element is."""
    def take(size, start=None):
        start = at if start is None else start
        if size < 0 or start + size > end:
            raise BSONError("the document is cut off")
        return data[start:start + size]

    if kind in _FIXED:
        form = _FIXED[kind]
        size = struct.calcsize(form)
        value = struct.unpack(form, take(size))[0]
        if kind == 0x08:
            if value > 1:
                raise BSONError("a bool is neither 0 nor 1")
            value = bool(value)
        if kind == 0x09:
            try:
                value = EPOCH + datetime.timedelta(milliseconds=value)
            except OverflowError:
                seconds = abs(value) // 1000 * (-1 if value < 0 else 1)
                value = Timestamp(seconds, (value - seconds * 1000) * 1_000_000)
        return value, at + size
    if kind == 0x0A:
        return None, at
    if kind == 0x07:
        return ObjectId(take(12)), at + 12
    if kind == 0x13:
        return Decimal128(bytes(take(16))), at + 16
    if kind not in (0x02, 0x03, 0x04, 0x05):
        raise BSONError("element type 0x%02x is not used by this protocol" % kind)
    length = struct.unpack("<i", take(4))[0]
    if kind == 0x02:
        text = take(length, at + 4)
        if length < 1 or text[-1] != 0:
            raise BSONError("a string has no end")
        return _text(text[:-1]), at + 4 + length
    if kind == 0x05:
        subtype, content = take(1, at + 4)[0], bytes(take(length, at + 5))
        if subtype == 4:
            if length != 16:
                raise BSONError("a UUID has 16 bytes")
            content = uuid.UUID(bytes=content)
        return content, at + 5 + length
    nested = decode(take(length), depth + 1)
    return (list(nested.values()) if kind == 0x04 else _extended(nested)), at + length


def _extended(document):
    first = next(iter(document), None)
    try:
        if first == "$ts":
            return Timestamp(*document[first])
        if first == "$float":
            return Float(document[first])
        if first == "$floatBits":
            return Float(struct.unpack("<f", struct.pack("<i", document[first]))[0])
        if first == "$link":
            return Link(document[first], document["key"])
        if first == "$global":
            return GlobalKey(*document[first]) if len(document) == 1 else document
        if first == "$bytes":
            return document[first]
    except (TypeError, KeyError, struct.error) as error:
        raise BSONError("a value is malformed") from error
    return document


# The connection --------------------------------------------------------------------------------

class ReeveError(Exception):
    """A refusal by the agent. Decide by `name`; `facts` has the rest."""

    def __init__(self, error):
        self.code, self.name = error.get("code", 0), error.get("name", "unknown")
        self.facts = {k: v for k, v in error.items() if k not in ("code", "name", "message")}
        super().__init__("%s (%s)" % (error.get("message", self.name), self.name))


def socket_path(environment=os.environ):
    """Where the agent listens."""
    if environment.get("REEVE_SOCKET"):
        return environment["REEVE_SOCKET"]
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return os.path.join(runtime, "reeve", "agent.sock")
    return "/tmp/reeve-%d/agent.sock" % os.getuid()


def check_directory(path):
    """Refuses a socket that somebody else might have made."""
    directory = os.path.dirname(path)
    status = os.lstat(directory)
    if not stat.S_ISDIR(status.st_mode):
        raise PermissionError("%s is not a directory" % directory)
    if status.st_uid != os.getuid():
        raise PermissionError("%s belongs to uid %d" % (directory, status.st_uid))
    if status.st_mode & 0o077:
        raise PermissionError("%s is open to others; run: chmod 700 %s" % (directory, directory))


class Client:
    """One connection. Not for several threads at once."""

    def __init__(self, path=None, name="python", timeout=30.0):
        path = path or socket_path()
        check_directory(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        self._buffer, self._last_id = bytearray(), 0
        self._limit = LONGEST_DOCUMENT
        #: Events that came while a reply was awaited.
        self.events = collections.deque(maxlen=10_000)
        try:
            self._socket.connect(path)
            self.agent = self.call("hello", protocol=Int32(PROTOCOL), client=name, pid=Int32(os.getpid()), features=[])
        except BaseException:
            self._socket.close()
            raise
        self._limit = self.agent["limits"]["frame"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._socket.close()

    def call(self, method, **params):
        """The result of a method. Parameters that are None are left out. Raises ReeveError."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": _given(params)})
        while True:
            message = self._receive()
            if "method" in message:
                self.events.append(message)
            elif "error" in message and message.get("id") in (None, self._last_id):
                raise ReeveError(message["error"])
            elif message.get("id") == self._last_id:
                return message["result"]

    def notify(self, method, **params):
        """Calls a method without waiting for anything."""
        self._send({"method": method, "params": _given(params)})

    def next_event(self, timeout=None):
        """The next event as (name, params). Raises TimeoutError."""
        if not self.events:
            before = self._socket.gettimeout()
            self._socket.settimeout(timeout)
            try:
                message = self._receive()
            finally:
                self._socket.settimeout(before)
            if "error" in message:
                raise ReeveError(message["error"])
            if "method" not in message:
                return self.next_event(timeout)
            self.events.append(message)
        event = self.events.popleft()
        return event["method"], event.get("params", {})

    def _send(self, message):
        data = encode(message)
        if len(data) > self._limit:
            raise ReeveError({"code": 101, "name": "frameTooLarge", "message": "the request is too large"})
        self._socket.sendall(data, socket.MSG_NOSIGNAL)

    def _receive(self):
        while True:
            if len(self._buffer) >= 4:
                length = struct.unpack_from("<i", self._buffer)[0]
                if not 5 <= length <= self._limit:
                    raise BSONError("a frame's length is %d" % length)
                if len(self._buffer) >= length:
                    data = bytes(self._buffer[:length])
                    del self._buffer[:length]
                    return decode(data)
            chunk = self._socket.recv(1 << 18)
            if not chunk:
                raise ConnectionError("the agent closed the connection")
            self._buffer += chunk

    def open(self, path, schema=None, create=True, **params):
        """Opens a realm, by default creating it. `schema` as in PROTOCOL.md."""
        result = self.call("realm.open", path=path, schema=schema, create=create, **params)
        return Realm(self, result, path)

    def status(self):
        return self.call("agent.status")

    def wait(self, receipt, until="uploaded", timeout=None, key=None):
        """Waits until the commit that a receipt names is in a state, or rejected, or `timeout` seconds are over. Returns
        the result of receipt.wait: its `state` is "durable", "uploaded" or "rejected". After a lost connection ask again."""
        before = self._socket.gettimeout()
        self._socket.settimeout(None if timeout is None else timeout + (before or 0))
        try:
            return self.call(
                "receipt.wait", receipt=receipt, until=until, key=key,
                timeoutMs=None if timeout is None else int(timeout * 1000))
        finally:
            self._socket.settimeout(before)


# What stands for itself in a receipt.
_PLAIN = frozenset(string.ascii_letters + string.digits + "/.-_")


def _given(params):
    return {key: value for key, value in params.items() if value is not None}


class Realm:
    """An open realm."""

    def __init__(self, client, opened, path=None):
        self.client, self.handle, self.created = client, Int32(opened["realm"]), opened.get("created", False)
        self._path, self._identity = path, opened.get("identity")
        # We read by RPC and keep no snapshot.
        self._release(opened["pin"])

    def _release(self, pin):
        self.client.notify("snapshot.release", realm=self.handle, pins=[pin])

    def close(self):
        self.client.call("realm.close", realm=self.handle)

    def query(self, class_name, where=None, arguments=None, **form):
        """Objects that match, as dicts, fetched in batches."""
        reply = self.client.call(
            "read.query", realm=self.handle, where=where, arguments=arguments, **{"class": class_name}, **form)
        while True:
            yield from reply.get("objects") or []
            if reply.get("cursor") is None:
                return
            reply = self.client.call("read.next", cursor=reply["cursor"])

    def count(self, class_name, where=None, arguments=None):
        return self.client.call(
            "read.count", realm=self.handle, where=where, arguments=arguments, **{"class": class_name})["count"]

    def aggregate(self, function, property, class_name, where=None, arguments=None):
        """`function` is min, max, sum or avg."""
        return self.client.call(
            "read.aggregate", realm=self.handle, function=function, property=property, where=where,
            arguments=arguments, **{"class": class_name})["value"]

    def get(self, class_name, key):
        """The object with that primary key, or None."""
        self_params = {"class": class_name, "key": key, "realm": self.handle}
        return self.client.call("read.get", **self_params).get("object")

    def put(self, class_name, objects, mode="upsert"):
        """Creates or changes objects in one durable transaction. Returns its result."""
        return self.client.call(
            "object.put", realm=self.handle, objects=list(objects), mode=mode, **{"class": class_name})

    def receipt(self, result):
        """The receipt of a commit, given its result: text that any process may wait with. None if nothing was changed."""
        if self._identity is None or result.get("own") is None:
            return None
        path = "".join(
            chr(byte) if chr(byte) in _PLAIN else "%%%02X" % byte for byte in os.fsencode(self._path))
        return "reeve:1:%d:%s:%s" % (result["own"], self._identity.hex, path)

    def delete(self, class_name, keys=None, where=None, arguments=None):
        """Deletes by key or by query, in one durable transaction. Returns how many went."""
        return self.client.call(
            "object.delete", realm=self.handle, keys=keys, where=where, arguments=arguments,
            **{"class": class_name})["deleted"]

    def watch(self, class_name, where=None, arguments=None, initial=False, timeout=None, **form):
        """Changes of a query's result, for ever, or until `timeout` seconds pass without one (TimeoutError)."""
        subscription = self.client.call(
            "subscribe", realm=self.handle, where=where, arguments=arguments, initial=initial,
            **{"class": class_name}, **form)["subscription"]
        try:
            while True:
                name, params = self.client.next_event(timeout)
                if name == "realm.changed":
                    self.client.notify("snapshot.release", realm=Int32(params["realm"]), pins=[params["pin"]])
                elif name == "changed" and params["subscription"] == subscription:
                    yield params
        finally:
            try:
                self.client.call("unsubscribe", subscription=subscription)
            except (OSError, ReeveError, ValueError):
                pass  # The connection is gone, and the subscription with it.


# The command -----------------------------------------------------------------------------------

def _json(value):
    """JSON for what Python's json doesn't know."""
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def _plain(value):
    """Named tuples would print as arrays."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Float):
        return value.value
    if isinstance(value, Link):
        return {"$link": value.class_name, "key": _plain(value.key)}
    if isinstance(value, GlobalKey):
        return {"$global": [value.high, value.low]}
    if isinstance(value, Timestamp):
        return {"$ts": [value.seconds, value.nanoseconds]}
    if isinstance(value, (ObjectId, Decimal128)):
        return value.bytes.hex()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Talks to the Reeve agent.")
    parser.add_argument("--socket", help="the agent's socket")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("query", "put", "watch"):
        command = commands.add_parser(name)
        command.add_argument("file")
        command.add_argument("class_name", metavar="CLASS")
        command.add_argument("text", nargs=None if name == "put" else "?", help="query, or objects as JSON")
    commands.add_parser("status")
    options = parser.parse_args(arguments)
    try:
        with Client(options.socket) as client:
            if options.command == "status":
                print(json.dumps(_plain(client.status()), default=_json))
                return 0
            realm = client.open(os.path.abspath(options.file), create=False)
            if options.command == "put":
                objects = json.loads(options.text)
                result = realm.put(options.class_name, objects if isinstance(objects, list) else [objects])
                print(json.dumps(_plain(result), default=_json))
            elif options.command == "query":
                for item in realm.query(options.class_name, options.text):
                    print(json.dumps(_plain(item), default=_json))
            else:
                for change in realm.watch(options.class_name, options.text, initial=True):
                    print(json.dumps(_plain(change), default=_json), flush=True)
    except (ReeveError, OSError, ValueError) as error:
        print("reeve_client: %s" % error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
