# cython: language_level=3, boundscheck=True, wraparound=True, initializedcheck=False
"""What ends in a plain page: the rules of end tags, and what has to end before another element begins."""

from wolfspider.web.page.plain_names import NUMBERS, NotPlain

from wolfspider.web.page.plain_elements cimport PlainElements
from wolfspider.web.page.plain_names cimport (
    BLOCK, BODY, BUTTON, CAPTION, CELL, COL, COLGROUP, DD, FORM, FORMATTING, HEAD, HEADING, HTML, LI, LINK, NOBR,
    NOSCRIPT, NOTE, OBJECT, ODD, OPTGROUP, OPTION, OTHER, PARAGRAPH, ROW, RULE, SCOPE, SELECT, SPECIAL, TABLE, TBODY,
    UNKNOWN, VOID
)

cdef int ADDRESS = NUMBERS[b"address"], BR = NUMBERS[b"br"], DIV = NUMBERS[b"div"], P = NUMBERS[b"p"]
cdef int A_COLGROUP = NUMBERS[b"colgroup"], A_ROW = NUMBERS[b"tr"], A_TBODY = NUMBERS[b"tbody"]


cdef class PlainEnds(PlainElements):
    cdef object make_room(self, int name, int action):
        """What ends, and what begins unsaid, before an element begins."""
        cdef int at
        if action == BLOCK or action == PARAGRAPH or action == RULE or action == FORM:
            self.close_paragraph()
        elif action == HEADING:
            self.close_paragraph()
            if self.top() == HEADING:
                self.pop()
        elif action == LI or action == DD:
            at = self.depth - 1
            while at >= 0:
                if self.action_at(at) == action:
                    self.end_silent(self.name_at(at))
                    self.pop_until(at)
                    break
                if self.flags_at(at) & SPECIAL and self.name_at(at) not in (ADDRESS, DIV, P):
                    break
                at -= 1
            self.close_paragraph()
        elif action == TABLE:
            if self.found(P, False, True) >= 0:
                if self.quirks_unknown:
                    raise NotPlain
                if not self.quirks:
                    self.close_paragraph()
        elif action == BUTTON:
            if self.found(name) >= 0:
                raise NotPlain
        elif action == NOBR:
            if self.found(name) >= 0:
                raise NotPlain
        elif action == LINK:
            if self.links_open:
                raise NotPlain
        elif action == OPTION or action == OPTGROUP:
            if not self.selecting:
                raise NotPlain
            if self.top() == OPTION:
                self.pop()
            if action == OPTGROUP and self.top() == OPTGROUP:
                self.pop()
        elif action in (CAPTION, COLGROUP, COL, TBODY, ROW, CELL):
            self.make_table_room(action)
        if action == FORM and self.form:
            raise NotPlain

    cdef object make_table_room(self, int action):
        cdef int at = self.depth - 1
        while at >= 0 and not self.flags_at(at) & SCOPE:
            at -= 1
        if at < 0 or self.action_at(at) not in (TABLE, CELL):
            raise NotPlain
        if self.action_at(at) == CELL:
            self.end_silent(0)
            self.pop_cell(at)
        if not self.in_structure():
            raise NotPlain
        if self.top() == COLGROUP:
            if action == COL:
                return
            self.pop()
        if action == CELL and self.top() == ROW:
            return
        if self.top() == ROW:
            self.pop()
        if (action == ROW or action == CELL) and self.top() == TABLE:
            self.unsaid(A_TBODY)
        if action == CELL:
            self.unsaid(A_ROW)
        if action in (CAPTION, COLGROUP, COL, TBODY) and self.top() == TBODY:
            self.pop()
        if action == COL:
            self.unsaid(A_COLGROUP)

    cdef object unsaid(self, int name):
        self.end_node()
        if not self.muted:
            self.flush()
        self.push(name, -1)

    cdef object end_tag(self, int name):
        cdef int action = OTHER, at
        if name < UNKNOWN:
            action = self.action_of[name]
        if action == ODD:
            raise NotPlain
        if self.phase < 3:
            if not self.depth:
                raise NotPlain
            if self.in_head_noscript:
                if action != NOSCRIPT:
                    raise NotPlain
                self.in_head_noscript = False
                self.pop()
            elif action == HEAD and self.phase == 1:
                self.pop()
                self.phase = 2
            elif action in (HEAD, HTML, BODY) or name == BR:
                raise NotPlain
            return
        if self.selecting and action not in (OPTION, OPTGROUP, SELECT):
            raise NotPlain
        self.ended_body = action == HTML or action == BODY
        if self.ended_body or action == HEAD:
            return
        if action in (TABLE, TBODY, ROW, CELL, CAPTION, COLGROUP, COL):
            self.end_of_table_part(name, action)
            return
        if self.in_structure():
            if action == PARAGRAPH or action == FORM or name == BR or action == COLGROUP:
                raise NotPlain
            return
        if action == PARAGRAPH:
            at = self.found(name, False, True)
            if at < 0:
                self.end_node()
                if not self.muted:
                    self.flush()
                return
            self.end_silent(name)
            self.pop_until(at)
        elif action == BLOCK or action == BUTTON or action == OBJECT or action == DD:
            at = self.found(name)
            if at >= 0:
                self.end_silent(name if action == DD else 0)
                self.pop_until(at)
        elif action == LI:
            at = self.found(name, True)
            if at >= 0:
                self.end_silent(name)
                self.pop_until(at)
        elif action == HEADING:
            at = self.depth - 1
            while at >= 0 and not self.flags_at(at) & SCOPE and self.action_at(at) != HEADING:
                at -= 1
            if at >= 0 and self.action_at(at) == HEADING:
                self.end_silent(0)
                self.pop_until(at)
        elif action == FORM:
            self.end_of_form(name)
        elif action == LINK or action == FORMATTING or action == NOBR:
            self.end_of_formatting(name)
        elif (action == OPTION or action == OPTGROUP) and not self.selecting:
            raise NotPlain
        elif action == OPTION:
            if self.top() == OPTION:
                self.pop()
        elif action == OPTGROUP:
            if self.top() == OPTION and self.action_at(self.depth - 2) == OPTGROUP:
                self.pop()
            if self.top() == OPTGROUP:
                self.pop()
        elif action == SELECT:
            if self.selecting:
                at = self.selecting - 1
                self.selecting = 0
                while self.depth > at:
                    self.pop()
        elif name == BR:
            self.end_node()
            if not self.muted:
                self.flush()
        elif action == VOID or action == RULE or action == NOTE:
            return
        else:
            self.end_of_other(name)

    cdef object end_of_form(self, int name):
        cdef int at
        if not self.form:
            return
        self.form = False
        at = self.found(name)
        if at < 0:
            raise NotPlain
        self.end_silent(0)
        if self.depth - 1 != at:
            raise NotPlain
        self.pop()

    cdef object end_of_formatting(self, int name):
        cdef int at = self.depth - 1
        while at >= 0 and self.name_at(at) != name:
            at -= 1
        if at < 0:
            return
        while self.depth - 1 > at:
            if self.flags_at(self.depth - 1) & SPECIAL or self.top() in (LINK, FORMATTING, NOBR):
                raise NotPlain
            self.pop()
        self.pop()

    cdef object end_of_other(self, int name):
        cdef int at = self.depth - 1
        while at >= 0:
            if self.name_at(at) == name:
                self.end_silent(name)
                self.pop_until(at)
                return
            if self.flags_at(at) & SPECIAL:
                return
            at -= 1

    cdef object end_of_table_part(self, int name, int action):
        cdef int at = self.depth - 1, cell
        # Where its element is open in this table
        while at >= 0 and self.name_at(at) != name and self.action_at(at) != TABLE:
            at -= 1
        if action == COL or at < 0 or self.name_at(at) != name:
            if self.in_structure() and self.top() == COLGROUP:
                raise NotPlain
            return
        if action == COLGROUP:
            if self.depth - 1 != at:
                raise NotPlain
            self.pop()
            return
        if action == CELL or action == CAPTION:
            for cell in range(at + 1, self.depth):
                if self.flags_at(cell) & SCOPE:
                    raise NotPlain
            self.end_silent(0)
            self.pop_cell(at)
            return
        cell = self.depth - 1
        while cell > at and not self.flags_at(cell) & SCOPE:
            cell -= 1
        if cell > at:
            if self.action_at(cell) != CELL:
                raise NotPlain
            self.end_silent(0)
            self.pop_cell(cell)
        while self.depth > at:
            if self.top() not in (TABLE, TBODY, ROW, COLGROUP):
                raise NotPlain
            self.pop()
