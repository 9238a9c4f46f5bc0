# cython: language_level=3, boundscheck=True, wraparound=False
"""The traits of links in one pass, by compiled code. traits.py works them out with numpy where this is not, the same to
the last bit: so logarithms are left to numpy, since their last bit depends on who takes them."""

import numpy as np

from libc.math cimport sqrt

cdef enum:  # the traits, in the order of traits.py
    BIAS, WORDS, BEST_WORDS, PARENT, PARENTS, MANY_PARENTS, IN_LINKS, ANCHOR, CONTEXT, ADDRESS, HOST, NEW_HOST, FOLDER
    SHAPE, SIBLINGS, BEST_SIBLINGS, PAGE, PLACE, BEST_PLACE, NEAR, DEPTH, COVERAGE, MEAN_COVERAGE, ANCHOR_COMPANY
    BEST_COMPANY, CONTEXT_COMPANY, ADDRESS_COMPANY, DEAD, ANOTHER_HOST, MENU, ANCHOR_ON_A_GOOD_PAGE
    SIBLINGS_ON_GOOD_PAGES, NEAREST_TEXT, COUNT

cdef enum:
    OF_LINK = 5  # logarithms of a link: host, folder, shape, dead, pages
    OF_EDGE = 3  # of a place where it stands: page, place, sibling
    FIGURES = 6  # of an edge: sibling, place, what its anchor led to, company of its anchor, page, company around it

cdef double LEAST = -9.0  # below all figures of edges


cdef double within(double low, double value, double high) noexcept:
    return low if value < low else high if value > high else value


cdef double odds(double share) except *:
    return share / (1 - share)


cdef double shrunk(const float[:, ::1] counts, Py_ssize_t place, double usual) except *:
    """What a visit paid in the mean: learn/hashed_counts.py."""
    return (counts[place, 1] + 2.0 * usual) / (<double>counts[place, 0] + 2.0)


cdef double summed(const double[::1] odds, const int[:, ::1] ids, Py_ssize_t row, bint alone) except *:
    """The sum over the words of a row. numpy adds those of one row alone by eights, those of several one by one."""
    cdef double total = 0.0
    cdef Py_ssize_t at = 0, width = ids.shape[1]
    if alone and width >= 8:
        total = (
            ((odds[ids[row, 0]] + odds[ids[row, 1]]) + (odds[ids[row, 2]] + odds[ids[row, 3]]))
            + ((odds[ids[row, 4]] + odds[ids[row, 5]]) + (odds[ids[row, 6]] + odds[ids[row, 7]]))
        )
        at = 8
    while at < width:
        total += odds[ids[row, at]]
        at += 1
    return total


cdef double company(const double[::1] odds, const int[:, ::1] ids, Py_ssize_t row, bint alone) except *:
    """The same for words of which more count for less."""
    cdef Py_ssize_t at, known = 0
    for at in range(ids.shape[1]):
        known += ids[row, at] > 0
    return within(-3, summed(odds, ids, row, alone) / sqrt(<double>max(1, known)), 3) / 2


