"""Tests of the client's codec: python3 -m unittest discover contrib/python

With REEVE_BSON_SAMPLES naming a file of documents one after another, all of them are read, too. With REEVE_TEST_REALM
naming a file to make, the agent at REEVE_SOCKET is talked to.
"""

import datetime
import os
import struct
import unittest
import uuid

import reeve_client as reeve


class CodecTests(unittest.TestCase):
    def test_frames_of_the_protocol_page(self):
        hello = {"id": 1, "method": "hello", "params": {
            "protocol": reeve.Int32(1), "client": "app", "pid": reeve.Int32(42), "version": "0.1",
            "features": ["descriptors"]}}
        self.assertEqual(reeve.encode(hello).hex(), (
            "8a000000" "126964000100000000000000" "026d6574686f64000600000068656c6c6f00" "03706172616d73005f000000"
            "1070726f746f636f6c0001000000" "02636c69656e74000400000061707000" "10706964002a000000"
            "0276657273696f6e0004000000302e3100" "04666561747572657300180000000230000c00000064657363726970746f727300"
            "00" "00" "00"))
        failure = reeve.decode(bytes.fromhex(
            "4f000000" "126964000700000000000000" "036572726f720037000000" "10636f64650067000000"
            "026e616d65000e000000756e6b6e6f776e4d6574686f6400" "026d65737361676500030000006e6f00" "0000"))
        self.assertEqual(failure, {"id": 7, "error": {"code": 103, "name": "unknownMethod", "message": "no"}})

    def test_values_there_and_back(self):
        zone = datetime.timezone.utc
        values = {
            "null": None, "bool": True, "int": -(1 << 63), "double": 0.1, "string": "na\u00efve \0 \U0001f40e",
            "bytes": b"\0\xff", "uuid": uuid.UUID(int=5), "id": reeve.ObjectId("0102030405060708090a0b0c"),
            "date": datetime.datetime(1969, 12, 31, 23, 59, 59, 995000, tzinfo=zone),
            "exact": reeve.Timestamp(-1, -1), "float": reeve.Float(0.5), "decimal": reeve.Decimal128(bytes(range(16))),
            "link": reeve.Link("Dog", 3), "hidden": reeve.Link("Dog", reeve.GlobalKey(1, 2)),
            "list": [1, [], {"a": [None]}], "document": {}, "": 1,
        }
        self.assertEqual(reeve.decode(reeve.encode(values)), values)

    def test_microseconds_travel_as_seconds_and_nanoseconds(self):
        for microseconds, expected in ((1, (0, 1000)), (-1, (0, -1000)), (-1_000_001, (-1, -1000))):
            moment = reeve.EPOCH + datetime.timedelta(microseconds=microseconds)
            self.assertEqual(reeve.decode(reeve.encode({"t": moment}))["t"], reeve.Timestamp(*expected))

    def test_the_first_of_two_equal_keys_counts(self):
        self.assertEqual(reeve.decode(bytes.fromhex("13000000" "10610001000000" "10610002000000" "00")), {"a": 1})

    def test_malformed_documents_are_refused(self):
        whole = reeve.encode({"a": 1, "b": "text", "c": [True], "d": b"bytes"})
        for length in range(len(whole)):
            with self.assertRaises(reeve.BSONError):
                reeve.decode(whole[:length])
            with self.assertRaises(reeve.BSONError):
                reeve.decode(struct.pack("<i", length) + whole[4:length])
        for wrong in ("0e000000026100ffffffff610000", "0e0000000261000200000061610000", "090000000861000200",
                      "080000000b610000", "0d000000056100ffffff7f0000"):
            with self.assertRaises(reeve.BSONError):
                reeve.decode(bytes.fromhex(wrong))
        bomb = b"\x05\0\0\0\0"
        for _ in range(300):
            bomb = struct.pack("<i", len(bomb) + 8) + b"\x030\0" + bomb + b"\0"
        with self.assertRaises(reeve.BSONError):
            reeve.decode(bomb)

    def test_what_cannot_travel_is_refused(self):
        for value in ({"a\0b": 1}, {"a": 1 << 63}, {"a": object()}, {"a": datetime.datetime(2020, 1, 1)}):
            with self.assertRaises(reeve.BSONError):
                reeve.encode(value)

    @unittest.skipUnless(os.environ.get("REEVE_BSON_SAMPLES"), "no samples given")
    def test_samples(self):
        with open(os.environ["REEVE_BSON_SAMPLES"], "rb") as file:
            data = file.read()
        count = 0
        while data:
            length = struct.unpack_from("<i", data)[0]
            document = reeve.decode(data[:length])
            self.assertEqual(reeve.decode(reeve.encode(document)), document)
            data, count = data[length:], count + 1
        self.assertEqual(count, int(os.environ["REEVE_BSON_SAMPLE_COUNT"]))


