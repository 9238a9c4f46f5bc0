"""Characters that stand on the letter before them: combining marks, vowel signs and the like.

To look through all characters for them takes as long as reading fifty pages, so those of one version of Unicode stand
here; where Python has another one, they are looked for.
"""

from __future__ import annotations

import unicodedata
from itertools import groupby

LAST = 0x10000  # above lie history, music and emoji; `re` is quick with classes below
VERSION = "14.0.0"
_RANGES = (  # the first and the last of each
    "0300036f04830489059105bd05bf05bf05c105c205c405c505c705c70610061a064b065f0670067006d606dc06df06e406e706e806ea06ed"
    "071107110730074a07a607b007eb07f307fd07fd08160819081b0823082508270829082d0859085b0898089f08ca08e108e30903093a093c"
    "093e094f09510957096209630981098309bc09bc09be09c409c709c809cb09cd09d709d709e209e309fe09fe0a010a030a3c0a3c0a3e0a42"
    "0a470a480a4b0a4d0a510a510a700a710a750a750a810a830abc0abc0abe0ac50ac70ac90acb0acd0ae20ae30afa0aff0b010b030b3c0b3c"
    "0b3e0b440b470b480b4b0b4d0b550b570b620b630b820b820bbe0bc20bc60bc80bca0bcd0bd70bd70c000c040c3c0c3c0c3e0c440c460c48"
    "0c4a0c4d0c550c560c620c630c810c830cbc0cbc0cbe0cc40cc60cc80cca0ccd0cd50cd60ce20ce30d000d030d3b0d3c0d3e0d440d460d48"
    "0d4a0d4d0d570d570d620d630d810d830dca0dca0dcf0dd40dd60dd60dd80ddf0df20df30e310e310e340e3a0e470e4e0eb10eb10eb40ebc"
    "0ec80ecd0f180f190f350f350f370f370f390f390f3e0f3f0f710f840f860f870f8d0f970f990fbc0fc60fc6102b103e10561059105e1060"
    "106210641067106d107110741082108d108f108f109a109d135d135f1712171517321734175217531772177317b417d317dd17dd180b180d"
    "180f180f1885188618a918a91920192b1930193b1a171a1b1a551a5e1a601a7c1a7f1a7f1ab01ace1b001b041b341b441b6b1b731b801b82"
    "1ba11bad1be61bf31c241c371cd01cd21cd41ce81ced1ced1cf41cf41cf71cf91dc01dff20d020f02cef2cf12d7f2d7f2de02dff302a302f"
    "3099309aa66fa672a674a67da69ea69fa6f0a6f1a802a802a806a806a80ba80ba823a827a82ca82ca880a881a8b4a8c5a8e0a8f1a8ffa8ff"
    "a926a92da947a953a980a983a9b3a9c0a9e5a9e5aa29aa36aa43aa43aa4caa4daa7baa7daab0aab0aab2aab4aab7aab8aabeaabfaac1aac1"
    "aaebaaefaaf5aaf6abe3abeaabecabedfb1efb1efe00fe0ffe20fe2f"
)


def is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def marks() -> str:
    """The ranges of a character class that `re` does not have; Indic, Arabic and Hebrew words are full of marks."""
    if unicodedata.unidata_version != VERSION:
        return looked_for()
    codes = [int(_RANGES[at : at + 4], 16) for at in range(0, len(_RANGES), 4)]
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in zip(codes[::2], codes[1::2], strict=True))


def looked_for() -> str:
    found = filter(is_mark, map(chr, range(LAST)))
    ranges = (list(run) for _, run in groupby(enumerate(found), lambda mark: ord(mark[1]) - mark[0]))
    return "".join(f"{run[0][1]}-{run[-1][1]}" for run in ranges)
