"""PrTFIDF, a text classifier: the posterior of a text is the mean of the posteriors of its words.

T. Joachims, A Probabilistic Analysis of the Rocchio Algorithm with TFIDF for Text Categorization, ICML 1997.

The usage of a word by a class is the mean over its documents of the word's share of the document. By Bayes' rule a word
then has a posterior over the classes, a row of a matrix; a text has the mean of the rows of its words. That is bounded,
sums to one, and needs no smoothing: a word that a class never uses just adds nothing to it. Unknown words are left out,
and for a text without any known word all classes are equally likely.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Posteriors = NDArray[np.float32]

Priors = Literal["uniform", "proportional"]


def train(
    counts: Any, labels: Ints, *, general: bool = False, priors: Priors = "uniform", pooled: bool = False
) -> Posteriors:
    """The posterior of each class for each word, from counts (a row for each document) and the class of each document.

    General: one more class, the last, holds all documents; uniform priors keep it from drowning the others. Pooled: a
    class is one long document. A word without any document has a row of zeros.
    """
    rows = _rows(counts)
    members = _members(np.asarray(labels, np.int64), general)
    sizes = np.asarray(members.sum(axis=1), np.float64).ravel()
    usage = _shares(members @ rows) if pooled else _shares(members) @ _shares(rows)
    joint = np.ascontiguousarray(usage.toarray().T)
    if priors == "proportional":
        joint *= sizes
    sums = joint.sum(axis=1, keepdims=True)
    posteriors = np.divide(joint, sums, out=np.zeros_like(joint), where=sums > 0)
    return np.asarray(posteriors, np.float32)


def classify(posteriors: Posteriors, words: Ints, counts: NDArray[Any]) -> Posteriors:
    """The posterior of each class for a text with these words (rows of the matrix) so many times each."""
    total = counts.sum()
    if not total > 0:
        classes = posteriors.shape[1]
        return np.full(classes, 1 / classes, np.float32)
    shares = np.asarray(counts / total, np.float32)
    found: Posteriors = np.einsum("i,ij->j", shares, posteriors[words])  # in one thread: the same on every machine
    return found


def information_gain(counts: Any, labels: Ints) -> Floats:
    """How many bits the presence of each word tells about the class of a document."""
    members = _members(np.asarray(labels, np.int64), general=False)
    sizes = np.asarray(members.sum(axis=1), np.float64).ravel()
    present = _rows(counts).copy()
    present.data = np.ones_like(present.data)
    having = np.ascontiguousarray((members @ present).toarray().T)
    total = max(sizes.sum(), 1.0)
    with_word = having.sum(axis=1) / total
    left = with_word * _entropy(having) + (1 - with_word) * _entropy(sizes - having)
    return np.asarray(np.maximum(_entropy(sizes[np.newaxis])[0] - left, 0.0), np.float64)


def _entropy(weights: Floats) -> Floats:
    """In bits, of each row of weights."""
    sums = weights.sum(axis=1, keepdims=True)
    shares = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(-(shares * logs).sum(axis=1), np.float64)


def _members(labels: Ints, general: bool) -> Any:
    """A row for each class with a one for each of its documents."""
    documents = np.arange(labels.size)
    classes = int(labels.max(initial=-1)) + 1
    if general:
        labels = np.concatenate([labels, np.full(labels.size, classes)])
        documents = np.concatenate([documents, documents])
    shape = (classes + general, documents.max(initial=-1) + 1)
    return _sparse().csr_array((np.ones(labels.size), (labels, documents)), shape=shape)


def _shares(rows: Any) -> Any:
    """Each row divided by its sum; an empty one stays empty."""
    sums = np.asarray(rows.sum(axis=1), np.float64).ravel()
    return _rows(_sparse().diags_array(1 / np.where(sums > 0, sums, 1.0)) @ rows)


def _rows(counts: Any) -> Any:
    return _sparse().csr_array(counts, dtype=np.float64)


def _sparse() -> Any:
    """Loaded for training only: it takes a while, and classification does not need it."""
    from scipy import sparse

    return sparse
