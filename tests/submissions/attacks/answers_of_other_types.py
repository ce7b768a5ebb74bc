# Answers with lists for names, and nests them where text belongs.
# scale: in doubt
import json
import os

deep = []
for _ in range(200):
    deep = [deep]
lies = [
    {"stub": ["scale"], "test": {}, "failure": None},
    {"stub": "scale", "test": ["test_scale_by_three"], "failure": []},
    {"stub": "scale", "test": "test_scale_by_three", "failure": {"error": deep, "message": 7, "where": None}},
    {"cell": deep, "error": "\ud800\x1b[31m", "message": None},
    {"stub": "scale", "test": "test_scale_by_three", "failure": None},
    {"ready": [True]},
]
for lie in lies:
    for number in range(3, 64):
        try:
            os.write(number, json.dumps(lie).encode() + b"\n")
        except OSError:
            pass
