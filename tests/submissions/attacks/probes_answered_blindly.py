# Answers probes before they are asked, with arrays of every kind.
# scale: in doubt
import json
import os

lies = [{"stub": "scale", "test": "test_scale_by_three", "failure": None}, {"ready": True}]
shapes = [[5], [-1], [10**12], [2**70], [0] * 40, "5", [True], None, [[5]]]
kinds = ["<f8", "O", "f8,f8", {"names": ["a"], "formats": ["f8"]}, ">f8", "V8", "U5", "M8", 3, None, "<f8" * 10**5]
lies += [{"value": {"array": [kind, shape, "AAAA"]}} for shape in shapes for kind in kinds]
lies += [{"value": {"list": 3}}, {"value": {"dict": [1]}}, {"value": {"array": 1}}, {"value": float("nan")}, {}]
for lie in lies:
    for number in range(3, 64):
        try:
            os.write(number, json.dumps(lie).encode() + b"\n")
        except OSError:
            pass
