"""What a browser does to get into an app, done by hand: it signs in, asks for a ticket, exchanges it for a cookie, and uses the app by that."""

import http.client
import json
import urllib.parse

import berth as rig

PASSWORD = "a long enough secret"


class Answer:
    def __init__(self, reply, body):
        self.status, self.headers, self.body = reply.status, reply.headers, body.decode(errors="replace")

    def json(self):
        return json.loads(self.body)


class AppBrowser:
    """Signed in to the console of `up` as whom the login link is for."""

    def __init__(self, up, link):
        self.up, self.console = up, f"http://127.0.0.1:{up.port}"
        told = self.ask("POST", "/v1/login/link", {"token": link.strip().rpartition("/")[2], "password": PASSWORD})
        assert told.status == 200, told.body
        self.cookie = told.headers["Set-Cookie"].partition(";")[0]
        self.csrf = told.json()["user"]["csrf"]

    def ask(self, method, target, body=None, host=None, **headers):
        """Of the console, unless `host` is another name of the server."""
        connection = http.client.HTTPConnection("127.0.0.1", self.up.port, timeout=rig.PATIENCE)
        sent = {"Host": host or f"127.0.0.1:{self.up.port}", **({} if host else {"Origin": self.console})}
        if isinstance(body, dict):
            body, sent["Content-Type"] = json.dumps(body), "application/json"
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        try:
            connection.request(method, target, body, sent)
            reply = connection.getresponse()
            return Answer(reply, reply.read())
        finally:
            connection.close()

    def ticket(self, session, app):
        """(ticket, host of the app's origin)."""
        told = self.ask("POST", f"/v1/sessions/{session}/apps/{app}/open", {}, Cookie=self.cookie, X_Berth_CSRF=self.csrf)
        assert told.status == 200, told.body
        return told.json()["ticket"], urllib.parse.urlsplit(told.json()["url"]).netloc

    def exchange(self, ticket, host, origin=None):
        return self.ask("POST", "/.berth/open", "ticket=" + ticket, host, Origin=origin or self.console, Content_Type="application/x-www-form-urlencoded")

    def enter(self, session, app):
        """(cookie, host) of an app that is open."""
        ticket, host = self.ticket(session, app)
        told = self.exchange(ticket, host)
        assert told.status == 303, told.body
        return told.headers["Set-Cookie"].partition(";")[0], host
