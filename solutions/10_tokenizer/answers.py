"""Other right answers to the stubs of module 10: their tests pass with each."""

ANSWERS = {
    "char-tokenizer": """
        Character by character, asking before looking up.
        - try:
        -     return [self.ids[character] for character in text]
        - except KeyError as error:
        -     raise ValueError(
        -         f"{error.args[0]!r} is not among the {self.n_vocab} known characters"
        -     ) from None
        + ids = []
        + for character in text:
        +     if character not in self.ids:
        +         raise ValueError(f"unknown character: {character}")
        +     ids.append(self.ids[character])
        + return ids
        ...
        - try:
        -     return "".join([self.characters[id] for id in ids])
        - except KeyError as error:
        -     raise KeyError(
        -         f"id {error.args[0]} is not among the {self.n_vocab} known ids"
        -     ) from None
        + text = ""
        + for id in ids:
        +     if not 0 <= id < len(self.characters):
        +         raise KeyError(f"no character {id}")
        +     text += self.characters[id]
        + return text
    """,
    "bytes-to-unicode": """
        By the ranges that GPT-2's authors wrote down.
        + table = {}
        + for first, last in ("!~", "¡¬", "®ÿ"):
        +     for byte in range(ord(first), ord(last) + 1):
        +         table[byte] = chr(byte)
        + shift = 256
        + for byte in range(256):
        +     if byte not in table:
        +         table[byte] = chr(shift)
        +         shift += 1
        + return table
    """,
    "count-pairs": """
        A Counter of places for each word, multiplied.
        + counts = Counter()
        + for word in words:
        +     for i in range(1, len(word)):
        +         counts.update({(word[i - 1], word[i]): words[word]})
        + return counts
    """,
    "merge-pair": """
        Token by token, with a look back at the one before.
        + merged, open_ = [], False
        + for token in word:
        +     if open_ and (merged[-1], token) == pair:
        +         merged[-1] += token
        +         open_ = False
        +     else:
        +         merged.append(token)
        +         open_ = True
        + return tuple(merged)
    """,
    "train-naive": """
        The pairs sorted, a counter of merges in place of the vocabulary's size.
        + vocabulary, merges, current = byte_vocabulary(), [], list(words.items())
        + for new in range(256, vocab_size):
        +     counts = count_pairs(dict(current))
        +     if not counts:
        +         break
        +     ordered = sorted(counts, key=lambda p: (vocabulary[p[0]], vocabulary[p[1]]))
        +     pair = max(ordered, key=counts.__getitem__)
        +     current = [(merge_pair(word, pair), count) for word, count in current]
        +     vocabulary[b"".join(pair)] = new
        +     merges.append(pair)
        + return vocabulary, merges
    """,
    "apply-merge": """
        The change of each word, as a difference of two Counters.
        + joined, made = b"".join(pair), set()
        + for index in list(where.get(pair, ())):
        +     after = merge_pair(words[index], pair)
        +     change = Counter(pairwise(after))
        +     change.subtract(Counter(pairwise(words[index])))
        +     for each, times in change.items():
        +         counts[each] += times * weights[index]
        +         if joined in each:
        +             made.add(each)
        +             where[each].add(index)
        +     words[index] = after
        + del where[pair]
        + return made
    """,
    "train": """
        Pushes entries, the truth looked up when one comes out.
        + heap = sorted(map(entry, counts))
        + while heap and vocab_size > len(vocabulary):
        +     promised, _, _, pair = heap[0]
        +     true = entry(pair)
        +     if promised != true[0]:
        +         heapq.heapreplace(heap, true)
        +         continue
        +     heapq.heappop(heap)
        +     if promised == 0:
        +         continue
        +     vocabulary[b"".join(pair)] = len(vocabulary)
        +     merges.append(pair)
        +     for new in apply_merge(pair, words, weights, counts, where):
        +         heapq.heappush(heap, entry(new))
        + return vocabulary, merges
    """,
    "encode-piece": """
        The best rank first, and then the pair that has it.
        + word = spell(piece)
        + while True:
        +     found = min((ranks.get(pair, len(ranks)) for pair in pairwise(word)), default=len(ranks))
        +     if found == len(ranks):
        +         return word
        +     word = merge_pair(word, next(p for p in pairwise(word) if ranks.get(p) == found))
    """,
    "decode": """
        Into a bytearray, with a check of each id.
        + data = bytearray()
        + for id in ids:
        +     if id not in tokens:
        +         raise KeyError(f"unknown token (id={id}), see the vocabulary")
        +     data.extend(tokens[id])
        + return bytes(data)

        The KeyError of the look-up, which shows the id.
        + return b"".join(map(tokens.__getitem__, ids))
    """,
    "split-stream": """
        Splits at every chunk, and holds back what may still change.
        + longest = max([len(token) for token in special_tokens] or [1])
        + rest = ""
        + for chunk in chunks:
        +     pieces = split_text(rest + chunk, special_tokens)
        +     settled = max(0, len(pieces) - longest - 1)
        +     for piece in pieces[:settled]:
        +         yield piece
        +     rest = "".join(pieces[settled:])
        + yield from split_text(rest, special_tokens)
    """,
    "encode-stream": """
        The ids of a piece as one expression; refused tokens found by comparing.
        + watched = [*special_ids, *refused]
        + for piece in split_stream(chunks, watched):
        +     if any(piece == token for token in refused):
        +         raise ValueError(f"{piece!r} is refused")
        +     yield from [special_ids[piece]] if piece in special_ids else piece_ids(piece)
    """,
    "bits-per-byte": """
        A logarithm to the base 2 for each loss; the bytes joined.
        + text = b"".join(tokens[id] for id in ids if id not in set(special))
        + return sum(loss * math.log2(math.e) for loss in losses) / len(text)
    """,
}
