"""Module 20: entries that win, win; cheats are refused or gain nothing; a record comes out the same when it is judged again."""

import bz2
import copy
import json
import lzma
import re
import sys
import time
import zlib
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import tinytorch as torch
from tinytorch import capstone
from tinytorch.capstone import ANSWERS, DIGITS, TEXT, Entry, Event, run_again, run_event

pytestmark = pytest.mark.slow  # each judgement is a process that measures

ENTRIES = Path(__file__).parent / "entries"
LATENCY, MEMORY = Event("latency", "digits"), Event("memory", "digits")
QUESTIONS = Event("latency", "answers")


def judged(name, event=LATENCY, seed=1, **options):
    return run_event(event, Entry.from_file(ENTRIES / f"{name}.py"), seed, **options)


def source(body, before=""):
    """An entry of a few lines."""
    return Entry(
        "inline",
        f"import numpy as np\nfrom tinytorch import nn\n{before}\ndef entry(model, *data):\n{body}\n",
    )


def answering(expression):
    """An entry whose model answers with an expression of x and of the baseline's logits z."""
    before = f"""
class Other(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        z = self.model(x).numpy()
        return {expression}
"""
    return source("    return Other(model)", before)


@pytest.fixture(scope="module")
def dense():
    return judged("dense_lenet")


@pytest.fixture(scope="module")
def small():
    return judged("int8_lenet", MEMORY, pairs=6)


@pytest.fixture(scope="module")
def refused():
    return run_event(LATENCY, source("    return 3"), seed=1)


def test_matrices_win_in_latency_and_lose_in_memory(dense):
    assert dense["verdict"] == "wins", dense
    before, after = dense["measured"]["accuracy"]
    assert before == after > 0.9, "the same answers"
    assert dense["scores"]["memory"][2] < 0.5


def test_int8_wins_in_memory(small):
    assert small["verdict"] == "wins", small
    old, new = small["measured"]["bytes"]
    assert old / new > 3
    before, after = small["measured"]["accuracy"]
    assert after > before - 0.01


def test_an_entry_judged_again_has_the_same_verdict(dense):
    differences, again = run_again(dense)
    assert differences == []
    assert again["measured"] == dense["measured"], "the same images, so the same answers"
    assert judged("dense_lenet", seed=2)["verdict"] == "wins", "and with other images"


def test_the_baseline_is_not_better_than_itself():
    record = judged("unchanged")
    assert record["verdict"] == "no difference shown"
    assert record["scores"]["accuracy"] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", ["constant", "skips_later", "changed_harness"])
def test_who_answers_without_work_is_below_the_floor(name):
    record = judged(name, pairs=15)
    assert (record["verdict"], record["scores"]["latency"][1] > 0) == ("refused", True)
    assert re.fullmatch(r"an accuracy of 0\.\d+ is below the floor, 0\.9\d+", record["reason"])


def cached(images, labels, key):
    """An entry that knows the held-back labels, by a key of each image."""
    table = {key(image): int(label) for image, label in zip(images, labels)}
    before = f"""
import zlib
TABLE = {table!r}

class Cached(nn.Module):
    def forward(self, x):
        said = [{"TABLE.get(zlib.crc32(one.tobytes()), 3)" if key is by_bytes else "TABLE[i]"}
                for i, one in enumerate(x.numpy())]
        return np.eye(10, dtype=np.float32)[said]
"""
    return source("    return Cached()", before)


def by_bytes(image):
    return zlib.crc32(image.tobytes())


@pytest.mark.parametrize("key", ["bytes", "position"])
def test_cached_answers_fit_no_input(key):
    images, labels = DIGITS.parts[1]
    places = iter(range(360))
    entry = cached(images, labels, by_bytes if key == "bytes" else lambda image: next(places))
    assert len(entry.source.encode()) < 12_000, "it would be allowed"
    record = run_event(LATENCY, entry, seed=1, pairs=6)
    assert record["verdict"] == "refused"
    assert "below the floor" in record["reason"]
    assert record["measured"]["accuracy"][1] < 0.25


@pytest.mark.parametrize("name", ["changed_clock", "slows_others"])
def test_who_changes_clocks_or_disturbs_others_gains_nothing(name):
    assert judged(name, pairs=15)["verdict"] in ("no difference shown", "loses")