def figures_of(const long long[::1] rows, links, edges, const float[:, ::1] counts, double usual, words):
    """A row for each trait, a column for each of these links. `links` and `edges`: their tables; `counts`: of kinds;
    `words`: what they say of links, and of pages."""
    cdef const float[::1] parents = links["parents"], best_parent = links["best_parent"], pages = links["pages"]
    cdef const float[::1] look = links["look"], best_look = links["best_look"], anchor = links["anchor"]
    cdef const float[::1] context = links["context"], address = links["address"], said = links["said"]
    cdef const float[::1] away = links["away"], depth = links["depth"], near = links["near"]
    cdef const int[::1] host = links["host"], folder = links["folder"], shape = links["shape"]
    cdef const int[::1] from_host = links["from_host"]
    cdef const int[:, ::1] slots = links["edges"], own = links["words"]
    cdef const int[::1] sibling = edges["sibling"], place = edges["place"], page = edges["page"]
    cdef const int[:, ::1] anchors = edges["anchor"], contexts = edges["context"]
    cdef const double[::1] word_links = words.links, word_pages = words.pages
    cdef Py_ssize_t count = rows.shape[0], at, row, slot, edge, place_of, stands = 0, there
    cdef double of_host, of_page, least, led, pages_here, value, text
    cdef float first, second, third
    for at in range(count):
        for slot in range(slots.shape[1]):
            stands += slots[rows[at], slot] > 0

    made = np.empty(OF_LINK * count + OF_EDGE * stands + 1)
    cdef double[::1] logs = made
    place_of = 0
    for at in range(count):
        row = rows[at]
        of_host = shrunk(counts, host[row], usual)
        logs[place_of] = odds(within(0.003, of_host, 0.997))
        logs[place_of + 1] = odds(within(0.003, shrunk(counts, folder[row], of_host), 0.997))
        logs[place_of + 2] = odds(within(0.003, shrunk(counts, shape[row], of_host), 0.997))
        value = (<double>counts[shape[row], 2] + 0.4) / (<double>counts[shape[row], 0] + 2)
        logs[place_of + 3] = odds(within(0.01, value, 0.99))
        logs[place_of + 4] = max(1.0, <double>pages[row])
        place_of += OF_LINK
        for slot in range(slots.shape[1]):
            edge = slots[row, slot]
            if edge > 0:
                of_page = shrunk(counts, page[edge], usual)
                logs[place_of] = odds(within(0.003, of_page, 0.997))
                logs[place_of + 1] = odds(within(0.003, shrunk(counts, place[edge], usual), 0.997))
                logs[place_of + 2] = odds(within(0.003, shrunk(counts, sibling[edge], of_page), 0.997))
                place_of += OF_EDGE
    logs[place_of] = odds(usual)
    np.log(made, made)
    cdef double usually = logs[place_of]
    cdef const float[::1] many = np.log1p(links["parents"].take(rows)) / 2

    traits = np.empty((COUNT, count))
    cdef double[:, ::1] out = traits
    cdef double[FIGURES] figures, total, best
    cdef int kind
    place_of = 0
    for at in range(count):
        row = rows[at]
        pages_here = max(1.0, <double>pages[row])
        out[BIAS, at] = 1.0
        out[PARENT, at] = best_parent[row]
        out[PARENTS, at] = parents[row] / pages_here
        out[MANY_PARENTS, at] = many[at]
        first, second, third = min(anchor[row], <float>0.6), min(context[row], <float>0.4), min(address[row], <float>0.6)
        out[ANCHOR, at], out[CONTEXT, at], out[ADDRESS, at] = first, second, third
        out[NEAREST_TEXT, at] = max(max(first, third), second)
        out[HOST, at] = (logs[place_of] - usually) / 2
        out[FOLDER, at] = (logs[place_of + 1] - usually) / 2
        out[SHAPE, at] = (logs[place_of + 2] - usually) / 2
        out[DEAD, at] = logs[place_of + 3] / 2
        out[IN_LINKS, at] = logs[place_of + 4] / 3
        out[NEW_HOST, at] = 1 / sqrt(1 + <double>counts[host[row], 0])
        out[NEAR, at] = near[row]
        out[DEPTH, at] = depth[row] / <float>10
        out[COVERAGE, at] = best_look[row]
        out[MEAN_COVERAGE, at] = look[row] / pages_here
        out[ANOTHER_HOST, at] = away[row] / pages_here
        out[MENU, at] = min(1.0, pages_here / max(1.0, <double>counts[from_host[row], 0]))
        out[ANCHOR_ON_A_GOOD_PAGE, at] = min(said[row], <float>0.6)
        out[ADDRESS_COMPANY, at] = company(word_pages, own, row, count == 1)
        led = within(-4, summed(word_links, own, row, count == 1), 4) / 2
        place_of += OF_LINK
        there = 0
        for kind in range(FIGURES):
            total[kind], best[kind] = 0.0, LEAST
        for slot in range(slots.shape[1]):
            edge = slots[row, slot]
            if edge <= 0:
                continue
            figures[0] = (logs[place_of + 2] - usually) / 2
            figures[1] = (logs[place_of + 1] - usually) / 2
            figures[2] = within(-4, summed(word_links, anchors, edge, stands == 1), 4) / 2
            figures[3] = company(word_pages, anchors, edge, stands == 1)
            figures[4] = (logs[place_of] - usually) / 2
            figures[5] = company(word_pages, contexts, edge, stands == 1)
            for kind in range(FIGURES):
                total[kind] += figures[kind]
                best[kind] = max(best[kind], figures[kind])
            place_of += OF_EDGE
            there += 1
        for kind in range(FIGURES):
            total[kind] /= max(1, there)
            best[kind] = best[kind] if best[kind] > LEAST else 0.0
        out[WORDS, at], out[BEST_WORDS, at] = total[2] + led, best[2] + led
        out[SIBLINGS, at], out[BEST_SIBLINGS, at] = total[0], best[0]
        out[SIBLINGS_ON_GOOD_PAGES, at] = total[0] * out[PARENTS, at]
        out[PAGE, at] = total[4]
        out[PLACE, at], out[BEST_PLACE, at] = total[1], best[1]
        out[ANCHOR_COMPANY, at], out[BEST_COMPANY, at] = total[3], best[3]
        out[CONTEXT_COMPANY, at] = total[5]
    return traits
