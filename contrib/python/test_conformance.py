"""What a client in any language has to get right, against a running agent, each point by the protocol's page:
hello, errors, cursors, write transactions, subscriptions, reconnecting. Run as test_reeve_client.py."""

import os
import subprocess
import sys
import time
import unittest
import uuid

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reeve_client as reeve  # noqa: E402

REALM = os.environ.get("REEVE_TEST_REALM")


class Changes:
    """An instruction stream in Realm's encoding, as far as these tests need it."""

    def __init__(self):
        self.bytes, self._strings = bytearray(), {}

    def _number(self, value):
        negative, value = value < 0, -(value + 1) if value < 0 else value
        while value >= 64:
            self.bytes.append(0x80 | value & 0x7F)
            value >>= 7
        self.bytes.append((0x40 if negative else 0) | value)

    def _string(self, text):
        if text not in self._strings:
            self._strings[text] = len(self._strings)
            self._number(0x3F)
            self._number(self._strings[text])
            self._number(len(text.encode()))
            self.bytes += text.encode()
        return self._strings[text]

    def create(self, class_name, key):
        names = [self._string(class_name), self._string(key)]
        self.bytes += b"\x02"
        self._number(names[0])
        self.bytes += b"\x03"
        self._number(names[1])

    def set_int(self, class_name, key, field, value):
        names = [self._string(text) for text in (class_name, key, field)]
        self.bytes += b"\x04"
        self._number(names[0])
        self.bytes += b"\x03"
        self._number(names[1])
        self._number(names[2])
        self.bytes += b"\x00\x01"
        self._number(value)
        self.bytes += b"\x00"


