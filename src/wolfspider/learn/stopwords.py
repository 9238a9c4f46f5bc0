"""The stop list: about a thousand English words that say nothing about the subject of a page.

It was made by hand for this project, from grammar and not from counts, in two halves, as Chen's Intelligent Spider
needs:

- function words, class by class: articles, pronouns, determiners, prepositions, conjunctions, auxiliaries, adverbs
  (of degree, place, time, and those that hold sentences together), numbers in words, interjections, and what
  `text.words` leaves of a word with an apostrophe (`don't` is read as `don` and `t`);
- pure verbs: words that are verbs and never nouns. Only base forms are written down; the other forms are derived, the
  irregular ones from a table. Verbs that are nouns as well (work, play, run, design) are left to the pages, and so are
  verbs that name a subject (compute, parse, paint). A dozen of the commonest verbs (go, make, say) are in although
  dictionaries know a noun: it is rare. Derived forms that are nouns of their own (teaching, a beginning) are taken out.

A function word that is as often a noun on the web (mine, past, right, haven) is not on the list: a superfluous term
costs little, since words on every page weigh nothing, but a missing term cannot be found.
"""

from __future__ import annotations

from collections.abc import Iterator

_FUNCTION_WORDS = """
a an the

i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it
its itself they them their theirs themselves themself one oneself who whom whose which what whoever whomever whatever
whichever whatsoever someone somebody something anyone anybody anything everyone everybody everything nobody nothing
none thou thee thy thine thyself ye

this that these those such same other others another each every either neither both all any some no many much more most
few fewer fewest little less lesser least several enough half own various numerous certain else plenty lots

about above across after against along alongside amid amidst among amongst around as aside at atop before behind below
beneath beside besides between beyond by concerning despite down due during except excepting excluding following for
from in including inside into like near notwithstanding of off on onto out outside over per plus regarding respecting
since than through throughout till to toward towards under underneath unlike until unto up upon versus via with within
without

and or nor but so yet if unless because although though whereas while whilst when whenever where wherever whether why
how however once lest provided whereby wherein whereupon albeit

be am is are was were been being do does did done doing have has had having can could may might must shall should will
would ought need dare cannot used hath doth shalt

very too quite rather almost nearly just only even still also not never hardly scarcely barely merely simply really
truly fairly pretty highly extremely absolutely completely entirely fully greatly largely mainly mostly partly
particularly especially slightly somewhat totally utterly wholly virtually practically exactly precisely roughly
approximately considerably substantially significantly relatively comparatively sufficiently exceedingly altogether
solely chiefly primarily purely strictly increasingly

here there hereby herein thereby therein thereof thereto thereafter thereupon hereafter hereof hither thither hence
thence whence everywhere anywhere somewhere nowhere elsewhere away apart together upwards downwards forwards backwards
onwards inwards outwards ahead overhead abroad nearby

now then again ago already always often sometimes sometime usually rarely seldom ever forever soon later lately recently
early earlier currently presently formerly previously afterwards afterward beforehand meanwhile meantime eventually
finally initially originally immediately instantly suddenly shortly temporarily permanently constantly continually
continuously frequently occasionally regularly generally normally typically commonly ultimately nowadays today tomorrow
yesterday tonight anymore twice thrice simultaneously subsequently

thus therefore accordingly consequently moreover furthermore additionally likewise similarly otherwise nevertheless
nonetheless instead indeed anyway anyhow somehow namely actually basically essentially apparently evidently obviously
clearly certainly surely definitely probably possibly perhaps maybe presumably supposedly allegedly seemingly
fortunately unfortunately hopefully interestingly respectively specifically notably importantly incidentally
alternatively conversely overall well easily quickly slowly
properly directly necessarily

zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions
billion billions trillion dozen dozens first firstly second secondly third thirdly fourth fifth sixth seventh eighth
ninth tenth last lastly next

yes yeah yep nope oh ah aha hey hi hello wow alas hmm huh ouch oops ok okay please thanks hooray hurrah bye goodbye ugh
um uh eh gosh

s t d m o y ll ve re don doesn didn isn aren wasn weren hasn hadn couldn wouldn shouldn mustn mightn needn daren shan
won ain em tis twas gonna gotta wanna

etc vs cf viz ie eg aka able unable upcoming
"""

_REGULAR_VERBS = """
achieve acquire admit adopt agree allow appear apply argue arrive articulate ask assert assume avoid await behave
believe belong calculate clarify commit compare comply comprise conclude confirm consider consist contain continue
convince correspond create decide define demonstrate denote deny depend describe deserve determine differ discover
discuss emerge enable encourage enjoy ensure establish exceed exclude exist expect explain happen identify ignore
illustrate imagine imply improve include indicate infer intend introduce involve justify learn listen maintain modify
obtain occur omit perceive prefer provide pursue receive refer rely remain remember remove replace require retain seem
specify submit suggest suppose tend vary verify want warn
"""

_IZING_VERBS = "apologize emphasize maximize minimize realize recognize summarize utilize"  # with s in Britain

_IRREGULAR_VERBS = """
arise arose arisen, become became, begin began begun, bring brought, choose chose chosen, come came,
forget forgot forgotten, get got gotten, give gave given, go went gone, grow grew grown, hear heard, keep kept,
know knew known, let, make made, overcome overcame, put, say said, see saw seen, seek sought, send sent, spend spent,
take took taken, teach taught, tell told, think thought, undergo underwent undergone, understand understood,
undertake undertook undertaken, write wrote written
"""

_DOUBLING = "admit begin commit forget get infer let occur omit prefer put refer submit"

_NOUNS_AMONG_THE_FORMS = """
beginning hearing learning saw spending teaching thinking thought understanding undertaking warning writing
"""


def third_person(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if _ends_in_lone_y(verb) else verb + "s"


def regular_past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if _ends_in_lone_y(verb) else _doubled(verb) + "ed"


def present_participle(verb: str) -> str:
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    return _doubled(verb) + "ing"


def _ends_in_lone_y(verb: str) -> bool:
    return verb.endswith("y") and verb[-2] not in "aeou"


def _doubled(verb: str) -> str:
    """English doubles the last consonant where the last syllable is stressed, which spelling does not tell."""
    return verb + verb[-1] if verb in _DOUBLING.split() else verb


def _verbs() -> Iterator[str]:
    izing = _IZING_VERBS.split()
    for verb in (*_REGULAR_VERBS.split(), *izing, *(verb.replace("iz", "is") for verb in izing)):
        yield from (verb, third_person(verb), regular_past(verb), present_participle(verb))
    for forms in _IRREGULAR_VERBS.split(","):
        verb, *past = forms.split()
        yield from (verb, third_person(verb), *past, present_participle(verb))


STOP_WORDS: frozenset[str] = frozenset({*_FUNCTION_WORDS.split(), *_verbs()} - set(_NOUNS_AMONG_THE_FORMS.split()))
