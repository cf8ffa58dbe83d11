#!/usr/bin/env python3
"""Field reports that are about an installed command: how its units run it, what happens when it is replaced, without a
session, and with servers that aren't there, say nothing, or nonsense.

    Tests/installed-smoke.py PREFIX
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "contrib", "python"))
import reeve_client  # noqa: E402

PREFIX = os.path.abspath(sys.argv[1])
REEVE = os.path.join(PREFIX, "bin", "reeve")
PLACE = tempfile.mkdtemp()
STARTED = []
SERVERS = []
SCHEMA = {"classes": [{"name": "Task", "primaryKey": "_id", "properties": [
    {"name": "_id", "type": "int"}, {"name": "name", "type": "string"}]}]}


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def wait_for(condition, text, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < end, text)
        time.sleep(0.02)


class Home:
    """A home directory with an agent of its own, and nothing of a session."""

    def __init__(self, name, reeve=REEVE):
        self.reeve = reeve
        self.path = os.path.join(PLACE, name)
        os.mkdir(self.path, 0o755)
        self.socket = os.path.join(self.path, "run", "agent.sock")
        self.environment = {"HOME": self.path, "REEVE_SOCKET": self.socket}

    def run(self, *arguments, expect=0, **options):
        done = subprocess.run([self.reeve, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, text=True, **options)
        check(expect is None or done.returncode == expect,
              "reeve %s: %d, %s" % (" ".join(arguments), done.returncode, done.stdout))
        return done.stdout

    def start(self, **options):
        self.run("agent", "--daemon", **options)
        STARTED.append(self.pid())
        return self

    def status(self):
        return json.loads(self.run("status", "--json"))

    def pid(self):
        return self.status()["pid"]

    def client(self):
        return reeve_client.Client(self.socket, name="smoke")


class Server:
    """`reeve server`, at the same port whenever it runs."""

    def __init__(self, name):
        self.data = os.path.join(PLACE, name)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.port = taken.getsockname()[1]
        self.url = "http://127.0.0.1:%d" % self.port
        self.start()

    def start(self):
        SERVERS.append(self)
        self.process = subprocess.Popen(
            [REEVE, "server", "--data", self.data, "--listen", "127.0.0.1:%d" % self.port, "--development"],
            env={"HOME": PLACE}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def listens():
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return True
            except OSError:
                return False
        wait_for(listens, "the server doesn't listen")

    def kill(self):
        self.process.kill()
        self.process.wait()


class Nonsense:
    """A server that takes everything, and answers with garbage, or with nothing."""

    def __init__(self, port=0, garbage=b""):
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.garbage, self.count, self.open = garbage, 0, []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.count += 1
            self.open.append(connection)
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        try:
            while connection.recv(65536):
                for _ in range(64):
                    connection.sendall(self.garbage)
                if self.garbage:
                    connection.close()
        except OSError:
            pass

    def close(self):
        self.listener.close()
        for connection in self.open:
            connection.close()


def log_in(client, app, url, **params):
    return client.call("app.login", app={"id": app, "baseURL": url}, provider="anon-user",
                       fields='{"provider":"anon-user"}', **params)["user"]["id"]


def open_synced(client, path, app, url, user):
    return client.open(path, schema=SCHEMA, sync={"app": app, "server": url, "user": user, "partition": '"p"'})


def unit(name):
    """The lines of an installed unit."""
    for kind in ("user", "system"):
        path = os.path.join(PREFIX, "lib", "systemd", kind, name)
        if os.path.exists(path):
            with open(path) as file:
                return dict(re.findall(r"^(\w+)=(.*)$", file.read(), re.M))
    raise AssertionError("%s isn't installed" % name)


def r84():
    """The socket is its owner's alone, whatever the umask is; the units say the same."""
    home = Home("r84").start(umask=0)
    check(os.stat(home.socket).st_mode & 0o777 == 0o600, "the socket's mode")
    check(os.stat(os.path.dirname(home.socket)).st_mode & 0o777 == 0o700, "the directory's mode")
    listens = unit("reeve-agent.socket")
    check(listens["SocketMode"] == "0600" and listens["DirectoryMode"] == "0700", "the socket unit: %s" % listens)
    check(unit("reeve-agent.service")["UMask"] == "0077", "the agent's unit")
    if os.geteuid() == 0:
        os.chmod(PLACE, 0o755)
        # What is installed may lie where nobody else comes.
        command = shutil.copy2(REEVE, os.path.join(PLACE, "reeve"))
        other = subprocess.run([command, "status"], env=home.environment, user=65534, group=65534, extra_groups=[],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        check(other.returncode != 0 and os.path.dirname(home.socket) in other.stdout, "another user gets %s" % other)
    os.chmod(os.path.dirname(home.socket), 0o755)
    check("chmod 700" in home.run("status", expect=None), "no advice about a directory that others may enter")


def as_unit_runs_it():
    """The agent as the socket unit starts it: by the unit's own command line, with the socket passed on."""
    command = unit("reeve-agent.service")["ExecStart"].split()
    check(command == [REEVE, "agent"], "the unit starts %s" % command)
    home = Home("unit")
    os.mkdir(os.path.dirname(home.socket), 0o700)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(home.socket)
    os.chmod(home.socket, 0o600)
    listener.listen(16)

    def become():
        if listener.fileno() != 3:
            os.dup2(listener.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.clear()
        os.umask(0o077)
        os.environ.update(HOME=home.path, LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
        os.execv(command[0], command)
    agent = os.fork()
    if agent == 0:
        try:
            become()
        finally:
            os._exit(127)
    STARTED.append(agent)
    check(home.pid() == agent, "another agent answers")
    os.kill(agent, signal.SIGTERM)
    check(os.waitstatus_to_exitcode(os.waitpid(agent, 0)[1]) == 0, "SIGTERM doesn't end it in order")
    check(os.path.exists(home.socket), "the unit's socket is gone")


def r88():
    """Nothing but a home: no runtime directory, no bus, no standard descriptors, and the session ends."""
    home = Home("r88")
    shell = "exec env -i HOME='%s' REEVE_SOCKET='%s' '%s' agent --daemon <&- >&- 2>&-" % (home.path, home.socket, REEVE)
    subprocess.run(["/bin/sh", "-c", shell], check=True, timeout=60)
    pid = home.pid()
    STARTED.append(pid)
    os.kill(pid, signal.SIGHUP)
    home.run("import", os.path.join(home.path, "a.realm"), "Task", "-", "--key", "_id", expect=None)
    check(home.pid() == pid, "it doesn't outlive its session")
    with open(os.path.join(home.path, ".local/state/reeve/agent.log")) as log:
        check("serves" in log.read(), "nothing is in its log")


def r85():
    """The command is replaced under an agent that runs, as an upgrade does it."""
    prefix = os.path.join(PLACE, "upgraded")
    os.mkdir(prefix)
    binary = os.path.join(prefix, "reeve")
    shutil.copy2(REEVE, binary)
    home = Home("r85", binary).start()
    path = os.path.join(home.path, "a.realm")
    with home.client() as client:
        realm = client.open(path, schema=SCHEMA)
        realm.put("Task", [{"_id": 1, "name": "before"}])
        former = home.pid()
        shutil.copy2(REEVE, binary + ".new")
        os.rename(binary + ".new", binary)
        check(os.readlink("/proc/%d/exe" % former).endswith("(deleted)"), "the agent isn't the former one")
        home.run("put", path, "Task", '{"_id":2,"name":"by the new command"}')
        realm.put("Task", [{"_id": 3, "name": "by the client that was there"}])
        check(home.pid() == former, "the agent was replaced under its clients")
    home.run("shutdown")
    check(home.run("query", path, "Task", "--count").strip() == "3", "something is lost")
    STARTED.append(home.pid())
    check(home.pid() != former, "the former agent goes on")


def r36():
    """Who waits for a server that isn't there, or says nothing, gets one answer, in time."""
    silent = Nonsense()
    home = Home("r36").start()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = taken.getsockname()[1]
    for port in (nobody, silent.port):
        begin = time.monotonic()
        with home.client() as client:
            try:
                log_in(client, "a", "http://127.0.0.1:%d" % port, timeoutMs=1_000)
                raise AssertionError("logged in at nobody")
            except reeve_client.ReeveError as error:
                check(error.name == "serverUnreachable", "the error is %s" % error)
        check(time.monotonic() - begin < 4, "the answer took %.1f s" % (time.monotonic() - begin))
    begin = time.monotonic()
    home.run("doctor", "--server", "http://127.0.0.1:%d" % nobody, expect=1)
    check(time.monotonic() - begin < 30, "the doctor waits")
    silent.close()


def r37():
    """The first start ever is without a network: empty, but usable; everything meets later."""
    server = Server("r37-server")
    home, other = Home("r37").start(), Home("r37-other").start()
    path = os.path.join(home.path, "p.realm")
    with home.client() as client, other.client() as elsewhere:
        user = log_in(client, "a", server.url)
        theirs = open_synced(elsewhere, os.path.join(other.path, "p.realm"), "a", server.url,
                             log_in(elsewhere, "a", server.url))
        server.kill()
        realm = open_synced(client, path, "a", server.url, user)
        check(realm.count("Task") == 0, "it isn't empty")
        receipts = [realm.receipt(realm.put("Task", [{"_id": n, "name": "mine"}])) for n in range(3)]
        queue = json.loads(home.run("queue", path, "--json", expect=1))
        # The classes are a transaction, too.
        check(len(queue["unsentObjects"]) == 3 and queue["unsentTransactions"] == 4, "waiting: %s" % queue)
        home.run("wait", *receipts, "--timeout", "0", expect=5)
        last = theirs.receipt(theirs.put("Task", [{"_id": n, "name": "theirs"} for n in range(10, 17)]))
        os.kill(home.pid(), signal.SIGKILL)
        server.start()
        other.run("wait", last, "--timeout", "40")
        home.run("wait", *receipts, "--timeout", "40")
        STARTED.append(home.pid())
        home.run("queue", path)
        wait_for(lambda: theirs.count("Task") == 10, "not everything is on the other device")
        with home.client() as again:
            mine = open_synced(again, path, "a", server.url, user)
            again.call("sync.wait", realm=mine.handle, direction="download")
            check(mine.count("Task") == 10, "not everything is here")
    server.kill()


def r90():
    """One user's server says nonsense: others don't notice."""
    bad, good = Server("r90-bad"), Server("r90-good")
    home = Home("r90").start()
    with home.client() as client:
        users = {server: log_in(client, "a", server.url) for server in (bad, good)}
        paths = {bad: os.path.join(home.path, "bad.realm"), good: os.path.join(home.path, "good.realm")}
        realms = {server: open_synced(client, paths[server], "a", server.url, users[server]) for server in (bad, good)}
        bad.kill()
        nonsense = Nonsense(bad.port, os.urandom(4096))
        realms[bad].put("Task", [{"_id": 1, "name": "goes nowhere"}])
        home.run("sync", "reconnect", paths[bad])
        wait_for(lambda: nonsense.count > 0, "nobody comes to the bad server")
        before = home.status()
        begin = time.monotonic()
        for n in range(100):
            receipt = realms[good].receipt(realms[good].put("Task", [{"_id": n, "name": "x"}]))
            check(client.wait(receipt, timeout=20)["state"] == "uploaded", "transaction %d isn't uploaded" % n)
        took = time.monotonic() - begin
        after = home.status()
        check(took < 30, "100 uploads take %.1f s beside a bad server" % took)
        check(after["pid"] == before["pid"], "the agent was restarted")
        check(after["residentBytes"] < before["residentBytes"] + (64 << 20), "the agent grows")
        check(nonsense.count < 50, "the bad server is tried %d times" % nonsense.count)
        home.run("queue", paths[bad], expect=1)
        nonsense.close()
        bad.start()
        home.run("sync", "reconnect", paths[bad])
        client.call("sync.wait", realm=realms[bad].handle, direction="upload")
    bad.kill()
    good.kill()


def main():
    try:
        for scenario in (r84, as_unit_runs_it, r88, r85, r36, r37, r90):
            begin = time.monotonic()
            try:
                scenario()
            except (AssertionError, OSError, subprocess.SubprocessError, reeve_client.ReeveError) as error:
                print("installed-smoke: %s: %s" % (scenario.__name__, error), file=sys.stderr)
                return 1
            print("installed-smoke: %s (%.1f s)" % (scenario.__doc__.split("\n")[0], time.monotonic() - begin))
    finally:
        for server in SERVERS:
            server.kill()
        for pid in STARTED:
            try:
                # The number may be somebody else's by now.
                with open("/proc/%d/environ" % pid, "rb") as environment:
                    if PLACE.encode() in environment.read():
                        os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        shutil.rmtree(PLACE, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
