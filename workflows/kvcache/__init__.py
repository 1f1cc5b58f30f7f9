"""The cache of keys and values: which slot each token's rows have.

TensorSpecs ──geometry──▶ StateTensors ──cache──▶ KVCache ──plan──▶ Step ──(run)──▶ commit
                                                    │
                            layouts decide ─────────┘ where a token goes; everything else derives from the slot table
"""

from workflows.kvcache.cache import KVCache
from workflows.kvcache.geometry import StateTensor, find_state
from workflows.kvcache.layouts import LAYOUTS, Layout
from workflows.kvcache.slot_table import CacheGroup
from workflows.kvcache.step_planner import PositionMap, Step

__all__ = ["LAYOUTS", "CacheGroup", "KVCache", "Layout", "PositionMap", "StateTensor", "Step", "find_state"]
