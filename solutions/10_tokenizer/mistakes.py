"""Planted mistakes of module 10: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "char-tokenizer": """
        Unknown characters are silently left out. (hint 2)
        - return [self.ids[character] for character in text]
        + return [self.ids[character] for character in text if character in self.ids]

        The ids are the characters' numbers in Unicode, not in this vocabulary. (hint 1)
        - return [self.ids[character] for character in text]
        + return [ord(character) for character in text if self.ids[character] >= 0]

        The characters of the text itself are numbered, not those of the vocabulary. (hint 1)
        - return [self.ids[character] for character in text]
        + own = sorted({c for c in text if self.ids[c] >= 0})
        + return [own.index(character) for character in text]

        Ids are looked up in a list, where -1 is the last character. (hint 1)
        - return "".join([self.characters[id] for id in ids])
        + return "".join([[*self.characters.values()][id] for id in ids])

        There are spaces between the characters.
        - return "".join([self.characters[id] for id in ids])
        + return " ".join([self.characters[id] for id in ids])

        An id of 0 is taken for none. (hint 2)
        - try:
        -     return [self.ids[character] for character in text]
        + try:
        +     return [self.ids.get(character) or self.ids[None] for character in text]

        Only Python's own ints are taken for ids; an array has NumPy's.
        - try:
        -     return "".join([self.characters[id] for id in ids])
        - except KeyError as error:
        -     raise KeyError(
        -         f"id {error.args[0]} is not among the {self.n_vocab} known ids"
        -     ) from None
        + text = ""
        + for id in ids:
        +     if not isinstance(id, int) or id not in self.characters:
        +         raise KeyError(f"id {id} is not in the vocabulary")
        +     text += self.characters[id]
        + return text

        `not ids` asks whether ids are true, which an array does not answer.
        - return "".join([self.characters[id] for id in ids])
        + if not ids:
        +     return ""
        + return "".join([self.characters[id] for id in ids])
    """,
    "bytes-to-unicode": """
        Control characters are shown as themselves, and stay invisible.
        + return {byte: chr(byte) for byte in range(256)}

        The bytes are numbered by their value, not the printable ones first. (hint 1)
        - return {byte: chr(byte) for byte in printable} | {
        -     byte: chr(256 + n) for n, byte in enumerate(others)
        - }
        + numbers = {byte: 256 + n for n, byte in enumerate(others)}
        + return {byte: chr(numbers.get(byte, byte)) for byte in range(256)}

        The byte itself is added to 256, not its position among the others. (hint 3)
        - byte: chr(256 + n) for n, byte in enumerate(others)
        + byte: chr(256 + byte) for byte in others

        The space counts as printable. (hint 2)
        - printable = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) != " "]
        + printable = [byte for byte in range(256) if chr(byte).isprintable()]

        Bytes stand for numbers, not for characters. (hint 3)
        + printable = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) != " "]
        + others = [byte for byte in range(256) if byte not in printable]
        + return {byte: byte for byte in printable} | {b: 256 + n for n, b in enumerate(others)}
    """,
    "count-pairs": """
        How often each word occurs is forgotten. (hint 2)
        - counts[pair] += count
        + counts[pair] += 1

        A pair is counted once for each word, however often it occurs in it.
        - for pair in pairwise(word):
        + for pair in set(pairwise(word)):

        The last token of a word is paired with the first token of the next. (hint 1)
        + tokens = [token for word, count in words.items() for token in word * count]
        + return Counter(pairwise(tokens))

        The last token of a word is paired with its first, through index -1.
        - for pair in pairwise(word):
        -     counts[pair] += count
        + for i in range(len(word)):
        +     counts[word[i - 1], word[i]] += count

        What is returned counts, but is no Counter. (hint 2)
        - counts = Counter()
        + counts = defaultdict(int)

        A word's count replaces what was counted before: it is not added. (hint 2)
        - counts[pair] += count
        + counts[pair] = count

        The last pair of each word is left out.
        - for pair in pairwise(word):
        + for pair in pairwise(word[:-1]):

        Words of two tokens are skipped, though they hold a pair.
        - for pair in pairwise(word):
        + for pair in pairwise(word) if len(word) > 2 else ():
    """,
    "merge-pair": """
        The walk stops one token early, so a last token that is in no pair is lost. (hint 2)
        - while i < len(word):
        + while i < len(word) - 1:

        The joined bytes are compared, so tokens that were cut in another place are merged too. (hint 2)
        - if word[i : i + 2] == pair:
        + if b"".join(word[i : i + 2]) == pair[0] + pair[1] and i + 1 < len(word):

        The second token of a pair is not skipped, and is used twice. (hint 1)
        - i += 2
        + i += 1

        A list is returned, not a tuple. (hint 3)
        - return tuple(merged)
        + return merged

        Only the first place is merged.
        - merged.append(pair[0] + pair[1])
        - i += 2
        + return (*merged, pair[0] + pair[1], *word[i + 2 :])

        A token that only ends like the first of the pair is taken for it. (hint 2)
        - if word[i : i + 2] == pair:
        + if word[i].endswith(pair[0]) and word[i + 1 : i + 2] == pair[1:]:

        A token that only begins like the second of the pair is taken for it. (hint 2)
        - if word[i : i + 2] == pair:
        + if i + 1 < len(word) and word[i] == pair[0] and word[i + 1].startswith(pair[1]):

        Tokens are compared by `is`, and equal bytes need not be the same object. (hint 2)
        - if word[i : i + 2] == pair:
        + if i + 1 < len(word) and word[i] is pair[0] and word[i + 1] is pair[1]:

        Tokens that only end and begin like those of the pair are taken for them. (hint 2)
        - if word[i : i + 2] == pair:
        -     merged.append(pair[0] + pair[1])
        + if i + 1 < len(word) and word[i].endswith(pair[0]) and word[i + 1].startswith(pair[1]):
        +     merged.append(word[i] + word[i + 1])

        The word is searched as one string, which also finds parts of tokens. (hint 1)
        + data = b" ".join(word).replace(b" ".join(pair), b"".join(pair))
        + return tuple(data.split(b" ")) if word else ()

        The walk stops at a first token of the pair that the second does not follow.
        + word = list(word)
        + while pair[0] in word:
        +     i = word.index(pair[0])
        +     if word[i + 1 : i + 2] != [pair[1]]:
        +         break
        +     word[i : i + 2] = [pair[0] + pair[1]]
        + return tuple(word)

        What follows a first token that stands alone is skipped, though the pair may begin there.
        + word, i = list(word), 0
        + while pair[0] in word[i:]:
        +     i = word.index(pair[0], i)
        +     if word[i + 1 : i + 2] == [pair[1]]:
        +         word[i : i + 2] = [pair[0] + pair[1]]
        +         i += 1
        +     else:
        +         i += 2
        + return tuple(word)
    """,
    "train-naive": """
        Ties are settled by which pair was found first. (hint 2)
        - pair = min(
        -     counts, key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]])
        - )
        + pair = max(counts, key=counts.get)

        The bytes themselves decide, at least between equal counts, so the space goes before letters. (hint 2)
        - pair = min(
        -     counts, key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]])
        - )
        + pair = min(counts, key=lambda pair: (-counts[pair], pair))

        The second token's id settles ties, before the first's. (hint 2)
        - counts, key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]])
        + counts, key=lambda pair: (-counts[pair], vocabulary[pair[1]], vocabulary[pair[0]])

        A new token's id is the number of merges, not the size of the vocabulary. (hint 1)
        - vocabulary[pair[0] + pair[1]] = len(vocabulary)
        + vocabulary[pair[0] + pair[1]] = len(merges)

        Pairs are counted only once, and the most frequent are taken without merging in between. (hint 3)
        + vocabulary, merges = byte_vocabulary(), []
        + counts = count_pairs(words)
        + for pair in sorted(
        +     counts, key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]])
        + ):
        +     if len(vocabulary) < vocab_size:
        +         vocabulary[pair[0] + pair[1]] = len(vocabulary)
        +         merges.append(pair)
        + return vocabulary, merges

        The vocabulary grows beyond vocab_size. (hint 1)
        - while len(vocabulary) < vocab_size and (counts := count_pairs(words)):
        + while len(merges) < vocab_size and (counts := count_pairs(words)):

        Of equally frequent pairs the one with the largest ids is taken. (hint 2)
        - pair = min(
        -     counts, key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]])
        - )
        + pair = max(
        +     counts, key=lambda pair: (counts[pair], vocabulary[pair[0]], vocabulary[pair[1]])
        + )

        Between second tokens the bytes decide, not the ids.
        - counts, key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]])
        + counts, key=lambda pair: (-counts[pair], vocabulary[pair[0]], pair[1])

        Merging goes on to the end if the vocabulary has vocab_size tokens from the start.
        - while len(vocabulary) < vocab_size and (counts := count_pairs(words)):
        + while counts := count_pairs(words):
        ...
        - merges.append(pair)
        + merges.append(pair)
        + if len(vocabulary) == vocab_size:
        +     break

        A merge is made even if the vocabulary has vocab_size tokens from the start.
        - while len(vocabulary) < vocab_size and (counts := count_pairs(words)):
        + while counts := count_pairs(words):
        ...
        - merges.append(pair)
        + merges.append(pair)
        + if len(vocabulary) >= vocab_size:
        +     break

        Pairs that occur only once are not merged.
        - while len(vocabulary) < vocab_size and (counts := count_pairs(words)):
        + while len(vocabulary) < vocab_size and (counts := count_pairs(words)):
        +     if max(counts.values()) < 2:
        +         break
    """,
    "apply-merge": """
        The old pairs are never subtracted, so counts only grow. (hint 1)
        - for old in pairwise(before):
        -     counts[old] -= weights[index]

        Only pairs with the joined token are added, and none but the merged pair is subtracted. (hint 1)
        - for old in pairwise(before):
        -     counts[old] -= weights[index]
        - for new in pairwise(after):
        -     counts[new] += weights[index]
        -     if joined in new:
        + for new in pairwise(after):
        +     if joined in new:
        +         counts[pair], counts[new] = 0, counts[new] + weights[index]

        All old pairs are subtracted, but only those with the joined token are added. (hint 1)
        - counts[new] += weights[index]
        - if joined in new:
        + if joined in new:
        +     counts[new] += weights[index]

        The merged words do not get into `words`.
        - words[index] = after

        Pairs without the joined token are returned, too. (hint 3)
        - if joined in new:
        + if joined:

        Counts change by 1, not by the number of times that the word occurs. (hint 3)
        - counts[old] -= weights[index]
        + counts[old] -= 1
        ...
        - counts[new] += weights[index]
        + counts[new] += 1

        The new pairs are not entered in `where`, so a later merge misses their words. (hint 3)
        - where[new].add(index)

        Only the neighbours of the first place are corrected, though the pair may stand in a word more than once. (hint 1)
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

        Every word is searched for the pair. (hint 2)
        - for index in where.pop(pair):
        + where.pop(pair)
        + for index in range(len(words)):

        A token that only contains the joined one is taken for it. (hint 3)
        - if joined in new:
        + if joined in new[0] or joined in new[1]:

        All existing pairs are searched for the joined token. (hint 3)
        - return made
        + return {new for new in counts if joined in new and counts[new]}

        The word is searched as one string, with spaces between tokens, though a token may be a space. (hint 1)
        - before, after = words[index], merge_pair(words[index], pair)
        + before = words[index]
        + after = tuple(b" ".join(before).replace(b" ".join(pair), joined).split(b" "))

        The place of the pair is looked up in each word, but a word may have lost the pair.
        - before, after = words[index], merge_pair(words[index], pair)
        + before = words[index]
        + first = list(pairwise(before)).index(pair)
        + after = before[:first] + merge_pair(before[first:], pair)

        The pair's count is removed too early, and then ends below 0.
        - joined, made = pair[0] + pair[1], set()
        + joined, made = pair[0] + pair[1], set()
        + del counts[pair]

        The pair's count ends at -1.
        - return made
        + counts[pair] = -1
        + return made

        `where` gets the words themselves, not their indices. (hint 3)
        - where[new].add(index)
        + where[new].add(after)

        Every word is searched for the pair. (hint 2)
        - for index in where.pop(pair):
        -     before, after = words[index], merge_pair(words[index], pair)
        -     for old in pairwise(before):
        -         counts[old] -= weights[index]
        + for index in range(len(words)):
        +     before = words[index]
        +     for old in pairwise(before):
        +         counts[old] -= weights[index]
        +     after = merge_pair(before, pair)
    """,
    "train": """
        Outdated entries are used. (hint 2)
        - if -count != counts[pair]:  # outdated: it has become rarer since
        -     heapq.heappush(heap, entry(pair))
        - elif count:
        + if count:

        Outdated entries are thrown away, and with them pairs that are still frequent. (hint 2)
        - if -count != counts[pair]:  # outdated: it has become rarer since
        -     heapq.heappush(heap, entry(pair))
        - elif count:
        + if count and -count == counts[pair]:

        The pairs that merges make are never entered, so no token grows beyond two bytes. (hint 3)
        - for new in apply_merge(pair, words, weights, counts, where):
        -     heapq.heappush(heap, entry(new))
        + apply_merge(pair, words, weights, counts, where)

        The list of entries is not made a heap, so the first is not the smallest: see `heapq.heapify`.
        - heapq.heapify(heap)

        Pairs are pushed when the joined token is not in the vocabulary yet, but `entry` needs its id. (hint 3)
        - vocabulary[pair[0] + pair[1]] = len(vocabulary)
        - for new in apply_merge(pair, words, weights, counts, where):
        -     heapq.heappush(heap, entry(new))
        + for new in apply_merge(pair, words, weights, counts, where):
        +     heapq.heappush(heap, entry(new))
        + vocabulary[pair[0] + pair[1]] = len(vocabulary)

        The loop ends too early, such as at the first pair that occurs no more. (hint 2)
        - if -count != counts[pair]:  # outdated: it has become rarer since
        + if not counts[pair]:
        +     break
        + if -count != counts[pair]:

        The ids are left out of the entries, so ties are settled by the bytes. (hint 1)
        - return -counts[pair], vocabulary[pair[0]], vocabulary[pair[1]], pair
        + return -counts[pair], 0, 0, pair

        Everything is counted again before each merge: correct, but as slow as the naive way.
        + return train_naive(dict(zip(words, weights)), vocab_size)

        All pairs are searched for each merge, though the heap has the best one in front.
        + while len(vocabulary) < vocab_size and (left := +counts):
        +     pair = min(left, key=entry)
        +     merges.append(pair)
        +     vocabulary[pair[0] + pair[1]] = len(vocabulary)
        +     apply_merge(pair, words, weights, counts, where)
        + return vocabulary, merges

        The heap is rebuilt for each merge.
        + while len(vocabulary) < vocab_size and (heap := [entry(pair) for pair in +counts]):
        +     heapq.heapify(heap)
        +     pair = heap[0][-1]
        +     merges.append(pair)
        +     vocabulary[pair[0] + pair[1]] = len(vocabulary)
        +     apply_merge(pair, words, weights, counts, where)
        + return vocabulary, merges

        Outdated entries are used, unless nothing is left of their pair. (hint 2)
        - if -count != counts[pair]:  # outdated: it has become rarer since
        -     heapq.heappush(heap, entry(pair))
        - elif count:
        + if counts[pair]:

        Pairs that occur no more are merged, too. (hint 2)
        - elif count:
        + else:

        The pairs that merges make are entered without the minus sign, and come out last. (hint 1)
        - heapq.heappush(heap, entry(new))
        + heapq.heappush(heap, (counts[new], *entry(new)[1:]))
    """,
    "encode-piece": """
        The longest token that fits is taken, from the left. (hint 1)
        + vocabulary = {a + b for a, b in ranks}
        + word = []
        + while piece:
        +     length = max(
        +         (n for n in range(2, len(piece) + 1) if piece[:n] in vocabulary), default=1
        +     )
        +     word.append(piece[:length])
        +     piece = piece[length:]
        + return tuple(word)

        The first pair from the left that has a rank is merged, whatever the rank. (hint 2)
        - word = merge_pair(word, min(pairs, key=ranks.get))
        + word = merge_pair(word, pairs[0])

        The pair that was learned last is merged first. (hint 2)
        - word = merge_pair(word, min(pairs, key=ranks.get))
        + word = merge_pair(word, max(pairs, key=ranks.get))

        The pair that comes first in the order of its bytes is merged, whatever the rank. (hint 2)
        - word = merge_pair(word, min(pairs, key=ranks.get))
        + word = merge_pair(word, min(pairs))

        The merges are made in the order in which the dict lists them, not in that of their ranks. (hint 2)
        - while pairs := [pair for pair in pairwise(word) if pair in ranks]:
        -     word = merge_pair(word, min(pairs, key=ranks.get))
        + for pair in ranks:
        +     word = merge_pair(word, pair)

        A list is returned, not a tuple.
        - return word
        + return list(word)

        Pairs are looked for only once, so that merged tokens are never merged again. (hint 1)
        - while pairs := [pair for pair in pairwise(word) if pair in ranks]:
        -     word = merge_pair(word, min(pairs, key=ranks.get))
        + for pair in sorted({pair for pair in pairwise(word) if pair in ranks}, key=ranks.get):
        +     word = merge_pair(word, pair)

        A rank of 0 is taken for none.
        - while pairs := [pair for pair in pairwise(word) if pair in ranks]:
        + while pairs := [pair for pair in pairwise(word) if ranks.get(pair)]:

        Pairs are known by their joined bytes, so a pair that was cut in another place is taken for one that has a rank.
        + rank_of = {a + b: rank for (a, b), rank in ranks.items()}
        + word = spell(piece)
        + while pairs := [pair for pair in pairwise(word) if pair[0] + pair[1] in rank_of]:
        +     word = merge_pair(word, min(pairs, key=lambda pair: rank_of[pair[0] + pair[1]]))
        + return word

        The pair that is most frequent in the piece is merged first, as in training. (hint 2)
        - word = merge_pair(word, min(pairs, key=ranks.get))
        + word = merge_pair(word, min(pairs, key=lambda pair: (-pairs.count(pair), ranks[pair])))

        The pair that makes the longest token is merged first. (hint 2)
        - word = merge_pair(word, min(pairs, key=ranks.get))
        + word = merge_pair(word, min(pairs, key=lambda pair: (-len(b"".join(pair)), ranks[pair])))

        The pair that makes the shortest token is merged first. (hint 2)
        - word = merge_pair(word, min(pairs, key=ranks.get))
        + word = merge_pair(word, min(pairs, key=lambda pair: (len(b"".join(pair)), ranks[pair])))

        After a merge the pairs are not listed again, so a new pair with a smaller rank has to wait.
        - word = merge_pair(word, min(pairs, key=ranks.get))
        + for pair in sorted(set(pairs), key=ranks.get):
        +     word = merge_pair(word, pair)

        The empty piece becomes a token, which is empty.
        - word = spell(piece)
        + word = spell(piece) or (b"",)
    """,
    "decode": """
        Each token becomes text on its own, which spoils characters that two tokens share. (hint 1)
        - return b"".join([tokens[id] for id in ids])
        + return "".join([tokens[id].decode("utf-8", "replace") for id in ids]).encode()

        Unknown ids are silently left out. (hint 2)
        - return b"".join([tokens[id] for id in ids])
        + return b"".join([tokens.get(id, b"") for id in ids])

        Ids are used as list indices, where -1 is the last.
        - try:
        -     return b"".join([tokens[id] for id in ids])
        - except KeyError as error:
        + in_order = [tokens[id] for id in sorted(tokens)]
        + try:
        +     return b"".join([in_order[id] for id in ids])
        + except IndexError as error:

        The length of ids is used, but ids may be any iterable.
        - f"id {error.args[0]} is not in the vocabulary of {len(tokens)} tokens"
        + f"id {error.args[0]}, one of {len(ids)}, is unknown"

        There are spaces between the tokens, though they contain the spaces already.
        - return b"".join([tokens[id] for id in ids])
        + return b" ".join([tokens[id] for id in ids])

        A bytearray is returned, which is not a bytes object. (hint 1)
        - return b"".join([tokens[id] for id in ids])
        + return bytearray().join([tokens[id] for id in ids])

        Only Python's own ints are taken for ids; an array has NumPy's.
        + data = b""
        + for id in ids:
        +     if not isinstance(id, int) or id not in tokens:
        +         raise KeyError(f"id {id} is not in the vocabulary")
        +     data += tokens[id]
        + return data

        `not ids` asks whether ids are true, which an array does not answer.
        - return b"".join([tokens[id] for id in ids])
        + if not ids:
        +     return b""
        + return b"".join([tokens[id] for id in ids])
    """,
    "split-stream": """
        Each chunk is split separately. (hint 1)
        + for chunk in chunks:
        +     yield from split_text(chunk, special_tokens)

        Everything is read before anything is yielded. (hint 1)
        + yield from split_text("".join(chunks), special_tokens)

        One piece too few is held back, which settles the 'v of 've too early. (hint 3)
        - keep = max(map(len, special_tokens), default=1) + 1
        + keep = max(map(len, special_tokens), default=1)

        The shortest special token decides how much is held back, so a long one is missed where chunks cut it. (hint 3)
        - keep = max(map(len, special_tokens), default=1) + 1
        + keep = min(map(len, special_tokens), default=1) + 1

        Two pieces are held back whatever the special tokens, so a long one is missed where chunks cut it. (hint 3)
        - keep = max(map(len, special_tokens), default=1) + 1
        + keep = 2

        One piece too few is held back with special tokens: the two before one may change when it is found. (hint 3)
        - keep = max(map(len, special_tokens), default=1) + 1
        + keep = max(2, max(map(len, special_tokens), default=1))

        The text is split without the special tokens, at least what is left after the last chunk.
        - yield from split_text(held, special_tokens)
        + yield from split_text(held)

        The special token that is last in the alphabet is taken for the longest. (hint 3)
        - keep = max(map(len, special_tokens), default=1) + 1
        + keep = len(max(special_tokens, default="x")) + 1

        A fixed number of pieces is held back, but there are longer special tokens. (hint 3)
        - keep = max(map(len, special_tokens), default=1) + 1
        + keep = 16

        Far more pieces are held back than may change. (hint 3)
        - keep = max(map(len, special_tokens), default=1) + 1
        + keep = 200

        Yielded text is kept, and split again with each chunk. (hint 2)
        + keep = max(map(len, special_tokens), default=1) + 1
        + text, given = "", 0
        + for chunk in chunks:
        +     text += chunk
        +     pieces = split_text(text, special_tokens)
        +     yield from pieces[given:-keep]
        +     given = max(given, len(pieces) - keep)
        + yield from split_text(text, special_tokens)[given:]

        The pieces held back at the end are forgotten. (hint 3)
        - yield from split_text(held, special_tokens)

        Fewer pieces are yielded for a chunk than it brings, so that more and more is held. (hint 1)
        + keep = max(map(len, special_tokens), default=1) + 1
        + held = ""
        + for chunk in chunks:
        +     held += chunk
        +     pieces = split_text(held, special_tokens)
        +     if len(pieces) > keep:
        +         yield pieces[0]
        +         held = "".join(pieces[1:])
        + yield from split_text(held, special_tokens)

        Fewer pieces are yielded for a chunk than it brings, so that more and more is held. (hint 1)
        + keep = max(map(len, special_tokens), default=1) + 1
        + held = ""
        + for chunk in chunks:
        +     pieces = split_text(held + chunk, special_tokens)
        +     if len(pieces) > 2 * keep:
        +         yield from pieces[:keep]
        +         held = "".join(pieces[keep:])
        +     else:
        +         held += chunk
        + yield from split_text(held, special_tokens)
    """,
    "encode-stream": """
        Refused tokens are not searched for, so they pass as text. (hint 1)
        - for piece in split_stream(chunks, special_ids.keys() | refused):
        + for piece in split_stream(chunks, special_ids.keys()):

        Each chunk is split separately, so that a token in two chunks is missed. (hint 1)
        - for piece in split_stream(chunks, special_ids.keys() | refused):
        + for piece in (p for c in chunks for p in split_text(c, special_ids.keys() | refused)):

        A special id of 0 is taken for none.
        - if piece in special_ids:
        + if special_ids.get(piece):

        The whole text is read before the first id is yielded. (hint 1)
        - for piece in split_stream(chunks, special_ids.keys() | refused):
        + for piece in split_text("".join(chunks), special_ids.keys() | refused):

        Special tokens are encoded like text. (hint 2)
        - if piece in special_ids:
        -     yield special_ids[piece]
        - else:
        -     yield from piece_ids(piece)
        + yield from piece_ids(piece)

        Only the first id of a piece is yielded. (hint 3)
        - yield from piece_ids(piece)
        + yield piece_ids(piece)[0]

        A special token that only contains a refused one is refused too.
        - if piece in refused:
        + if any(token in piece for token in refused):

        A token that is refused passes where it is also allowed. (hint 2)
        - if piece in refused:
        + if piece in refused and piece not in special_ids:

        The tokens that are refused are taken out of the caller's dict.
        - refused = set(refused)
        + refused = set(refused)
        + for token in refused:
        +     special_ids.pop(token, None)

        The error comes only at the end, after ids of what follows the refused token. (hint 2)
        + refused, met = set(refused), ""
        + for piece in split_stream(chunks, special_ids.keys() | refused):
        +     if piece in refused:
        +         met = piece
        +     elif piece in special_ids:
        +         yield special_ids[piece]
        +     else:
        +         yield from piece_ids(piece)
        + if met:
        +     raise ValueError(f"the text contains {met!r}")
    """,
    "bits-per-byte": """
        The losses are divided by the number of tokens, not of bytes. (hint 2)
        - count = sum(len(tokens[id]) for id in ids if id not in special)
        + count = len(ids)

        The losses stay nats. (hint 1)
        - return math.fsum(losses) / math.log(2) / count
        + return math.fsum(losses) / count

        The losses are multiplied by ln 2, not divided by it. (hint 1)
        - return math.fsum(losses) / math.log(2) / count
        + return math.fsum(losses) * math.log(2) / count

        Characters are counted, not bytes. (hint 2)
        - count = sum(len(tokens[id]) for id in ids if id not in special)
        + count = len(b"".join([tokens[id] for id in ids if id not in special]).decode())

        A special token counts as bytes of the text. (hint 2)
        - count = sum(len(tokens[id]) for id in ids if id not in special)
        + count = sum(len(tokens[id]) for id in ids)

        Only one special token is left out, though there may be several. (hint 2)
        - count = sum(len(tokens[id]) for id in ids if id not in special)
        + count = sum(len(tokens[id]) for id in ids if id != max(special, default=None))

        Equal losses are added only once, because a set keeps one of them. (hint 1)
        - return math.fsum(losses) / math.log(2) / count
        + return math.fsum(set(losses)) / math.log(2) / count

        The losses of special tokens are left out. (hint 2)
        - return math.fsum(losses) / math.log(2) / count
        + return sum(x for x, id in zip(losses, ids) if id not in special) / math.log(2) / count

        The mean of the losses is taken, not their sum. (hint 1)
        - return math.fsum(losses) / math.log(2) / count
        + return math.fsum(losses) / len(losses) / math.log(2) / count

        The bytes of each special token are subtracted once, however often it occurs in the text. (hint 2)
        - count = sum(len(tokens[id]) for id in ids if id not in special)
        + count = sum(len(tokens[id]) for id in ids) - sum(len(tokens[id]) for id in special)
    """,
}