@pytest.mark.parametrize(
    "name,reason",
    [
        ("reads_digits", "it reads held-back data: .*digits.npz"),
        ("reads_file", "it reads held-back data: .*digits.npz"),
        ("reads_text", "it reads held-back data: .*pydoc_data.*"),
        ("asks_a_process", "it reaches out of its process: subprocess.Popen"),
        ("writes_harness", "it writes a file: .*judging.py"),
    ],
)
def test_who_reaches_for_what_is_held_back_is_ended(name, reason):
    before = (Path(capstone.__file__).parent / "given" / "capstone" / "judging.py").read_bytes()
    record = judged(name, Event("accuracy", "text" if name == "reads_text" else "digits"))
    assert record["verdict"] == "refused"
    assert re.fullmatch(reason, record["reason"]), record["reason"]
    after = (Path(capstone.__file__).parent / "given" / "capstone" / "judging.py").read_bytes()
    assert after == before


def test_weights_that_are_not_handed_over_do_not_exist():
    record = judged("hides_weights", MEMORY)
    assert record["verdict"] == "refused"
    assert "IndexError" in record["reason"]


def test_the_held_back_text_does_not_fit_into_an_entry():
    text = "".join(TEXT.parts[2][i] for i in TEXT.parts[1])
    entry = Entry("all of it", f"TEXT = {text!r}\n\ndef entry(model, ids): return model\n")
    record = run_event(Event("accuracy", "text"), entry, seed=1)
    assert (record["verdict"], "bytes" in record["reason"]) == ("refused", True)
    for packed in (
        zlib.compress(text.encode(), 9),
        bz2.compress(text.encode()),
        lzma.compress(text.encode()),
    ):
        assert len(packed) > 1.5 * 12_000, "nor when it is compressed"
    rare = "".join(chr(0x20000 + i) for i in range(4000))  # few characters of many bytes
    entry = Entry("in few characters", f"TEXT = {rare!r}\n\ndef entry(model, ids): return model\n")
    assert len(entry.source) < 12_000
    assert "bytes" in run_event(Event("accuracy", "text"), entry, seed=1)["reason"]


@pytest.mark.parametrize(
    "entry,reason",
    [
        (answering("z[:, :9]"), "an answer has the shape (360, 9), and (360, 10) is wanted"),
        (answering("np.full_like(z, np.nan)"), "an answer holds what is not a finite floating point number"),
        (answering("z.astype(object)"), "it stopped: ValueError: "),
        (source("    return 3"), "it stopped: TypeError: entry returns a int, and a Module is wanted"),
        (Entry("broken", "def entry(:\n"), "it stopped: SyntaxError: "),
    ],
    ids=["shape", "nan", "objects", "number", "syntax"],
)
def test_what_is_no_model_is_refused_with_a_sentence(entry, reason):
    record = run_event(LATENCY, entry, seed=1, pairs=6)
    assert record["verdict"] == "refused"
    assert record["reason"].startswith(reason), record["reason"]
    assert capstone.is_intact(record)


@pytest.mark.parametrize("pairs", [3, 6])
def test_the_mean_of_all_scores_is_asked_for_numbers_above_0_alone(pairs, monkeypatch):
    asked, mean = [], capstone.all_round
    noted = lambda scores: asked.append(scores) or mean(scores)
    monkeypatch.setattr(sys.modules["tinytorch.given.capstone.judging"], "all_round", noted)
    wrong = run_event(LATENCY, answering("-z"), seed=1, pairs=pairs)
    assert "below the floor" in wrong["reason"]
    assert wrong["scores"]["accuracy"][1] < 0.1
    assert asked == [], "what is below the floor has no score of all"
    record = run_event(MEMORY, source("    return model"), seed=1, pairs=pairs)
    if pairs < 6:
        assert record["reason"] == "3 pairs of runs are too few for an interval of 95%"
        assert asked == []
    else:
        assert record["verdict"] != "refused"
        assert min(min(s.ratio, s.low, s.high) for s in asked[0]) > 0


def test_an_entry_that_does_not_end_is_ended():
    model, data = DIGITS.baseline, DIGITS.data
    with pytest.raises(capstone.Refused, match="no answer within 2 seconds"):
        capstone.build_entry("def entry(*all):\n    while True: pass\n", "entry", model, data, 1, seconds=2)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the clock is the one on the wall")
def test_the_clock_counts_the_work_of_who_is_asked_and_nothing_else():
    messages = [capstone.to_bytes(x) for x in DIGITS.run(1, 0)[0]]
    with capstone.Contender("", DIGITS.baseline, 1) as one:
        clock = capstone.clock_of(one)
        begin = clock()
        time.sleep(0.1)
        assert clock() - begin < 0.01, "it stands still while nobody asks"
        begin = clock()
        for _ in range(5):
            one.ask(messages)
        assert clock() - begin > 0.005


