"""Names of months in the languages of many newspapers, as they stand in dates: small letters without accents.

English is not among them: dates.py reads its dates by a rule of their own.
"""

from __future__ import annotations

import unicodedata

LONGEST = 14  # letters of a name

# By language, January first; words with a stroke between them are the same month.
_NAMES = """
januar|janner|jan februar|feb marz|maerz|mrz april|apr mai juni|jun juli|jul august|aug september|sep|sept oktober|okt november|nov dezember|dez
janvier|janv fevrier|fevr|fev mars avril|avr mai juin juillet|juil aout septembre|sept octobre|oct novembre|nov decembre|dec
enero|ene febrero|feb marzo|mar abril|abr mayo|may junio|jun julio|jul agosto|ago septiembre|setiembre|sep|sept octubre|oct noviembre|nov diciembre|dic
gennaio|gen febbraio|feb marzo|mar aprile|apr maggio|mag giugno|giu luglio|lug agosto|ago settembre|set|sett ottobre|ott novembre|nov dicembre|dic
janeiro|jan fevereiro|fev marco|mar abril|abr maio|mai junho|jun julho|jul agosto|ago setembro|set outubro|out novembro|nov dezembro|dez
januari|jan februari|feb maart|mrt april|apr mei juni|jun juli|jul augustus|aug september|sep oktober|okt november|nov december|dec
januari|jan februari|feb mars|mar april|apr maj juni|jun juli|jul augusti|aug september|sep oktober|okt november|nov december|dec
januar|jan februar|feb marts|mar april|apr maj|mai juni|jun juli|jul august|aug september|sep oktober|okt november|nov december|desember|des
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesakuuta heinakuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
stycznia|sty lutego|lut marca kwietnia|kwi maja czerwca|cze lipca|lip sierpnia|sie wrzesnia|wrz pazdziernika|paz listopada|lis grudnia|gru
ledna|leden unora|unor brezna|brezen dubna|duben kvetna|kveten cervna|cerven cervence|cervenec srpna|srpen zari rijna|rijen listopadu prosince|prosinec
января|янв февраля|фев марта|мар апреля|апр мая|май июня|июн июля|июл августа|авг сентября|сен|сент октября|окт ноября|ноя|нояб декабря|дек
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik
"""  # noqa: E501


def plain_letters(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.casefold().replace("ı", "i").replace("ł", "l"))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


_MONTHS = {
    plain_letters(name): month
    for line in _NAMES.strip().splitlines()
    for month, names in enumerate(line.split(), 1)
    for name in names.split("|")
}


def month_named(word: str) -> int | None:
    """1 to 12, if it is the name of a month in one of these languages."""
    return _MONTHS.get(plain_letters(word[: 2 * LONGEST]))
