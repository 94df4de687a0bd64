# Posts large bodies with one kept connection and says what came of each: [[status, status of the next request], …].
import json, sys

cases = json.load(sys.stdin)
body = b"x" * cases["bytes"]
origin = cases["origin"]
out = []
try:
    import requests

    print("requests " + requests.__version__, file=sys.stderr)
    session = requests.Session()

    def send(method, path, headers, data):
        return session.request(method, origin + path, headers=headers, data=data, timeout=30).status_code

except ImportError:
    import http.client

    print("http.client, for there is no requests", file=sys.stderr)
    host = origin.split("//")[1]
    held = {"connection": http.client.HTTPConnection(host, timeout=30)}

    def send(method, path, headers, data):
        connection = held["connection"]
        connection.request(method, path, body=data, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status


for method, path, headers in cases["posts"]:
    try:
        status = send(method, path, headers, body)
        out.append([status, send("GET", "/health/live", {}, None)])
    except Exception as error:
        out.append([type(error).__name__, str(error)])
json.dump(out, sys.stdout)
