"""Compares two bundles: the candidate is fed the tokens that the reference generates greedily.

For each prompt, in this order: both read it, in chunks with the logits after each of its tokens (the perplexity of the
text); both generate alone (greedy); both are fed the reference's tokens (the perplexity of the answer). Each token that
is fed is a position, where logits and hidden states are compared, except those before a placeholder of a picture; keys
and values of all positions are compared after the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from workflows.bundle import Bundle
from workflows.common.errors import Cancelled, PromptError, RequestError
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle
from workflows.evaluation.accuracy.compared_side import ComparedSide, ReadBlock, States
from workflows.evaluation.accuracy.statistics import Agreement, NextToken, RunningMean, cosines, perplexity
from workflows.evaluation.accuracy.tasks import DemoTask, FileTask, demo_task
from workflows.generate import Engine
from workflows.generate.prompt_sets import EvaluationPrompt, PromptSet, encode_prompt
from workflows.recipe.cut import ComponentRole
from workflows.runtime.execution.active_adapter import inactive_note
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.accuracy import EvalReport, GreedyAnswer, LayerCosines, PairedFigure, TaskReport

BlockPair = tuple[ReadBlock, ReadBlock]
OfBundles = tuple[RunningMean, RunningMean]  # of the reference, of the candidate


@dataclass
class _Totals:
    """Sums over all positions."""

    agreement: Agreement = field(default_factory=Agreement)
    hidden: dict[tuple[str, int], RunningMean] = field(default_factory=dict)
    key: dict[int, RunningMean] = field(default_factory=dict)
    value: dict[int, RunningMean] = field(default_factory=dict)
    # surprises at the prompts' own tokens, and at those of the reference's answers
    text: OfBundles = field(default_factory=lambda: (RunningMean(), RunningMean()))
    answer: OfBundles = field(default_factory=lambda: (RunningMean(), RunningMean()))


class AccuracyComparison:
    """A reference and an open bundle. `run` gives the report of CLI.md, with `layers`, `task` and `notes`."""

    def __init__(
        self,
        reference: ComparedSide,
        candidate: ComparedBundle,
        report: Callable[[Event], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._reference, self._candidate = reference, candidate
        self._report, self._cancelled = report, cancelled
        self._sums, self._notes = _Totals(), dict[str, None]()  # notes in order, each once

    def run(self, prompts: PromptSet, steps: int, questions: int, task: FileTask | None = None) -> EvalReport:
        """Compares over `prompts`, `steps` new tokens each, and asks the `task`, or `questions` of the demo's.

        Raises RequestError if the two cannot be compared, PromptError for a prompt that does not fit, Cancelled.
        """
        check_same_tokens(self._reference, self._candidate, prompts)
        chosen_task = task or demo_task(self._candidate.engine.bundle, questions)
        if prompts.built_in and not self._reference.has_source:
            prompts = self._cut(prompts, steps)
        total, greedy = len(prompts.prompts) + (len(chosen_task.questions) if chosen_task else 0), []
        for index, prompt in enumerate(prompts.prompts):
            self._progress(f"prompt {index + 1:,} of {len(prompts.prompts):,}", index, total)
            greedy.append(self._prompt(prompt, self._fitting(prompt, steps, index + 1)))
        answered = self._ask(chosen_task, len(prompts.prompts), total) if chosen_task else None
        self._progress("done", total, total)
        return self._summary(prompts, greedy, answered)

    def _prompt(self, prompt: EvaluationPrompt, steps: int) -> GreedyAnswer:
        both, inputs = (self._reference, self._candidate), prompt.read_inputs()
        read = aligned_blocks(*(side.read(prompt.ids, inputs) for side in both))
        self._compare(read, prompt.ids[1:], self._sums.text)
        tokens, others = (side.greedy(prompt.ids, steps, self._cancelled, inputs) for side in both)
        followed = aligned_blocks(*(side.follow(prompt.ids, tokens, inputs) for side in both))
        self._compare(followed, tokens, self._sums.answer)
        self._encoder()
        self._cache()
        return GreedyAnswer(
            prompt=prompt.text or ",".join(map(str, prompt.ids)),
            tokens_equal=_shared_prefix(tokens, others),
            tokens=len(tokens),
            reference=_token_texts(self._candidate.engine, tokens),
            candidate=_token_texts(self._candidate.engine, others),
        )

    def _compare(self, blocks: Iterator[BlockPair], following: Sequence[int], sums: OfBundles) -> None:
        """Adds the positions that both read. following: the token after each. sums: of their surprises."""
        places = set((self._candidate.engine.machine.program.places or {}).values())
        at = 0
        for ours, theirs in blocks:
            self._check()
            for token, *rows in zip(following[at:], ours.logits, theirs.logits, strict=False):
                if token in places:
                    continue
                one, other = (NextToken(row) for row in rows)
                self._sums.agreement.add(one, other)
                sums[0].add(one.surprise(token))
                sums[1].add(other.surprise(token))
            for layer, hidden in ours.hidden.items():
                self._layer((ComponentRole.DECODER, layer), hidden, theirs.hidden.get(layer))
            at += len(ours)

    def _layer(self, name: tuple[str, int], reference: States, candidate: States | None) -> None:
        if candidate is not None and candidate.shape == reference.shape:
            self._sums.hidden.setdefault(name, RunningMean()).add(cosines(reference, candidate))

    def _encoder(self) -> None:
        """Adds the layers of both encoders, once for each source."""
        for layer, hidden in self._reference.encoded.items():
            self._layer((ComponentRole.ENCODER, layer), hidden, self._candidate.encoded.get(layer))
        for side in (self._reference, self._candidate):
            side.encoded.clear()

    def _cache(self) -> None:
        """Adds the cosines of the rows that both caches contain, whatever their layouts."""
        (positions, ours), (others, theirs) = self._reference.rows(), self._candidate.rows()
        _, left, right = np.intersect1d(positions, others, return_indices=True)
        for (layer, role), rows in ours.items():
            other = theirs.get((layer, role))
            if other is not None and other.shape[1:] == rows.shape[1:] and len(left):
                sums = self._sums.key if role == "key" else self._sums.value
                sums.setdefault(layer, RunningMean()).add(cosines(rows[left], other[right]))

    def _cut(self, prompts: PromptSet, steps: int) -> PromptSet:
        """Joinery's own prompts, cut to what leaves room for new tokens: nobody else could shorten them."""
        room = min(self._reference.room, self._candidate.room)
        longest = max(1, room - min(steps, room // 2))
        cut = tuple(replace(one, ids=one.ids[:longest]) for one in prompts.prompts)
        if cut != prompts.prompts:
            self._notes[f"The built-in prompts are cut to {longest:,} tokens, for the smaller cache of {room:,}."] = (
                None
            )
        return replace(prompts, prompts=cut)

    def _fitting(self, prompt: EvaluationPrompt, steps: int, number: int) -> int:
        """Returns `steps`, or as many as fit both caches. Raises PromptError if the prompt does not fit."""
        room = min(self._reference.room, self._candidate.room)
        if self._reference.has_source:
            return min(steps, room)
        room -= len(prompt.ids) - 1
        if room < 1:
            raise PromptError(
                f"Prompt {number} has {len(prompt.ids):,} tokens and the smaller cache of the two bundles holds "
                f"{room + len(prompt.ids) - 1:,}: shorten it."
            )
        if room < steps:
            self._notes[f"Some prompts leave room for fewer than {steps:,} new tokens."] = None
        return min(steps, room)

    def _ask(self, task: FileTask | DemoTask, before: int, total: int) -> TaskReport:
        right = [0, 0]
        for index, question in enumerate(task.questions):
            self._progress(f"question {index + 1:,} of {len(task.questions):,}", before + index, total)
            for side, one in enumerate((self._reference, self._candidate)):
                right[side] += task.is_right(question, one.reply(task, question, self._cancelled))
        reference, score = (round(count / len(task.questions), 6) for count in right)
        return TaskReport(task.metric, len(task.questions), score, reference)

    def _summary(self, prompts: PromptSet, greedy: list[GreedyAnswer], task: TaskReport | None) -> EvalReport:
        sums, agreement = self._sums, self._sums.agreement
        layers = self._layers()
        notes = [f"Prompts: {prompts.origin}.", *inactive_note(self._candidate.engine.bundle), *self._notes]
        if agreement.not_finite:
            notes.append(f"At {agreement.not_finite:,} positions the candidate's logits are no numbers.")
        if not sums.text[0].count:
            notes.append("No perplexity of the prompts: an encoder reads them, or they are single tokens.")
        if not sums.hidden:
            notes.append(self._no_layers())
        return EvalReport(
            positions=agreement.positions,
            top1_agreement=_round(agreement.top1.mean),
            top5_overlap=_round(agreement.top5.mean),
            kl_mean=_round(agreement.kl.mean),
            kl_max=_round(agreement.kl.largest),
            logit_max_abs_diff=_round(agreement.difference.largest),
            hidden_cosine=_average(layer.hidden_cosine for layer in layers),
            kv_cosine=_average(cosine for layer in layers for cosine in (layer.key_cosine, layer.value_cosine)),
            perplexity=_perplexities(sums.text),
            answer_perplexity=_perplexities(sums.answer),
            greedy=greedy,
            layers=layers,
            task=task,
            notes=notes,
        )

    def _layers(self) -> list[LayerCosines]:
        """Returns one row for each decoder layer; encoder layers come first, and have no keys and values."""
        sums = self._sums
        names = {(ComponentRole.DECODER, layer) for layer in (*sums.key, *sums.value)} | sums.hidden.keys()
        return [
            LayerCosines(
                layer=layer,
                part=part,
                hidden_cosine=_round(sums.hidden[part, layer].mean) if (part, layer) in sums.hidden else None,
                key_cosine=_of_layer(sums.key, part, layer),
                value_cosine=_of_layer(sums.value, part, layer),
            )
            for part, layer in sorted(names, key=lambda name: (name[0] != ComponentRole.ENCODER, name[1]))
        ]

    def _no_layers(self) -> str:
        for name, side in (("reference", self._reference), ("candidate", self._candidate)):
            if not side.has_layer_outputs:
                return f"The {name}'s graphs note no layers, so there are no hidden states to compare."
        return "No answer had a second token, so there are no hidden states to compare."

    def _check(self) -> None:
        if self._cancelled():
            raise Cancelled("The comparison was cancelled.")

    def _progress(self, message: str, done: int, total: int) -> None:
        self._check()
        self._report(ProgressEvent(stage="eval", message=message, done=done, total=total, unit="prompts"))


def check_same_tokens(reference: ComparedSide, candidate: ComparedBundle, prompts: PromptSet) -> None:
    """Raises RequestError if the two have different tokens."""
    sizes = [side.vocabulary for side in (reference, candidate)]
    if sizes[0] != sizes[1]:
        raise RequestError(
            f"The reference has {sizes[0]:,} tokens in its vocabulary and the candidate {sizes[1]:,}: only bundles of "
            "one checkpoint, or with one vocabulary, can be compared."
        )
    if reference.has_source != candidate.has_source:
        raise RequestError("One of the two bundles has an encoder and the other none: they cannot be compared.")
    for prompt in prompts.prompts:
        alone = prompt.text and prompt.read_inputs is dict
        engine = candidate.engine
        if alone and engine.text.tokenizer and tuple(encode_prompt(engine, prompt.text)) != prompt.ids:
            raise RequestError(
                "The tokenizers of the two bundles make different tokens of the same text: only bundles with one "
                "tokenizer can be compared."
            )


def compare(
    reference: Bundle,
    candidate: Bundle,
    prompts: Callable[[Engine], PromptSet],
    *,
    steps: int,
    questions: int,
    task: FileTask | None = None,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> EvalReport:
    """Opens both bundles on the CPU and compares them. prompts: chooses them once the reference is open.

    Raises BundleError, GraphError and RequestError as opening a bundle does.
    """
    sides = ComparedBundle.open(reference), ComparedBundle.open(candidate)
    return AccuracyComparison(*sides, report, cancelled).run(prompts(sides[0].engine), steps, questions, task)


def aligned_blocks(one: Iterator[ReadBlock], other: Iterator[ReadBlock]) -> Iterator[BlockPair]:
    """Yields the same positions of both, whatever the widths of their runs; a run begins when the last is used up."""
    left, right = next(one, None), next(other, None)
    while left and right:
        count = min(len(left), len(right))
        yield left.part(0, count), right.part(0, count)
        left = left.part(count, len(left)) if len(left) > count else next(one, None)
        right = right.part(count, len(right)) if len(right) > count else next(other, None)


def _shared_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """Returns the number of leading tokens that both have."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _token_texts(engine: Engine, tokens: Sequence[int]) -> list[tuple[int, str]]:
    """Returns (id, text) of each token."""
    return [(token, engine.text.piece(token)) for token in tokens]


def _of_layer(sums: dict[int, RunningMean], part: str, layer: int) -> float | None:
    return _round(sums[layer].mean) if part == ComponentRole.DECODER and layer in sums else None


def _average(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return _round(sum(known) / len(known)) if known else None


def _perplexities(surprises: OfBundles) -> PairedFigure:
    return PairedFigure(*(_round(perplexity(sums)) for sums in surprises))


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 8)