@unittest.skipUnless(REALM, "no agent given: REEVE_SOCKET and REEVE_TEST_REALM")
class ConformanceTests(unittest.TestCase):
    SCHEMA = {"classes": [{"name": "Dog", "primaryKey": "name", "properties": [
        {"name": "name", "type": "string"}, {"name": "age", "type": "int"}]}]}

    def setUp(self):
        self.client = reeve.Client(name="conformance")
        self.addCleanup(lambda: self.client.close())

    def realm(self, name):
        return self.client.open("%s-%s" % (REALM, name), schema=self.SCHEMA)

    def refused(self, name, method, **params):
        with self.assertRaises(reeve.ReeveError) as caught:
            self.client.call(method, **params)
        self.assertEqual(caught.exception.name, name)
        return caught.exception

    # hello

    def test_hello_says_who_answers_and_what_fits(self):
        agent = self.client.agent
        self.assertEqual(agent["protocol"], 1)
        self.assertGreater(agent["limits"]["frame"], 1 << 16)
        self.assertIsInstance(agent["features"], list)

    def test_nothing_goes_before_hello(self):
        raw = reeve.socket.socket(reeve.socket.AF_UNIX, reeve.socket.SOCK_STREAM)
        self.addCleanup(raw.close)
        raw.settimeout(20)
        raw.connect(reeve.socket_path())
        raw.sendall(reeve.encode({"id": 1, "method": "agent.status", "params": {}}))
        self.assertEqual(self.answer(raw)["error"]["name"], "helloRequired")

    def test_a_protocol_of_the_future_is_refused_with_those_that_are_there(self):
        raw = reeve.socket.socket(reeve.socket.AF_UNIX, reeve.socket.SOCK_STREAM)
        self.addCleanup(raw.close)
        raw.settimeout(20)
        raw.connect(reeve.socket_path())
        raw.sendall(reeve.encode({"id": 1, "method": "hello", "params": {
            "protocol": reeve.Int32(99), "client": "future", "pid": reeve.Int32(1), "features": []}}))
        self.assertEqual(self.answer(raw)["error"]["name"], "unsupportedProtocol")

    def answer(self, raw):
        data = b""
        while len(data) < 4 or len(data) < int.from_bytes(data[:4], "little"):
            chunk = raw.recv(65536)
            if not chunk:
                self.fail("the agent closed the connection after %r" % data)
            data += chunk
        return reeve.decode(data[:int.from_bytes(data[:4], "little")])

    # errors

    def test_errors_have_names_facts_and_leave_the_connection(self):
        self.refused("unknownMethod", "no.such.method")
        self.refused("badParams", "realm.open", path=reeve.Int32(5))
        self.refused("unknownRealm", "read.count", realm=reeve.Int32(9999), **{"class": "Dog"})
        realm = self.realm("errors")
        self.refused("unknownClass", "read.count", realm=realm.handle, **{"class": "Cat"})
        error = self.refused("badQuery", "read.count", realm=realm.handle, where="age >", **{"class": "Dog"})
        self.assertGreater(len(str(error)), 10)
        self.refused("objectMissing", "object.put", realm=realm.handle, mode="update",
                     objects=[{"name": "nobody", "age": 1}], **{"class": "Dog"})
        self.assertEqual(realm.count("Dog"), 0)

    def test_bytes_that_are_no_frame_end_the_connection(self):
        self.client._socket.sendall(b"\x05\x00\x00\x00\x01")
        self.client._socket.settimeout(20)
        with self.assertRaises((reeve.ReeveError, ConnectionError)):
            self.client.call("agent.status")
            self.client.call("agent.status")

    # cursors

    def test_a_cursor_stays_at_its_version_and_ends(self):
        realm = self.realm("cursors")
        realm.put("Dog", [{"name": "dog %d" % n, "age": n} for n in range(50)])
        query = {"realm": realm.handle, "class": "Dog", "sort": [["age", True]], "batch": reeve.Int32(20)}
        first = self.client.call("read.query", **query)
        self.assertEqual(first["count"], 50)
        realm.delete("Dog", where="age >= 0")
        ages, reply = [dog["age"] for dog in first["objects"]], first
        while reply.get("cursor") is not None:
            reply = self.client.call("read.next", cursor=reply["cursor"])
            self.assertEqual(reply["version"], first["version"])
            ages += [dog["age"] for dog in reply["objects"]]
        self.assertEqual(ages, list(range(50)))
        self.refused("unknownCursor", "read.next", cursor=first["cursor"])

    def test_a_cursor_can_be_closed(self):
        realm = self.realm("cursors-closed")
        realm.put("Dog", [{"name": "dog %d" % n, "age": n} for n in range(50)])
        cursor = self.client.call("read.query", realm=realm.handle, batch=reeve.Int32(10), **{"class": "Dog"})["cursor"]
        self.client.call("read.close", cursor=cursor)
        self.refused("unknownCursor", "read.next", cursor=cursor)

    # write transactions

    def test_a_transaction_is_seen_by_itself_then_by_all(self):
        realm = self.realm("write")
        began = self.client.call("write.begin", realm=realm.handle)
        changes = Changes()
        changes.create("Dog", "Rex")
        changes.set_int("Dog", "Rex", "age", 300)
        half = len(changes.bytes) // 2
        here = {"realm": realm.handle, "transaction": began["transaction"]}
        self.client.notify("write.append", changes=bytes(changes.bytes[:half]), **here)
        self.client.notify("write.append", changes=bytes(changes.bytes[half:]), **here)
        inside = self.client.call("write.query", where="age == 300", **here, **{"class": "Dog"})
        self.assertEqual(inside["count"], 1)
        self.assertEqual(realm.count("Dog"), 0)
        uid = uuid.uuid4()
        done = self.client.call("write.commit", changes=b"", uid=uid, **here)
        realm._release(done["pin"])
        self.assertEqual(realm.get("Dog", "Rex")["age"], 300)
        known = self.client.call("write.outcome", realm=realm.handle, uid=uid, after=began["version"])
        self.assertLessEqual(known["version"], done["version"])
        unknown = self.client.call("write.outcome", realm=realm.handle, uid=uuid.uuid4(), after=began["version"])
        self.assertNotIn("version", unknown)

    def test_a_cancelled_transaction_and_a_wrong_one_leave_nothing(self):
        realm = self.realm("cancel")
        changes = Changes()
        changes.create("Dog", "Rex")
        for end in ("cancel", "wrong"):
            began = self.client.call("write.begin", realm=realm.handle)
            here = {"realm": realm.handle, "transaction": began["transaction"]}
            self.client.notify("write.append", changes=bytes(changes.bytes), **here)
            if end == "cancel":
                self.client.call("write.cancel", **here)
            else:
                self.refused("badChangeset", "write.commit", changes=b"\x3e", uid=uuid.uuid4(), **here)
        self.assertEqual(realm.count("Dog"), 0)

    def test_a_transaction_waits_for_another_and_a_dead_client_holds_nobody_up(self):
        realm = self.realm("turns")
        other = reeve.Client(name="dies")
        theirs = other.open("%s-turns" % REALM, schema=self.SCHEMA)
        other.call("write.begin", realm=theirs.handle)
        other.close()
        self.assertEqual(realm.put("Dog", [{"name": "Rex", "age": 1}])["created"], 1)

    # receipts

    def test_a_receipt_names_a_commit_for_every_process(self):
        realm = self.realm("receipts of ö")
        result = realm.put("Dog", [{"name": "Rex", "age": 1}])
        receipt = realm.receipt(result)
        self.assertRegex(receipt, "^reeve:1:%d:[0-9a-f]{32}:/[A-Za-z0-9/._%%-]+$" % result["own"])
        other = reeve.Client(name="waits")
        self.addCleanup(other.close)
        self.assertEqual(other.wait(receipt, until="durable")["state"], "durable")
        self.assertEqual(other.wait(receipt, timeout=0)["state"], "durable")
        with self.assertRaises(reeve.ReeveError) as caught:
            other.wait(receipt)
        self.assertEqual(caught.exception.name, "notSynced")
        for wrong in ("", "reeve:1:5", receipt.replace("reeve:1:", "reeve:9:")):
            with self.assertRaises(reeve.ReeveError) as caught:
                other.wait(wrong, until="durable")
            self.assertEqual(caught.exception.name, "badParams")
        later = receipt.replace(":%d:" % result["own"], ":%d:" % (result["own"] + 1000))
        with self.assertRaises(reeve.ReeveError) as caught:
            other.wait(later, until="durable")
        self.assertEqual(caught.exception.name, "outcomeUnknown")
        self.assertIsNone(realm.receipt(self.client.call(
            "object.delete", realm=realm.handle, keys=["nobody"], **{"class": "Dog"})))

    # subscriptions

    def test_a_subscription_tells_of_others_changes_exactly(self):
        realm = self.realm("subscribe")
        other = reeve.Client(name="writer")
        self.addCleanup(other.close)
        theirs = other.open("%s-subscribe" % REALM, schema=self.SCHEMA)
        changes = realm.watch("Dog", "age > 10", initial=True, timeout=20)
        self.assertEqual(next(changes)["insertions"], [])
        theirs.put("Dog", [{"name": "Rex", "age": 11}, {"name": "Ada", "age": 1}])
        self.assertEqual([dog["name"] for dog in next(changes)["insertions"]], ["Rex"])
        theirs.put("Dog", [{"name": "Ada", "age": 2}])
        theirs.put("Dog", [{"name": "Rex", "age": 12}])
        change = next(changes)
        self.assertEqual([dog["age"] for dog in change["modifications"]], [12])
        theirs.delete("Dog", keys=["Rex"])
        change = next(changes)
        self.assertEqual([dog["name"] for dog in change["deletions"]], ["Rex"])
        self.assertEqual(change["count"], 0)
        changes.close()
        self.refused("unknownSubscription", "unsubscribe", subscription=reeve.Int32(12345))

    # reconnecting

    @unittest.skipUnless(os.environ.get("REEVE_AGENT"), "no REEVE_AGENT to start an agent with")
    def test_after_the_agent_came_back_everything_is_opened_anew(self):
        realm = self.realm("reconnect")
        realm.put("Dog", [{"name": "Rex", "age": 1}])
        former = self.client.agent["pid"]
        self.client.call("agent.shutdown")
        with self.assertRaises((ConnectionError, OSError, reeve.ReeveError)):
            for _ in range(1000):
                self.client.call("agent.status")
                time.sleep(0.01)
        subprocess.run([os.environ["REEVE_AGENT"], "agent", "--daemon"], check=True, timeout=30)
        self.client.close()
        self.client = reeve.Client(name="conformance again")
        self.assertNotEqual(self.client.agent["pid"], former)
        self.refused("unknownRealm", "read.count", realm=realm.handle, **{"class": "Dog"})
        again = self.realm("reconnect")
        self.assertEqual(again.get("Dog", "Rex")["age"], 1)
        changes = again.watch("Dog", initial=True, timeout=20)
        self.assertEqual(len(next(changes)["insertions"]), 1)
        changes.close()


if __name__ == "__main__":
    unittest.main()
