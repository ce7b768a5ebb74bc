"""Planted mistakes of module 10: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "char-tokenizer": """
        Leaves unknown characters out without a word.
        - return [self.ids[character] for character in text]
        + return [self.ids[character] for character in text if character in self.ids]

        Gives the character's number in Unicode, not in this vocabulary.
        - return [self.ids[character] for character in text]
        + return [ord(character) for character in text if self.ids[character] >= 0]

        Looks ids up in a list, where -1 is the last character.
        - return "".join([self.characters[id] for id in ids])
        + return "".join([[*self.characters.values()][id] for id in ids])

        Puts spaces between the characters.
        - return "".join([self.characters[id] for id in ids])
        + return " ".join([self.characters[id] for id in ids])
    """,
    "bytes-to-unicode": """
        Shows every byte as its own Latin-1 character, so that spaces and control characters stay invisible.
        + return {byte: chr(byte) for byte in range(256)}

        Numbers the bytes by their value instead of printable ones first.
        - return {byte: chr(byte) for byte in printable} | {
        -     byte: chr(256 + n) for n, byte in enumerate(others)
        - }
        + numbers = {byte: 256 + n for n, byte in enumerate(others)}
        + return {byte: chr(numbers.get(byte, byte)) for byte in range(256)}

        Adds 256 to the byte where the n-th of the others is chr(256 + n).
        - byte: chr(256 + n) for n, byte in enumerate(others)
        + byte: chr(256 + byte) for byte in others

        Takes the space for printable.
        - printable = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) != " "]
        + printable = [byte for byte in range(256) if chr(byte).isprintable()]
    """,
    "count-pairs": """
        Forgets how often each word occurs.
        - counts[pair] += count
        + counts[pair] += 1

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
        + if b"".join(word[i : i + 2]) == pair[0] + pair[1] and i + 1 < len(word):

        Does not step over the second token of the pair, so it is used twice.
        - i += 2
        + i += 1

        Merges the first place only.
        - merged.append(pair[0] + pair[1])
        - i += 2
        + return (*merged, pair[0] + pair[1], *word[i + 2 :])
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
        - for old in pairwise(before):
        -     counts[old] -= weights[index]

        Changes counts by 1 instead of by the number of times that the word occurs.
        - counts[old] -= weights[index]
        + counts[old] -= 1
        ...
        - counts[new] += weights[index]
        + counts[new] += 1

        Forgets to enter the new pairs in where, so a later merge misses its words.
        - where[new].add(index)

        Corrects the neighbours of the first place only, though the pair may stand in a word more than once.
        - for old in pairwise(before):
        -     counts[old] -= weights[index]
        - for new in pairwise(after):
        -     counts[new] += weights[index]
        + i = list(pairwise(before)).index(pair)
        + counts[pair] -= weights[index]
        + if i > 0:
        +     counts[before[i - 1], pair[0]] -= weights[index]
        +     counts[before[i - 1], joined] += weights[index]
        + if i + 2 < len(before):
        +     counts[pair[1], before[i + 2]] -= weights[index]
        +     counts[joined, before[i + 2]] += weights[index]
        + for new in pairwise(after):

        Looks through every word for the pair instead of asking where it stands.
        - for index in where.pop(pair):
        + where.pop(pair)
        + for index in range(len(words)):
    """,
    "train": """
        Believes entries that are out of date.
        - if -count != counts[pair]:  # it has become rarer since
        -     heapq.heappush(heap, entry(pair))
        - elif count:
        + if count:

        Throws entries that are out of date away, and with them pairs that are still frequent.
        - if -count != counts[pair]:  # it has become rarer since
        -     heapq.heappush(heap, entry(pair))
        - elif count:
        + if count and -count == counts[pair]:

        Never enters the pairs that merges make, so no token grows beyond two bytes.
        - for new in apply_merge(pair, words, weights, counts, where):
        -     heapq.heappush(heap, entry(new))
        + apply_merge(pair, words, weights, counts, where)

        Leaves the ids out of the entries, so ties are settled by the bytes.
        - return -counts[pair], vocabulary[pair[0]], vocabulary[pair[1]], pair
        + return -counts[pair], 0, 0, pair

        Is right, and counts everything again before each merge.
        + return train_naive(dict(zip(words, weights)), vocab_size)
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
        - return b"".join([tokens[id] for id in ids])
        + return "".join([tokens[id].decode("utf-8", "replace") for id in ids]).encode()

        Leaves unknown ids out without a word.
        - return b"".join([tokens[id] for id in ids])
        + return b"".join([tokens.get(id, b"") for id in ids])

        Takes ids for places in a list, where -1 is the last.
        - try:
        -     return b"".join([tokens[id] for id in ids])
        - except KeyError as error:
        + in_order = [tokens[id] for id in sorted(tokens)]
        + try:
        +     return b"".join([in_order[id] for id in ids])
        + except IndexError as error:

        Puts a space between tokens, though each brings its own.
        - return b"".join([tokens[id] for id in ids])
        + return b" ".join([tokens[id] for id in ids])
    """,
    "split-stream": """
        Splits each chunk for itself.
        + for chunk in chunks:
        +     yield from split_text(chunk, special_tokens)

        Reads everything before it gives anything.
        + yield from split_text("".join(chunks), special_tokens)

        Holds back one piece only, which settles the 'v of 've too early.
        - keep = max(map(len, special_tokens), default=1) + 1
        + keep = max(map(len, special_tokens), default=1)

        Holds back two pieces whatever the special tokens, so a long one is missed where chunks cut it.
        - keep = max(map(len, special_tokens), default=1) + 1
        + keep = 2

        Forgets the pieces that it still holds at the end.
        - yield from split_text(held, special_tokens)
    """,
    "read-merges": """
        Takes every line that begins with # for a comment.
        - if number == 1 and line.startswith("#version"):
        + if line.startswith("#"):

        Takes the visible characters for the bytes themselves, so that Ġ becomes two bytes of UTF-8.
        - merges.append(tuple(bytes([byte_of[shown] for shown in token]) for token in pair))
        + merges.append(tuple(token.encode() for token in pair))

        Counts the lines after the version, so each number in a message is one too small.
        - for number, line in enumerate(lines, start=1):
        -     if number == 1 and line.startswith("#version"):
        -         continue
        + with_version = bool(lines) and lines[0].startswith("#version")
        + for number, line in enumerate(lines[with_version:], start=1):

        Skips lines that it cannot read.
        - raise ValueError(
        -     f"{place}: expected two tokens with a space between, got {line!r}"
        - )
        + continue

        Checks the two tokens and not what they make.
        - for token in (*pair, "".join(pair)):
        + for token in pair:
    """,
}