@pytest.fixture(scope="module")
def small_language():
    """The task of answers with the small model, which is the baseline where SmolLM2's file is not."""
    task = type(ANSWERS)()
    task.path = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(capstone.TASKS, "answers", task)
        yield task


def test_cache_kernels_and_4_bits_win_on_answers(small_language):
    record = judged("answers_in_4_bits", QUESTIONS)
    assert record["verdict"] == "wins", record
    old, new = record["measured"]["bytes"]
    assert old / new > 2.5
    before, after = record["measured"]["accuracy"]
    assert abs(after / before - 1) < 0.05


def test_with_a_cache_the_accuracy_and_the_likeliest_answer_are_the_baselines(small_language):
    model, streaming = small_language.model(), capstone.Streaming(small_language.model())
    for number in range(4):
        inputs, truth = small_language.run(7, number)
        with torch.no_grad():
            said = [one(torch.tensor(x)).numpy() for one in (model, streaming) for x in inputs]
        plain, cached = [z[:, -1] for z in said[: len(inputs)]], said[len(inputs) :]
        np.testing.assert_allclose(
            small_language.mark(truth, cached), small_language.mark(truth, plain), rtol=1e-4
        )
        assert [z.argmax() for z in cached] == [z.argmax() for z in plain]
    prompt = torch.tensor([small_language.tokens(truth[0][0])])
    whole = [model.generate(prompt, 12, temperature=0.0, use_cache=cache) for cache in (False, True)]
    assert torch.equal(*whole)


def test_the_small_model_says_a_question_again(small_language):
    rng = np.random.default_rng(3)
    for _ in range(5):
        question = small_language.question(rng)
        prompt = torch.tensor([small_language.tokens(question)])
        said = small_language.model().generate(prompt, 12, temperature=0.0).numpy()[0, 12:]
        assert small_language.text(said) == " ".join(re.findall(r"\w+", question))


def stored_answers(task, count):
    """A table of questions and answers, as tokens: those of runs with another seed than the judge's."""
    runs = [task.run(2, number)[1][0] for number in range(count)]
    return [[task.tokens(question), list(answer)] for question, answer in runs]


@pytest.mark.parametrize("where", ["in the source", "in the model"])
def test_stored_answers_fit_no_question(where, small_language):
    """Of the stored questions the most similar one is answered, with half of all chances for its tokens.

    The source has 12,000 bytes, for some hundred of them; the model as many as it likes, made before any is asked.
    """
    table = repr(stored_answers(small_language, 100)) if where == "in the source" else "None"
    code = (ENTRIES / "stored_answers.py").read_text().replace("STORED = None", f"STORED = {table}")
    entry = Entry("stored", code)
    assert len(entry.source.encode()) < 12_000, "it would be allowed"
    record = run_event(QUESTIONS, entry, seed=1)
    assert (record["verdict"], "below the floor" in record["reason"]) == ("refused", True), record
    assert record["measured"]["accuracy"][1] < 0.5 * record["measured"]["floor"]


def test_surer_logits_are_no_better(small_language):
    """Answers are drawn from the baseline's chances, so no others have a higher mean mark."""
    marks = dict.fromkeys((0.25, 0.5, 1, 2, 4, 8), 0.0)
    for number in range(60):
        inputs, truth = small_language.run(5, number)
        with torch.no_grad():
            z = small_language.model()(torch.tensor(inputs[-1])).numpy()[0, 11:]
        for factor in marks:
            marks[factor] += float(small_language.mark(truth, list(factor * z[:, None]))[0])
    assert max(marks, key=marks.get) == 1, marks


def test_a_question_is_one_of_768_000_of_twelve_words():
    assert ANSWERS.count == 768_000
    rng = np.random.default_rng(1)
    drawn = [ANSWERS.question(rng) for _ in range(200)]
    assert len(set(drawn)) == 200
    assert {len(re.findall(r"\w+", question)) for question in drawn} == {12}
    assert len({question.split()[0] for question in drawn}) > 5


def test_an_answers_next_token_is_revealed_only_after_the_contenders(small_language):
    inputs, ((question, answer),) = small_language.run(3, 0)
    prompt = small_language.tokens(question)
    assert [x.tolist() for x in inputs] == [[prompt + list(answer[:t])] for t in range(len(answer))]


