"""Planted mistakes of module 10: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "char-tokenizer": """
        Leaves unknown characters out without a word.
        - try:
        -     return [self.ids[character] for character in text]
        - except KeyError as error:
        -     raise ValueError(
        -         f"{error.args[0]!r} is not among the {self.n_vocab} known characters"
        -     ) from None
        + return [self.ids[character] for character in text if character in self.ids]

        Gives the character's number in Unicode, not in this vocabulary.
        - try:
        -     return [self.ids[character] for character in text]
        - except KeyError as error:
        -     raise ValueError(
        -         f"{error.args[0]!r} is not among the {self.n_vocab} known characters"
        -     ) from None
        + return [ord(character) for character in text if self.ids[character] >= 0]

        Looks ids up in a list, where -1 is the last character.
        -     return "".join([self.characters[id] for id in ids])
        - except KeyError as error:
        -     raise KeyError(
        -         f"id {error.args[0]} is not among the {self.n_vocab} known ids"
        -     ) from None
        +     return "".join(list(self.characters.values())[id] for id in ids)
        + except IndexError as error:
        +     raise KeyError(f"an id of {ids} is unknown") from error

        Puts spaces between the characters.
        - try:
        -     return "".join([self.characters[id] for id in ids])
        - except KeyError as error:
        -     raise KeyError(
        -         f"id {error.args[0]} is not among the {self.n_vocab} known ids"
        -     ) from None
        + return " ".join(self.characters[id] for id in ids)
    """,
    "bytes-to-unicode": """
        Shows every byte as its own Latin-1 character, so that spaces and control characters stay invisible.
        + return {byte: chr(byte) for byte in range(256)}

        Numbers the bytes by their value instead of printable ones first.
        + others = [byte for byte in range(256) if not chr(byte).isprintable() or chr(byte) == " "]
        + return {
        +     byte: chr(256 + others.index(byte)) if byte in others else chr(byte)
        +     for byte in range(256)
        + }

        Adds 256 to the byte where the n-th of the others is chr(256 + n).
        + printable = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) != " "]
        + others = [byte for byte in range(256) if byte not in printable]
        + return {byte: chr(byte) for byte in printable} | {byte: chr(256 + byte) for byte in others}

        Takes the space for printable.
        - printable = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) != " "]
        + printable = [byte for byte in range(256) if chr(byte).isprintable()]
    """,
    "count-pairs": """
        Forgets how often each word occurs.
        + return Counter(pair for word in words for pair in pairwise(word))

        Counts a pair once for each word, however often it stands in it.
        - for pair in pairwise(word):
        + for pair in set(pairwise(word)):

        Pairs the last token of a word with the first token of the next.
        + tokens = [token for word, count in words.items() for token in word * count]
        + return Counter(pairwise(tokens))

        Pairs the last token of a word with its first, through index -1.
        - for pair in pairwise(word):
        -     counts[pair] += count
        + for i in range(len(word)):
        +     counts[word[i - 1], word[i]] += count
    """,
    "merge-pair": """
        Stops one token early, so a last token that is in no pair is lost.
        - while i < len(word):
        + while i < len(word) - 1:

        Compares the joined bytes, and so merges what was cut in another place.
        - if word[i : i + 2] == pair:
        + if i + 1 < len(word) and word[i] + word[i + 1] == pair[0] + pair[1]:

        Does not step over the second token of the pair, so it is used twice.
        + merged = []
        + for i in range(len(word)):
        +     if word[i : i + 2] == pair:
        +         merged.append(pair[0] + pair[1])
        +     elif word[i - 1 : i + 1] != pair:
        +         merged.append(word[i])
        + return tuple(merged)

        Merges the first place only.
        + for i in range(len(word)):
        +     if word[i : i + 2] == pair:
        +         return (*word[:i], pair[0] + pair[1], *word[i + 2 :])
        + return word
    """,
    "train-naive": """
        Settles ties by whichever pair was met first.
        - pair = min(
        -     counts, key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]])
        - )
        + pair = max(counts, key=counts.get)

        Settles ties by the bytes themselves, so the space goes before letters.
        - pair = min(
        -     counts, key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]])
        - )
        + pair = min(counts, key=lambda pair: (-counts[pair], pair))

        Counts once, and takes the most frequent pairs of bytes without merging in between.
        + vocabulary, merges = byte_vocabulary(), []
        + counts = count_pairs(words)
        + for pair in sorted(
        +     counts, key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]])
        + ):
        +     if len(vocabulary) < vocab_size:
        +         vocabulary[pair[0] + pair[1]] = len(vocabulary)
        +         merges.append(pair)
        + return vocabulary, merges

        Takes vocab_size for the number of merges.
        - while len(vocabulary) < vocab_size and (counts := count_pairs(words)):
        + while len(merges) < vocab_size and (counts := count_pairs(words)):
    """,
    "apply-merge": """
        Never subtracts what the merge has broken up, so counts only grow.
        + joined, made = pair[0] + pair[1], set()
        + for index in where.pop(pair):
        +     words[index] = merge_pair(words[index], pair)
        +     for new in pairwise(words[index]):
        +         if joined in new:
        +             counts[new] += weights[index]
        +             where[new].add(index)
        +             made.add(new)
        + counts[pair] = 0
        + return made

        Changes counts by 1 instead of by the number of times that the word occurs.
        - before, after = words[index], merge_pair(words[index], pair)
        - for old in pairwise(before):
        -     counts[old] -= weights[index]
        - for new in pairwise(after):
        -     counts[new] += weights[index]
        + counts.subtract(pairwise(words[index]))
        + words[index] = merge_pair(words[index], pair)
        + counts.update(pairwise(words[index]))
        + for new in pairwise(words[index]):
        ...
        - words[index] = after

        Forgets to enter the new pairs in where, so a later merge misses its words.
        - before, after = words[index], merge_pair(words[index], pair)
        - for old in pairwise(before):
        + for old in pairwise(words[index]):
        ...
        - for new in pairwise(after):
        + words[index] = merge_pair(words[index], pair)
        + for new in pairwise(words[index]):
        ...
        - where[new].add(index)
        ...
        - words[index] = after

        Corrects the neighbours of the first place only, though the pair may stand in a word more than once.
        - before, after = words[index], merge_pair(words[index], pair)
        - for old in pairwise(before):
        -     counts[old] -= weights[index]
        - for new in pairwise(after):
        -     counts[new] += weights[index]
        + word, weight = words[index], weights[index]
        + i = list(pairwise(word)).index(pair)
        + counts[pair] -= weight
        + if i > 0:
        +     counts[word[i - 1], pair[0]] -= weight
        +     counts[word[i - 1], joined] += weight
        + if i + 2 < len(word):
        +     counts[pair[1], word[i + 2]] -= weight
        +     counts[joined, word[i + 2]] += weight
        + words[index] = merge_pair(word, pair)
        + for new in pairwise(words[index]):
        ...
        - words[index] = after

        Looks through every word for the pair instead of asking where it stands.
        - for index in where.pop(pair):
        -     before, after = words[index], merge_pair(words[index], pair)
        -     for old in pairwise(before):
        + where.pop(pair)
        + for index, word in enumerate(words):
        +     for old in pairwise(word):
        ...
        - for new in pairwise(after):
        + words[index] = merge_pair(word, pair)
        + for new in pairwise(words[index]):
        ...
        - words[index] = after
    """,
    "train": """
        Believes entries that are out of date.
        - def entry(pair):
        -     return -counts[pair], vocabulary[pair[0]], vocabulary[pair[1]], pair
        + heap = [(-count, vocabulary[a], vocabulary[b], (a, b)) for (a, b), count in counts.items()]
        ...
        - heap = [entry(pair) for pair in counts]
        ...
        - count, _, _, pair = heapq.heappop(heap)
        - if -count != counts[pair]:  # it has become rarer since
        -     heapq.heappush(heap, entry(pair))
        - elif count:
        -     merges.append(pair)
        -     vocabulary[pair[0] + pair[1]] = len(vocabulary)
        -     for new in apply_merge(pair, words, weights, counts, where):
        -         heapq.heappush(heap, entry(new))
        + *_, pair = heapq.heappop(heap)
        + merges.append(pair)
        + vocabulary[pair[0] + pair[1]] = len(vocabulary)
        + for a, b in apply_merge(pair, words, weights, counts, where):
        +     heapq.heappush(heap, (-counts[a, b], vocabulary[a], vocabulary[b], (a, b)))

        Throws entries that are out of date away, and with them pairs that are still frequent.
        - def entry(pair):
        -     return -counts[pair], vocabulary[pair[0]], vocabulary[pair[1]], pair
        + heap = [(-count, vocabulary[a], vocabulary[b], (a, b)) for (a, b), count in counts.items()]
        ...
        - heap = [entry(pair) for pair in counts]
        ...
        - if -count != counts[pair]:  # it has become rarer since
        -     heapq.heappush(heap, entry(pair))
        - elif count:
        + if -count == counts[pair] and count:
        ...
        - for new in apply_merge(pair, words, weights, counts, where):
        -     heapq.heappush(heap, entry(new))
        + for a, b in apply_merge(pair, words, weights, counts, where):
        +     heapq.heappush(heap, (-counts[a, b], vocabulary[a], vocabulary[b], (a, b)))

        Never enters the pairs that merges make, so no token grows beyond two bytes.
        - def entry(pair):
        -     return -counts[pair], vocabulary[pair[0]], vocabulary[pair[1]], pair
        + heap = [(-count, vocabulary[a], vocabulary[b], (a, b)) for (a, b), count in counts.items()]
        ...
        - heap = [entry(pair) for pair in counts]
        ...
        - count, _, _, pair = heapq.heappop(heap)
        - if -count != counts[pair]:  # it has become rarer since
        -     heapq.heappush(heap, entry(pair))
        + count, a, b, pair = heapq.heappop(heap)
        + if -count != counts[pair]:
        +     heapq.heappush(heap, (-counts[pair], a, b, pair))
        ...
        - for new in apply_merge(pair, words, weights, counts, where):
        -     heapq.heappush(heap, entry(new))
        + apply_merge(pair, words, weights, counts, where)

        Leaves the ids out of the entries, so ties are settled by the bytes.
        - def entry(pair):
        -     return -counts[pair], vocabulary[pair[0]], vocabulary[pair[1]], pair
        + heap = [(-count, pair) for pair, count in counts.items()]
        ...
        - heap = [entry(pair) for pair in counts]
        ...
        - count, _, _, pair = heapq.heappop(heap)
        - if -count != counts[pair]:  # it has become rarer since
        -     heapq.heappush(heap, entry(pair))
        + count, pair = heapq.heappop(heap)
        + if -count != counts[pair]:
        +     heapq.heappush(heap, (-counts[pair], pair))
        ...
        - heapq.heappush(heap, entry(new))
        + heapq.heappush(heap, (-counts[new], new))

        Is right, and counts everything again before each merge.
        - vocabulary, merges = byte_vocabulary(), []
        - counts, where = count_pairs(words), defaultdict(set)
        - words, weights = list(words), list(words.values())
        - for index, word in enumerate(words):
        -     for pair in pairwise(word):
        -         where[pair].add(index)
        -
        - def entry(pair):
        -     return -counts[pair], vocabulary[pair[0]], vocabulary[pair[1]], pair
        + return train_naive(words, vocab_size)
        ...
        - heap = [entry(pair) for pair in counts]
        - heapq.heapify(heap)
        - while heap and len(vocabulary) < vocab_size:
        -     count, _, _, pair = heapq.heappop(heap)
        -     if -count != counts[pair]:  # it has become rarer since
        -         heapq.heappush(heap, entry(pair))
        -     elif count:
        -         merges.append(pair)
        -         vocabulary[pair[0] + pair[1]] = len(vocabulary)
        -         for new in apply_merge(pair, words, weights, counts, where):
        -             heapq.heappush(heap, entry(new))
        - return vocabulary, merges
    """,
    "encode-piece": """
        Takes the longest token that fits, from the left.
        + vocabulary = {a + b for a, b in ranks}
        + word = []
        + while piece:
        +     length = max(
        +         (n for n in range(2, len(piece) + 1) if piece[:n] in vocabulary), default=1
        +     )
        +     word.append(piece[:length])
        +     piece = piece[length:]
        + return tuple(word)

        Merges the first pair from the left that has a rank, whatever the rank.
        - word = merge_pair(word, min(pairs, key=ranks.get))
        + word = merge_pair(word, pairs[0])

        Takes the pair that was learned last.
        - word = merge_pair(word, min(pairs, key=ranks.get))
        + word = merge_pair(word, max(pairs, key=ranks.get))

        Looks for pairs only once, so that merges of merged tokens never happen.
        - while pairs := [pair for pair in pairwise(word) if pair in ranks]:
        -     word = merge_pair(word, min(pairs, key=ranks.get))
        + for pair in sorted({pair for pair in pairwise(word) if pair in ranks}, key=ranks.get):
        +     word = merge_pair(word, pair)
    """,
    "decode": """
        Turns each token into text on its own, which spoils characters that two tokens share.
        + try:
        +     return "".join(tokens[id].decode("utf-8", "replace") for id in ids).encode()
        + except KeyError as error:
        +     raise KeyError(f"id {error.args[0]} is not in the vocabulary") from None

        Leaves unknown ids out without a word.
        + return b"".join(tokens.get(id, b"") for id in ids)

        Takes ids for places in a list, where -1 is the last.
        + in_order = [tokens[id] for id in sorted(tokens)]
        + try:
        +     return b"".join(in_order[id] for id in ids)
        + except IndexError:
        +     raise KeyError(f"an id of {ids} is not in the vocabulary") from None

        Puts a space between tokens, though each brings its own.
        + try:
        +     return b" ".join(tokens[id] for id in ids)
        + except KeyError as error:
        +     raise KeyError(f"id {error.args[0]} is not in the vocabulary") from None
    """,
    "split-stream": """
        Splits each chunk for itself.
        + for chunk in chunks:
        +     yield from split_text(chunk, special_tokens)

        Reads everything before it gives anything.
        + yield from split_text("".join(chunks), special_tokens)

        Holds back one piece only, which settles the 'v of 've too early.
        + held = ""
        + keep = max(map(len, special_tokens), default=1)
        + for chunk in chunks:
        +     pieces = split_text(held + chunk, special_tokens)
        +     yield from pieces[:-keep]
        +     held = "".join(pieces[-keep:])
        + yield from split_text(held, special_tokens)

        Holds back two pieces whatever the special tokens, so a long one is missed where chunks cut it.
        + held = ""
        + for chunk in chunks:
        +     pieces = split_text(held + chunk, special_tokens)
        +     yield from pieces[:-2]
        +     held = "".join(pieces[-2:])
        + yield from split_text(held, special_tokens)

        Forgets the pieces that it still holds at the end.
        + held = ""
        + keep = max(map(len, special_tokens), default=1) + 1
        + for chunk in chunks:
        +     pieces = split_text(held + chunk, special_tokens)
        +     yield from pieces[:-keep]
        +     held = "".join(pieces[-keep:])
    """,
    "read-merges": """
        Takes every line that begins with # for a comment.
        + byte_of = {character: byte for byte, character in bytes_to_unicode().items()}
        + merges = []
        + for number, line in enumerate(
        +     path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1
        + ):
        +     if line.startswith("#"):
        +         continue
        +     pair = line.split(" ")
        +     if len(pair) != 2 or any(token not in vocabulary for token in (*pair, "".join(pair))):
        +         raise ValueError(f"{path.name}, line {number}: {line!r}")
        +     merges.append(
        +         tuple(bytes(byte_of[character] for character in token) for token in pair)
        +     )
        + return merges

        Takes the visible characters for the bytes themselves, so that Ġ becomes two bytes of UTF-8.
        + merges = []
        + for number, line in enumerate(
        +     path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1
        + ):
        +     if number == 1 and line.startswith("#version"):
        +         continue
        +     pair = line.split(" ")
        +     if len(pair) != 2 or any(token not in vocabulary for token in (*pair, "".join(pair))):
        +         raise ValueError(f"{path.name}, line {number}: {line!r}")
        +     merges.append(tuple(token.encode() for token in pair))
        + return merges

        Counts the lines after the version, so each number in a message is one too small.
        + byte_of = {character: byte for byte, character in bytes_to_unicode().items()}
        + lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        + merges = []
        + for number, line in enumerate(
        +     lines[lines[:1] != [] and lines[0].startswith("#version") :], start=1
        + ):
        +     pair = line.split(" ")
        +     if len(pair) != 2 or any(token not in vocabulary for token in (*pair, "".join(pair))):
        +         raise ValueError(f"{path.name}, line {number}: {line!r}")
        +     merges.append(
        +         tuple(bytes(byte_of[character] for character in token) for token in pair)
        +     )
        + return merges

        Skips lines that it cannot read.
        + byte_of = {character: byte for byte, character in bytes_to_unicode().items()}
        + merges = []
        + for number, line in enumerate(
        +     path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1
        + ):
        +     pair = line.split()
        +     if len(pair) != 2 or (number == 1 and line.startswith("#version")):
        +         continue
        +     if any(token not in vocabulary for token in (*pair, "".join(pair))):
        +         raise ValueError(f"{path.name}, line {number}: {line!r}")
        +     merges.append(
        +         tuple(bytes(byte_of[character] for character in token) for token in pair)
        +     )
        + return merges

        Checks the two tokens and not what they make.
        - if len(pair) != 2:
        -     raise ValueError(
        -         f"{path.name}, line {number}: expected two tokens with a space between, got {line!r}"
        -     )
        - for token in (*pair, "".join(pair)):
        -     if token not in vocabulary:
        -         raise ValueError(
        -             f"{path.name}, line {number}: {token!r} is not in the vocabulary"
        -         )
        + if len(pair) != 2 or any(token not in vocabulary for token in pair):
        +     raise ValueError(f"{path.name}, line {number}: {line!r}")
        ...
        - tuple(bytes([byte_of[character] for character in token]) for token in pair)
        + tuple(bytes(byte_of[character] for character in token) for token in pair)
    """,
}
