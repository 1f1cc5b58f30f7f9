"""Cache adapters whose graph writes the cache: GroupQueryAttention with a shared buffer; TensorScatter with Attention.

During export each emits its ONNX operator; run eagerly it computes the same result, so that a module can be compared
with its original model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import torch

from workflows.common.errors import LayoutError, RecipeError
from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS
from workflows.export.attention import (
    AttentionCall,
    BaseCacheAdapter,
    KeyValueRows,
    current_adapter,
    reference_attention,
)


@dataclass
class _InPlaceAdapter(BaseCacheAdapter):
    """Passes the new rows to the operator that writes them."""

    def key_positions(self, sequence: int) -> torch.Tensor:
        """[C]: slots are positions."""
        return torch.arange(self.keys[0].shape[-2])

    def attend_self(self, call: AttentionCall) -> torch.Tensor:
        """See BaseCacheAdapter. Raises LayoutError for a term that the operator lacks."""
        past = self.keys[call.layer], self.values[call.layer]
        output, self.present[call.layer] = self._attend(call, past, stores=True)
        return output

    def attend_again(self, call: AttentionCall, source: int) -> torch.Tensor:
        """See BaseCacheAdapter: without new rows the operator reads the buffer and writes none."""
        return self._attend(call, self.present[source], stores=False)[0]

    def _attend(self, call: AttentionCall, past: KeyValueRows, stores: bool) -> tuple[torch.Tensor, KeyValueRows]:
        """The output, and the buffers after the operator has written the call's rows into `past`.

        stores: whether it writes them; otherwise `past` has them already.
        """
        raise NotImplementedError


@dataclass
class GroupQueryAdapter(_InPlaceAdapter):
    """com.microsoft.GroupQueryAttention over a shared buffer, past [1,H,C,D].

    lengths: seqlens_k [1], the valid tokens after the step minus one, and total_sequence_length [], the valid tokens.
    rotary: cos and sin [P, D'/2] if the operator rotates the next layer's queries and keys, of which the first D'
    elements are rotated; P is larger than every position. The operator computes in the dtype of past.
    """

    lengths: KeyValueRows | None = None
    rotary: KeyValueRows | None = None
    in_use: torch.Tensor | None = None

    def key_positions(self, sequence: int) -> torch.Tensor:
        """[N]: of the valid tokens, which are as many as the operator's bias has columns."""
        if self.in_use is None:
            assert self.lengths is not None
            self.in_use = torch.arange(self.lengths[1].item())
        return self.in_use

    def _attend(self, call: AttentionCall, past: KeyValueRows, stores: bool) -> tuple[torch.Tensor, KeyValueRows]:
        assert self.lengths is not None
        rotary, self.rotary = self.rotary, None
        _refuse_sinks(call, "GroupQueryAttention")
        sizes = {"head_size": call.key.shape[3], "value_size": call.value.shape[3]}
        if violation := KERNEL_CONSTRAINTS["GroupQueryAttention"].violation(**sizes):
            raise LayoutError(f"The gqa cache is not right for this model, for {violation}: build with --cache static.")
        turning = KERNEL_CONSTRAINTS["GroupQueryAttention with rotary positions"]
        if rotary and (violation := turning.violation(**sizes, rotary_size=2 * rotary[0].shape[1])):
            raise RecipeError(f"{violation}: build the plain variant.")
        if not torch.onnx.is_in_onnx_export():
            length = int(self.lengths[1])
            rotated = call if rotary is None else _rotated(call, rotary, length)
            return _attend_in_place(rotated, past, length, slot_axis=2)
        unused = (None,) * (3 - len(rotary or ()))  # the tables, and positions
        biases = () if call.bias is None else (*unused, call.bias.to(past[0].dtype))
        heads, dtype = call.query.shape[1], past[0].dtype
        attributes = {"num_heads": heads, "kv_num_heads": call.key.shape[1], "scale": call.scale}
        attributes |= {"do_rotary": 0 if rotary is None else 1}
        attributes |= {"local_window_size": call.window} if call.window else {}
        attributes |= {"softcap": call.softcap} if call.softcap else {}
        query, key, value = (_merge_heads(rows).to(dtype) for rows in (call.query, call.key, call.value))
        if not stores:
            key, value = (torch.zeros(len(rows), 0, rows.shape[2], dtype=dtype) for rows in (key, value))
        tables = [table.to(dtype) for table in rotary or ()]
        buffers = past if stores else ()  # an output would be a copy of the whole buffer
        output, *present = torch.onnx.ops.symbolic_multi_out(
            "com.microsoft::GroupQueryAttention",
            (query, key, value, *past, *self.lengths, *tables, *biases),
            attributes,
            dtypes=(dtype, *(buffer.dtype for buffer in buffers)),
            shapes=(query.shape, *(buffer.shape for buffer in buffers)),
            version=1,
        )
        after = (present[0], present[1]) if stores else past
        return _split_heads(output.to(call.query.dtype), heads), after


def _refuse_sinks(call: AttentionCall, operator: str) -> None:
    if call.sinks is not None:
        raise LayoutError(f"This model's attention has sinks, and {operator} takes none: build with --cache static.")


def rotate_next(tables: KeyValueRows) -> None:
    """Makes the current adapter rotate the queries and keys of its next call."""
    adapter = current_adapter()
    if isinstance(adapter, GroupQueryAdapter):
        adapter.rotary = tables


@dataclass
class ScatterAdapter(_InPlaceAdapter):
    """TensorScatter(24) of the new rows, then Attention(24) over the valid slots, past [1,C,H·D].

    masks: window → [1,1,S,C] additive. drivers: write_indices [1], the valid tokens before the step, and
    nonpad_kv_seqlen [1], those after it.
    """

    masks: Mapping[int | None, torch.Tensor] = field(default_factory=dict)
    drivers: KeyValueRows | None = None

    def _attend(self, call: AttentionCall, past: KeyValueRows, stores: bool) -> tuple[torch.Tensor, KeyValueRows]:
        assert self.drivers is not None
        _refuse_sinks(call, "Attention over a scattered cache")
        mask = self.masks[call.window] if call.bias is None else self.masks[call.window] + call.bias
        if not torch.onnx.is_in_onnx_export():
            return _attend_in_place(call, past, int(self.drivers[1]), slot_axis=1, mask=mask)
        start, length = self.drivers
        key, value = self._scattered(call, past, start) if stores else past
        heads, query = call.query.shape[1], _merge_heads(call.query)
        attributes = {"q_num_heads": heads, "kv_num_heads": call.key.shape[1], "scale": call.scale}
        attributes |= {"softcap": call.softcap} if call.softcap else {}
        output = torch.onnx.ops.symbolic(
            "Attention",
            (query, key, value, mask, None, None, length),
            attributes,
            dtype=query.dtype,
            shape=(1, query.shape[1], heads * call.value.shape[3]),
            version=24,
        )
        return _split_heads(output, heads), (key, value)

    def _scattered(self, call: AttentionCall, past: KeyValueRows, start: torch.Tensor) -> KeyValueRows:
        """The buffers with the call's rows from the slot `start` on."""
        key, value = (
            torch.onnx.ops.symbolic(
                "TensorScatter",
                (buffer, _merge_heads(rows), start),
                {"axis": 1},
                dtype=buffer.dtype,
                shape=buffer.shape,
                version=KERNEL_CONSTRAINTS["TensorScatter"].since,
            )
            for buffer, rows in zip(past, (call.key, call.value), strict=True)
        )
        return key, value


def _attend_in_place(
    call: AttentionCall, past: KeyValueRows, length: int, *, slot_axis: int, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, KeyValueRows]:
    """The operators' result: writes the rows to the slots that end at `length`, then attends to the valid ones."""
    rows, sequence = (call.key, call.value), call.query.shape[2]
    present = [buffer.clone() for buffer in past]
    for buffer, new in zip(present, rows, strict=True):
        buffer.narrow(slot_axis, length - sequence, sequence).copy_(new if slot_axis == 2 else _merge_heads(new))
    valid = [buffer.narrow(slot_axis, 0, length).to(call.query.dtype) for buffer in present]
    key, value = valid if slot_axis == 2 else [_split_heads(buffer, call.key.shape[1]) for buffer in valid]
    if mask is None:
        positions = torch.arange(length)
        back = positions[length - sequence :, None] - positions[None, :]
        seen = (back >= 0) & (back < (call.window or length))
        mask = torch.where(seen, 0.0, torch.finfo(call.query.dtype).min)[None, None]
        mask = mask if call.bias is None else mask + call.bias
    plain = replace(call, key=key, value=value, bias=None)
    return reference_attention(plain, mask[..., :length]), (present[0], present[1])


def _rotated(call: AttentionCall, tables: KeyValueRows, length: int) -> AttentionCall:
    """Rotates queries and keys of the tokens that end at `length`: Su et al. 2021, equation 34."""
    positions = slice(length - call.query.shape[2], length)
    cos, sin = (torch.cat([table[positions], table[positions]], dim=-1) for table in tables)  # [S,D']

    def rotate(rows: torch.Tensor) -> torch.Tensor:
        turned, rest = rows[..., : cos.shape[1]], rows[..., cos.shape[1] :]
        first, second = turned.chunk(2, dim=-1)
        return torch.cat([turned * cos + torch.cat([-second, first], dim=-1) * sin, rest], dim=-1)

    return replace(call, query=rotate(call.query), key=rotate(call.key))


def _merge_heads(rows: torch.Tensor) -> torch.Tensor:
    """[B,H,S,D] → [B,S,H·D]."""
    return rows.transpose(1, 2).flatten(2)


def _split_heads(flat: torch.Tensor, heads: int) -> torch.Tensor:
    """[B,S,H·D] → [B,H,S,D]."""
    return flat.unflatten(2, (heads, -1)).transpose(1, 2)