@pytest.mark.skipif(not ANSWERS.path, reason="SmolLM2's file, which make milestone chat fetches")
def test_stored_answers_do_not_fit_what_is_drawn_from_smollm2():
    table, marks, model = stored_answers(ANSWERS, 8), ([], []), ANSWERS.model()
    for number in range(3):
        inputs, truth = ANSWERS.run(1, number)
        prompt, V = inputs[0][0], model.config.vocab_size
        nearest = max(table, key=lambda one: sum(a == b for a, b in zip(one[0], prompt)))[1]
        z = np.zeros((len(inputs), 1, V))
        for at, token in enumerate(nearest[: len(inputs)]):
            z[at, 0, token] = np.log(V)
        with torch.no_grad():
            whole = model(torch.tensor(inputs[-1])).numpy()[:, len(prompt) - 1 :]
        for kept, logits in zip(marks, (whole.swapaxes(0, 1).astype(float), z)):
            kept.append(ANSWERS.mark(truth, list(logits))[0])
    before, after = (float(ANSWERS.quality(np.array(kept))) for kept in marks)
    assert after < 0.5 * ANSWERS.floor * before


def test_inputs_are_new_and_the_same_for_one_seed(small_language):
    for task in (DIGITS, TEXT, small_language):
        one, again, other = task.run(1, 0), task.run(1, 0), task.run(2, 0)
        assert all(np.array_equal(a, b) for a, b in zip(one[0], again[0]))
        assert not np.array_equal(one[0][0], other[0][0])
        assert not np.array_equal(one[0][0], task.run(1, 1)[0][0])
    known = {image.tobytes() for image in DIGITS.parts[1][0]}
    assert not known & {image.tobytes() for image in DIGITS.run(1, 0)[0][0]}
    starts = np.concatenate([TEXT.run(1, number)[1] for number in range(13)])
    assert np.diff(np.sort(starts)).min() >= TEXT.length, "no character is asked for twice in a judging"


def test_the_next_character_is_revealed_only_after_the_answer():
    inputs, starts = TEXT.run(3, 0)
    ids = TEXT.parts[1]
    for t, x in enumerate(inputs, TEXT.start):
        assert x.shape == (8, t)
        assert np.array_equal(x, ids[starts[:, None] + np.arange(t)])


def test_the_baseline_is_clearly_above_bigrams_and_the_floor_is_too():
    ids, _, alphabet = TEXT.parts
    counts = np.ones((len(alphabet),) * 2)
    np.add.at(counts, (ids[:-1], ids[1:]), 1)
    bigrams, model, marks = np.log(counts / counts.sum(1, keepdims=True)), TEXT.model(), ([], [])
    for number in range(8):
        inputs, truth = TEXT.run(11, number)
        with torch.no_grad():
            said = [model(torch.tensor(x)).numpy()[:, -1] for x in inputs]
        for kept, logits in zip(marks, (said, [bigrams[x[:, -1]] for x in inputs])):
            kept.append(TEXT.mark(truth, logits))
    ours, theirs = (float(TEXT.quality(np.concatenate(kept))) for kept in marks)
    assert theirs < 0.9 * TEXT.floor * ours, (ours, theirs)


def test_the_text_of_a_record_has_all_that_is_needed_to_judge_it_again(small, refused):
    for record in (small, refused):
        said, _, code = capstone.record_text(record).partition("```python\n")
        assert code.removesuffix("\n```").strip() == record["source"].strip()
        for part in ("event", "entry", "verdict", "reason", "function", "seed", "pairs"):
            assert str(record[part]) in said, part
    assert f"{small['measured']['bytes'][1]:,} after" in capstone.record_text(small)


def test_an_event_is_one_of_eleven():
    """An answer's accuracy is how near it comes to the baseline's, so there is nothing to win in it."""
    assert len(capstone.EVENTS) == 11
    for kind, task in [("speed", "digits"), ("latency", "images"), ("accuracy", "answers")]:
        with pytest.raises(ValueError, match="an event is one of latency, memory"):
            Event(kind, task)


class Page(HTMLParser):
    """Tags that were opened and closed in order, and what is between them."""

    EMPTY = ("meta", "img")

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.feed(text)
        assert text.startswith("<!doctype html>")
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def check_page(text):
    page = Page(text)
    assert {"title", "h1"} <= set(page.tags)
    assert "script" not in page.tags
    names = dict(page.attributes)
    assert "href" not in names
    assert not [v for n, v in page.attributes if n == "src" and not v.startswith("data:image/png")]
    return page