class LocationTests(unittest.TestCase):
    def test_where_the_socket_is(self):
        self.assertEqual(reeve.socket_path({"REEVE_SOCKET": "/x/s", "XDG_RUNTIME_DIR": "/run"}), "/x/s")
        self.assertEqual(reeve.socket_path({"XDG_RUNTIME_DIR": "/run/user/7"}), "/run/user/7/reeve/agent.sock")
        self.assertEqual(reeve.socket_path({"XDG_RUNTIME_DIR": "x"}), "/tmp/reeve-%d/agent.sock" % os.getuid())


@unittest.skipUnless(os.environ.get("REEVE_TEST_REALM"), "no agent given: REEVE_SOCKET and REEVE_TEST_REALM")
class AgentTests(unittest.TestCase):
    """Against a running agent, in a realm that doesn't exist yet."""

    SCHEMA = {"classes": [{"name": "Dog", "primaryKey": "name", "properties": [
        {"name": "name", "type": "string"}, {"name": "age", "type": "int"}]}]}

    def setUp(self):
        self.client = reeve.Client(name="python test")
        self.addCleanup(self.client.close)

    def test_a_realm_from_creation_to_deletion(self):
        path = os.environ["REEVE_TEST_REALM"]
        realm = self.client.open(path, schema=self.SCHEMA)
        self.assertTrue(realm.created)
        put = realm.put("Dog", [{"name": "Rex", "age": 3}, {"name": "Ada", "age": 5}])
        self.assertEqual(put["created"], 2)
        self.assertEqual(realm.count("Dog"), 2)
        self.assertEqual([dog["name"] for dog in realm.query("Dog", "age > $0", [4])], ["Ada"])
        self.assertEqual(realm.aggregate("sum", "age", "Dog"), 8)
        self.assertEqual(realm.get("Dog", "Rex")["age"], 3)
        self.assertIsNone(realm.get("Dog", "nobody"))

        changes = realm.watch("Dog", "age > 4", initial=True, timeout=20)
        self.assertEqual([dog["name"] for dog in next(changes)["insertions"]], ["Ada"])
        realm.put("Dog", [{"name": "Rex", "age": 6}])
        self.assertEqual([dog["name"] for dog in next(changes)["insertions"]], ["Rex"])
        changes.close()

        self.assertEqual(realm.delete("Dog", keys=["Rex"]), 1)
        self.assertEqual(realm.delete("Dog", where="age > 0"), 1)
        self.assertEqual(realm.count("Dog"), 0)
        self.assertIn(path, [known["path"] for known in self.client.call("realm.list")["realms"]])
        realm.close()

    def test_many_objects_come_in_batches(self):
        realm = self.client.open(os.environ["REEVE_TEST_REALM"] + "-many", schema=self.SCHEMA)
        realm.put("Dog", ({"name": "dog %d" % n, "age": n} for n in range(3000)))
        self.assertEqual(sorted(dog["age"] for dog in realm.query("Dog", batch=reeve.Int32(100))), list(range(3000)))

    def test_refusals_have_names(self):
        with self.assertRaises(reeve.ReeveError) as caught:
            self.client.open(os.environ["REEVE_TEST_REALM"] + "-absent", create=False)
        self.assertEqual(caught.exception.name, "fileNotFound")
        self.assertEqual(self.client.status()["pid"], self.client.agent["pid"])


if __name__ == "__main__":
    unittest.main()