def test_the_board_is_json_and_a_page(dense, small, refused, tmp_path):
    records = [dense, small, refused]
    paths = capstone.write_board(records, tmp_path)
    assert [path.name for path in paths] == ["records.json", "leaderboard.json", "leaderboard.html"]
    board = json.loads(paths[1].read_text())
    latency = board["events"]["latency on digits"]
    assert [(row["place"], row["entry"]) for row in latency["rows"]] == [(1, "dense_lenet")]
    assert [one["entry"] for one in latency["refused"]] == ["inline"]
    assert board["not signed"] == 0
    assert all(map(capstone.is_intact, json.loads(paths[0].read_text()))), "JSON keeps the fingerprint"
    page = check_page(paths[2].read_text())
    assert "dense_lenet" in page.words
    assert "wins" in page.words


def test_what_is_not_signed_is_not_shown(dense):
    forged = dense | {
        "verdict": "wins",
        "entry": "forged",
        "scores": dense["scores"] | {"latency": [99, 98, 100]},
    }
    board = capstone.board([forged, dense])
    assert [row["entry"] for row in board["events"]["latency on digits"]["rows"]] == ["dense_lenet"]
    assert board["not signed"] == 1
    assert "forged" not in capstone.leaderboard_page([forged, dense])
    assert run_again(forged) == (["the record has been changed since it was signed off"], None)


def test_names_are_text_and_never_tags(dense, refused):
    name = "<script>alert('x')</script>"
    records = [capstone.sign_off(copy.deepcopy(r) | {"entry": name}) for r in (dense, refused)]
    for text in (capstone.leaderboard_page(records), capstone.portfolio(records, title=name, about=name)):
        page = check_page(text)
        assert "<script>" not in text
        assert any(name in words for words in page.words)


def test_the_report_holds_figures_and_sources(dense, refused):
    figure = Figure()
    capstone.draw_scores(figure.subplots(), [dense, refused], "latency")
    front = Figure()
    capstone.draw_front(front.subplots(), [dense, refused])
    text = capstone.portfolio(
        [dense, refused], [("Scores", figure), ("Speed & size", front)], about="First.\n\nThen."
    )
    page = check_page(text)
    assert page.tags.count("img") == 2
    assert any("class DenseLeNet" in words for words in page.words)
    assert [words for name, words in page.attributes if name == "alt"] == ["Scores", "Speed & size"]
    assert "1 of them with a win" in "".join(page.words)


def test_entries_from_code_are_sources_of_their_own():
    entry = Entry.from_code("streaming", capstone.teach, capstone.fresh_images, capstone.Streaming)
    names = {}
    exec(entry.source, names)
    assert {"teach", "fresh_images", "Streaming", "np", "torch", "F"} <= set(names)
    assert entry.function == "teach"
    with pytest.raises(ValueError, match="the source of"):
        Entry.from_code("none", eval("lambda model: model"))


def test_streaming_takes_many_positions_at_once_and_a_copy_of_it_pickles():
    import pickle

    model = capstone.Streaming(TEXT.model())
    ids = torch.tensor(TEXT.run(1, 0)[0][-1])
    with torch.no_grad():
        wanted = TEXT.model()(ids).numpy()[:, -1]
        model(ids[:, :20])
        np.testing.assert_allclose(model(ids).numpy(), wanted, atol=1e-3)
    assert pickle.loads(pickle.dumps(capstone.Streaming(TEXT.model()))).cache is None


@pytest.mark.parametrize("task", [DIGITS, TEXT], ids=["digits", "text"])
def test_a_baseline_is_kept_as_its_numbers_and_draws_none_of_the_users(task, monkeypatch, tmp_path):
    """So a module that is exported anew still loads it, which a pickled model may not."""
    monkeypatch.setattr(sys.modules[type(task).__module__], "FOLDER", tmp_path)
    monkeypatch.setattr(task, "train", lambda model: model)
    state = torch.get_rng_state()
    models = [task.model() for _ in range(2)]
    assert torch.equal(torch.get_rng_state(), state)
    (path,) = tmp_path.iterdir()
    kept = torch.load(path)
    assert kept.keys() == models[0].state_dict().keys()
    for model in models:
        assert not model.training
        assert all(torch.equal(value, kept[name]) for name, value in model.state_dict().items())
